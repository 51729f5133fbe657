//! Estimates how many places a path of RFC 9535 visits, without following it.
//!
//! A list of places may contain the same place several times. A name, an index, a wildcard, a slice and a filter keep
//! that number, since each place has one parent; several selectors in one pair of brackets add up. With `..`, each
//! place is reached once from each of its ancestors, so the number is multiplied by the depth of the value. A filter
//! follows its own paths at each place it visits.
//!
//! The library has parsed the path before; a path that is not understood here counts as unbounded.

use std::sync::LazyLock;

use regex::Regex;
use serde_json_path::JsonPath;

use super::schema_cost::pattern_size;
use super::{CHEAP, Weight};

/// The deepest nesting of filters, and of brackets of either kind: the parser of the library takes twice as long for
/// each further level, and runs out of memory for very many.
const FILTERS: usize = 8;
const BRACKETS: usize = 64;

/// The cost of `match` and `search` in visits, since they compile their pattern at each place; and the cost if the
/// pattern comes from the value.
const MATCHING: u64 = 1_000;
const MATCHING_ANYTHING: u64 = CHEAP;

/// Quoted strings, words and numbers, `..`, and any other character by itself.
static TOKENS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?s)'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[0-9A-Za-z_\x{80}-\x{10FFFF}]+|\.\.|."#;
    Regex::new(pattern).expect("the tokens are a regular expression")
});

/// The tokens of a path, white space included.
pub(crate) fn tokens(path: &str) -> impl Iterator<Item = &str> {
    TOKENS.find_iter(path).map(|token| token.as_str())
}

/// Reads a path.
pub(super) fn parse(path: &str) -> Result<JsonPath, String> {
    JsonPath::parse(path).map_err(|error| error.to_string())
}

/// Whether filters or brackets are nested so deep that the path must not be parsed.
pub(crate) fn nests_too_deep(path: &str) -> bool {
    // For each open bracket, whether it contains a filter.
    let (mut open, mut filters): (Vec<bool>, usize) = (Vec::new(), 0);
    for token in tokens(path) {
        match token {
            "[" | "(" => open.push(false),
            "?" => {
                if let Some(holds_filter @ false) = open.last_mut() {
                    *holds_filter = true;
                    filters += 1;
                }
            }
            "]" | ")" => filters -= usize::from(open.pop() == Some(true)),
            _ => {}
        }
        if filters > FILTERS || open.len() > BRACKETS {
            return true;
        }
    }
    false
}

/// Whether following a valid path through a value of this weight is cheap.
pub(crate) fn is_cheap(path: &str, weight: Weight) -> bool {
    QueryCost::of(path, weight).is_some_and(|cost| {
        let most = if cost.is_linear { 10 * CHEAP } else { CHEAP };
        cost.visits <= most
    })
}

/// The cost of following a path.
struct QueryCost {
    visits: u64,
    /// Whether it visits each place at most once and does nothing there: copying the value to a worker would cost more.
    is_linear: bool,
}

impl QueryCost {
    fn of(path: &str, weight: Weight) -> Option<Self> {
        let mut reader = CostReader { tokens: tokens(path).collect(), at: 0, weight };
        let cost = if reader.next() == Some("$") { reader.query(0) } else { None };
        cost.filter(|_| reader.peek().is_none())
    }
}

/// Adds up the cost of a path while reading it.
struct CostReader<'p> {
    tokens: Vec<&'p str>,
    at: usize,
    weight: Weight,
}

impl<'p> CostReader<'p> {
    fn peek(&self) -> Option<&'p str> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'p str> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Reads the segments after `$` or `@`.
    fn query(&mut self, depth: usize) -> Option<QueryCost> {
        if depth > FILTERS {
            return None;
        }
        // How many times the list contains the same place, and how many different places it contains at most.
        let (mut times, mut places) = (1_u64, 1_u64);
        let mut cost = QueryCost { visits: 1, is_linear: true };
        loop {
            let end = self.at;
            while self.peek().is_some_and(|token| token.trim().is_empty()) {
                self.at += 1;
            }
            let descends = self.peek() == Some("..");
            match self.peek() {
                Some("." | "..") => self.at += 1,
                Some("[") => {}
                _ => {
                    self.at = end;
                    return Some(cost);
                }
            }
            let selectors = match self.next()? {
                "[" => self.selectors(depth)?,
                "*" => vec![1],
                name if is_word(name) => vec![0],
                _ => return None,
            };
            if descends {
                times = times.saturating_mul(self.weight.depth);
                places = self.weight.parts;
            }
            let looked_at = times.saturating_mul(places);
            let children = times.saturating_mul(self.weight.parts).min(looked_at.saturating_mul(self.weight.widest));
            for for_child in &selectors {
                cost.visits = cost.visits.saturating_add(looked_at).saturating_add(children.saturating_mul(*for_child));
            }
            cost.is_linear &= !descends && matches!(selectors[..], [0 | 1]);
            if selectors.iter().any(|for_child| *for_child > 0) {
                places = self.weight.parts;
            }
            times = times.saturating_mul(selectors.len().max(1) as u64);
        }
    }

    /// Reads the selectors up to the closing bracket; returns the visits of each child of a place for each selector. A
    /// name or an index visits no other children, a wildcard or a slice each once.
    fn selectors(&mut self, depth: usize) -> Option<Vec<u64>> {
        let mut selectors = Vec::new();
        loop {
            let mut for_child = 0;
            while !matches!(self.peek()?, "," | "]") {
                match self.next()? {
                    "?" => for_child = self.filter(depth)?,
                    "*" | ":" => for_child = 1,
                    _ => {}
                }
            }
            selectors.push(for_child);
            if self.next()? == "]" {
                return Some(selectors);
            }
        }
    }

    /// Reads the rest of a filter, up to the comma or the bracket that ends it.
    fn filter(&mut self, depth: usize) -> Option<u64> {
        let (mut each, mut parentheses) = (2_u64, 0_usize);
        // The size of the patterns in it, and how many of its functions compile one.
        let (mut patterns, mut matches) = (0_u64, 0_u64);
        while !(self.peek()? == "]" || (self.peek()? == "," && parentheses == 0)) {
            match self.next()? {
                "$" | "@" => each = each.saturating_add(self.query(depth + 1)?.visits),
                text if text.starts_with(['\'', '"']) => {
                    let inside = text.get(1..text.len() - 1).unwrap_or_default();
                    patterns = patterns.saturating_add(pattern_size(inside));
                }
                "match" | "search" => matches += 1,
                word if is_word(word) => {}
                sign => {
                    parentheses += usize::from(sign == "(");
                    parentheses = parentheses.saturating_sub(usize::from(sign == ")"));
                    each = each.saturating_add(1);
                }
            }
        }
        // If the filter contains no string, the pattern comes from the value.
        let compiling = if patterns == 0 { MATCHING_ANYTHING } else { MATCHING.saturating_add(patterns) };
        Some(each.saturating_add(compiling.saturating_mul(matches)))
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_' || !first.is_ascii())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn numbers(count: u32) -> Value {
        (0..count).collect::<Vec<_>>().into()
    }

    fn cheap(path: &str, value: &Value) -> bool {
        parse(path).unwrap();
        is_cheap(path, Weight::of(value))
    }

    #[test]
    fn ordinary_paths_are_cheap() {
        let order = json!({ "items": vec![json!({ "name": "lamp", "price": 12, "tags": ["a", "b"] }); 200] });
        for path in [
            "$.items[*].name",
            "$..name",
            "$.items[?@.price > 10].name",
            "$.items[?@.price > 10 && @.name == 'a]b'].tags[*]",
            "$.items[0, -1, 'x', 1:5:2]",
            "$ .items [ * ] .tags",
            "$['items'][?search(@.name, 'l.*p')]",
            "$.items[?count(@.tags[*]) > 1]['name']",
            "$.größe..naïve",
        ] {
            assert!(cheap(path, &order), "{path}");
        }
        assert!(cheap("$..*..*..*..*..*..*..*..*", &json!({ "a": 1 })));
        let many = numbers(2_000_000);
        assert!(cheap("$[*]", &many) && !cheap("$[*, *]", &many) && !cheap("$[?@ > 1]", &many));
    }

    #[test]
    fn multiplying_paths_are_expensive() {
        let deep = (0..40).fold(json!(1), |inside, _| json!([inside, inside.clone()]).as_array().unwrap()[..1].into());
        assert!(!cheap("$..*..*..*..*..*..*..*..*", &deep));
        let nested = "$[?count($[?count($[?count($[?count($[?count($[*])>0])>0])>0])>0])>0]";
        assert!(!cheap(nested, &numbers(30)));
        assert!(!cheap(
            "$[*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*][*,*]",
            &json!([1])
        ));
        assert!(!cheap("$[?match(@.text, @.pattern)]", &json!([{ "text": "a", "pattern": "a" }])));
        assert!(!cheap("$[?search(@, '((a{99}){99}){99}')]", &json!(["a"])));
        assert!(!cheap("$..*", &numbers(1_000_000)));
    }

    /// The estimate is never less than the number of matches.
    #[test]
    fn estimate_is_never_below_number_of_matches() {
        let value = json!({ "a": [[1, [2]], { "b": [3, { "a": [4] }] }], "b": { "a": { "b": [5, 6] } } });
        for path in
            ["$..*", "$..*..*", "$..*..*..*", "$..a..b..*", "$.*.*.*", "$..[0, 0, *]", "$[*,*]..[*,*]", "$..[?@..*]"]
        {
            let found = parse(path).unwrap().query(&value).len() as u64;
            assert!(QueryCost::of(path, Weight::of(&value)).unwrap().visits >= found, "{path}");
        }
    }

    #[test]
    fn detects_paths_nested_too_deep() {
        let nested = |levels: usize| format!("${}{}", "[?@".repeat(levels), "]".repeat(levels));
        assert!(!nests_too_deep(&nested(FILTERS)));
        assert!(nests_too_deep(&nested(FILTERS + 1)));
        assert!(nests_too_deep(&format!("${}{}", "[0, ?@".repeat(9), "]".repeat(9))));
        assert!(nests_too_deep(&format!("$[?{}@{}]", "(".repeat(64), ")".repeat(64))));
        assert!(!nests_too_deep(&format!("$['{}']", "[?".repeat(100))));
        assert!(!nests_too_deep(&"$[?@.a]".repeat(20)));
    }
}
