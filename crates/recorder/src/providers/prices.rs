//! The costs of model answers, from list prices and custom prices.

use agentci_protocols::chat::AnswerUsage;

const BUILTIN: &str = include_str!("prices.txt");

/// The number of tokens that a price is for.
const PER: f64 = 1e6;

/// Prefixes of model names, as used by Bedrock: regions and vendors.
const BEFORE: [&str; 12] =
    ["us", "us-gov", "eu", "apac", "jp", "au", "global", "anthropic", "openai", "mistral", "cohere", "amazon"];

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenPrice {
    /// Input tokens.
    pub input: f64,
    /// Input tokens from the cache. Default: the price of input.
    pub cached_input: Option<f64>,
    /// Tokens written to the cache. Default: the price of input.
    pub cache_write: Option<f64>,
    /// Output tokens.
    pub output: f64,
}

/// The prices of models.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PriceTable {
    rows: Vec<PriceRow>,
}

#[derive(Debug, Clone, PartialEq)]
struct PriceRow {
    model: String,
    /// The price applies to requests with more input tokens than this.
    above: u64,
    price: TokenPrice,
}

impl PriceTable {
    /// Approximate list prices of well-known models: for estimates, not for invoices.
    pub fn builtin() -> Self {
        Self { rows: BUILTIN.lines().filter_map(row).collect() }
    }

    /// Adds a model, or changes its price. Also applies to dated versions of the model.
    pub fn extend(&mut self, model: &str, price: TokenPrice) {
        self.rows.retain(|row| row.model != model);
        self.rows.push(PriceRow { model: model.to_owned(), above: 0, price });
    }

    /// The cost of an answer of this model in US dollars; `None` if the price or the tokens are unknown, which is not
    /// the same as zero.
    pub fn cost(&self, model: &str, usage: &AnswerUsage) -> Option<f64> {
        let (input, output) = (usage.input?, usage.output?);
        let price = self.price(model, input)?;
        let cached = usage.cached_input.unwrap_or_default().min(input);
        let written = usage.cache_writes.unwrap_or_default().min(input - cached);
        let parts = [
            (input - cached - written, price.input),
            (cached, price.cached_input.unwrap_or(price.input)),
            (written, price.cache_write.unwrap_or(price.input)),
            (output, price.output),
        ];
        let cost = parts.into_iter().map(|(tokens, price)| float(tokens) * price / PER).sum::<f64>();
        (cost.is_finite() && parts.iter().all(|(_, price)| *price >= 0.0)).then_some(cost)
    }

    fn price(&self, model: &str, input: u64) -> Option<TokenPrice> {
        let own = bare(model);
        let fits = |row: &&PriceRow| {
            let rest = model.strip_prefix(&row.model).or_else(|| own.strip_prefix(&row.model));
            rest.is_some_and(is_version) && (row.above == 0 || input > row.above)
        };
        self.rows.iter().filter(fits).max_by_key(|row| (row.model.len(), row.above)).map(|row| row.price)
    }
}

/// A line of the table; `None` for a comment.
fn row(line: &str) -> Option<PriceRow> {
    let mut words = line.split_whitespace().take_while(|word| *word != "#");
    let model = words.next()?.to_owned();
    let above = words.next()?.parse().ok()?;
    let mut price = || words.next().map(|word| word.parse::<f64>().ok());
    let (input, cached_input, cache_write, output) = (price()??, price()?, price()?, price()??);
    Some(PriceRow { model, above, price: TokenPrice { input, cached_input, cache_write, output } })
}

/// The name of a model without its vendor: `us.anthropic.claude-sonnet-4` and `openai/gpt-4o` contain it.
fn bare(model: &str) -> &str {
    let mut name = model.rsplit('/').next().expect("a split has a first part");
    while let Some((before, rest)) = name.split_once('.').filter(|(before, _)| BEFORE.contains(before)) {
        debug_assert!(!before.is_empty(), "no empty name is listed");
        name = rest;
    }
    name
}

/// Whether the rest of a name only specifies a version of the model: `-2024-11-20`, `@20250514`, `-20240307-v1:0`,
/// `-latest`, `-preview-05-06`. Other words, and numbers of one digit, mean another model.
fn is_version(rest: &str) -> bool {
    let numbers = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut after_v = false;
    rest.is_empty()
        || rest.starts_with(['-', '@', ':'])
            && rest.split(['-', '@', ':']).skip(1).all(|part| {
                let is_v = part.strip_prefix('v').is_some_and(numbers);
                let fits = is_v
                    || matches!(part, "latest" | "preview" | "exp")
                    || numbers(part) && (part.len() > 1 || after_v);
                after_v |= is_v;
                fits
            })
}

#[expect(clippy::cast_precision_loss, reason = "numbers of tokens that matter are far below 2^53")]
fn float(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> AnswerUsage {
        AnswerUsage { input: Some(input), output: Some(output), ..AnswerUsage::default() }
    }

    fn cents(model: &str, usage: &AnswerUsage) -> Option<f64> {
        PriceTable::builtin().cost(model, usage).map(|cost| (cost * 1e6).round() / 1e4)
    }

    #[test]
    fn parses_every_line_of_builtin_table() {
        let lines = BUILTIN.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
        let table = PriceTable::builtin();
        assert_eq!(table.rows.len(), lines);
        let fits =
            |price: &TokenPrice| price.output >= price.input && price.cached_input.is_none_or(|it| it < price.input);
        assert!(table.rows.iter().all(|row| row.price.input > 0.0 && fits(&row.price)));
    }

    #[test]
    fn versioned_names_use_the_price_of_their_model() {
        let million = usage(1_000_000, 0);
        let all = [
            ("gpt-4o", 250.0),
            ("gpt-4o-2024-11-20", 250.0),
            ("gpt-4o-2024-05-13", 500.0),
            ("openai/gpt-4o-mini", 15.0),
            ("claude-3-haiku-20240307", 25.0),
            ("us.anthropic.claude-3-haiku-20240307-v1:0", 25.0),
            ("claude-3-5-sonnet@20241022", 300.0),
            ("claude-opus-4-20250514", 1500.0),
            ("claude-opus-4-5-20251101", 500.0),
            ("models/gemini-2.0-flash-001", 10.0),
            ("command-a-03-2025", 250.0),
            ("mistral-small-latest", 10.0),
        ];
        for (model, wanted) in all {
            assert_eq!(cents(model, &million), Some(wanted), "{model}");
        }
    }

    #[test]
    fn unknown_model_has_no_price() {
        let some = usage(1_000_000, 10);
        for model in ["gpt-4o-realtime-preview", "gpt-5.9", "claude-opus-4-9", "gpt-4o2", "llama3.2", "", "gpt", "o11"]
        {
            assert_eq!(cents(model, &some), None, "{model}");
        }
        assert_eq!(cents("gpt-4o", &AnswerUsage { input: Some(1), ..AnswerUsage::default() }), None);
    }

    #[test]
    fn cached_tokens_and_long_requests_have_separate_prices() {
        let cached = AnswerUsage { cached_input: Some(800_000), ..usage(1_000_000, 0) };
        assert_eq!(cents("gpt-4o", &cached), Some(150.0));
        let written = AnswerUsage { cache_writes: Some(100_000), cached_input: Some(50_000), ..usage(150_000, 1000) };
        assert_eq!(cents("claude-sonnet-4-5", &written), Some(40.5));
        assert_eq!(cents("gemini-2.5-pro", &usage(200_000, 0)), Some(25.0));
        assert_eq!(cents("gemini-2.5-pro", &usage(400_000, 0)), Some(100.0));
        // More tokens from the cache than in total: malicious, and the cost is never negative.
        let odd = AnswerUsage { cached_input: Some(u64::MAX), cache_writes: Some(u64::MAX), ..usage(10, 0) };
        assert!(PriceTable::builtin().cost("gpt-4o", &odd).unwrap() >= 0.0);
    }

    #[test]
    fn custom_price_takes_precedence() {
        let mut table = PriceTable::builtin();
        let price = |input: f64| TokenPrice { input, cached_input: None, cache_write: None, output: 0.0 };
        table.extend("gemini-2.5-pro", price(1.0));
        table.extend("ours/llama", price(3.0));
        table.extend("bad", price(f64::NAN));
        table.extend("negative", price(-1.0));
        assert_eq!(table.cost("gemini-2.5-pro", &usage(1_000_000, 5)), Some(1.0));
        assert_eq!(table.cost("ours/llama", &usage(1_000_000, 5)), Some(3.0));
        assert_eq!(table.cost("bad", &usage(1, 1)), None);
        assert_eq!(table.cost("negative", &usage(1, 1)), None);
    }
}
