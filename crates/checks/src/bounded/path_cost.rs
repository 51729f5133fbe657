//! How many places a path of RFC 9535 may lead through, before it is followed.
//!
//! A list of places may have the same place several times. A name or an index keeps that number, a wildcard, a slice and a filter
//! too, since each place has one parent; several selectors in one pair of brackets add up. Below `..` each place is reached once
//! from each of its ancestors, so the number grows by the depth of the value. A filter follows its own paths at each place it
//! looks at.
//!
//! The path was understood by the parser of the library before; what is not understood here has no bound.

use serde_json_path::JsonPath;

use super::schema_cost::pattern_size;
use super::{CHEAP, Weight};

/// How deep filters may be within each other, and brackets of either kind: the parser of the library takes twice as long for each
/// further level, and no memory is enough for very many.
const FILTERS: usize = 8;
const BRACKETS: usize = 64;

/// What `match` and `search` cost, which compile their pattern at each place, in visits; and where the pattern is a part of the
/// value.
const MATCHING: u64 = 1_000;
const MATCHING_ANYTHING: u64 = CHEAP;

/// Reads a path.
pub(super) fn parse(path: &str) -> Result<JsonPath, String> {
    JsonPath::parse(path).map_err(|error| error.to_string())
}

/// Whether filters, or brackets, are so deep within each other that the path must not be parsed.
pub(crate) fn nests_too_deep(path: &str) -> bool {
    let (mut open, mut filters): (Vec<bool>, usize) = (Vec::new(), 0);
    let mut scanner = Scanner::new(path);
    while let Some(letter) = scanner.next() {
        match letter {
            '\'' | '"' => scanner.skip_text(letter),
            '[' | '(' => {
                scanner.skip_spaces();
                let filter = letter == '[' && scanner.peek() == Some('?');
                filters += usize::from(filter);
                open.push(filter);
            }
            // A filter may also come second in its brackets.
            '?' if open.last() == Some(&false) => {
                filters += 1;
                open.pop();
                open.push(true);
            }
            ']' | ')' => filters -= usize::from(open.pop() == Some(true)),
            _ => {}
        }
        if filters > FILTERS || open.len() > BRACKETS {
            return true;
        }
    }
    false
}

/// What a path may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathCost(Option<Query>);

impl PathCost {
    /// Of a path that the library understood.
    pub(crate) fn of(path: &str) -> Self {
        let mut scanner = Scanner::new(path);
        Self(if scanner.next() == Some('$') { scanner.query(0).filter(|_| scanner.peek().is_none()) } else { None })
    }

    /// Whether it is quickly followed through a value of this weight.
    pub(crate) fn is_cheap(&self, weight: Weight) -> bool {
        self.0.as_ref().is_some_and(|query| {
            let most = if query.is_linear() { 10 * CHEAP } else { CHEAP };
            query.visits(weight) <= most
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Query(Vec<Segment>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Selector {
    /// A name or an index.
    One,
    /// A wildcard or a slice.
    Many,
    /// The paths in it, and what it costs beside them.
    Filter(Vec<Query>, u64),
}

impl Query {
    /// Whether it reaches each place at most once, and does nothing there: a worker would spend more on copying the value.
    fn is_linear(&self) -> bool {
        let plain = |selector: &Selector| matches!(selector, Selector::One | Selector::Many);
        self.0
            .iter()
            .all(|segment| !segment.descends && segment.selectors.len() == 1 && segment.selectors.iter().all(plain))
    }

    fn visits(&self, weight: Weight) -> u64 {
        // How many times the list has the same place, and how many different ones it has at most.
        let (mut times, mut places) = (1_u64, 1_u64);
        let mut visits = 1_u64;
        for Segment { descends, selectors } in &self.0 {
            let looked_at = if *descends {
                times = times.saturating_mul(weight.depth);
                places = weight.parts;
                times.saturating_mul(weight.parts)
            } else {
                times.saturating_mul(places)
            };
            for selector in selectors {
                let children = times.saturating_mul(weight.parts).min(looked_at.saturating_mul(weight.widest));
                visits = visits.saturating_add(match selector {
                    Selector::One => looked_at,
                    Selector::Many => looked_at.saturating_add(children),
                    Selector::Filter(queries, beside) => {
                        let each = queries.iter().map(|query| query.visits(weight)).fold(*beside, u64::saturating_add);
                        looked_at.saturating_add(children.saturating_mul(each.saturating_add(1)))
                    }
                });
            }
            if selectors.iter().any(|selector| *selector != Selector::One) {
                places = weight.parts;
            }
            times = times.saturating_mul(selectors.len().max(1) as u64);
        }
        visits
    }
}

struct Scanner<'p> {
    rest: std::iter::Peekable<std::str::Chars<'p>>,
}

impl<'p> Scanner<'p> {
    fn new(path: &'p str) -> Self {
        Self { rest: path.chars().peekable() }
    }

    fn next(&mut self) -> Option<char> {
        self.rest.next()
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn skip_spaces(&mut self) {
        while self.rest.next_if(char::is_ascii_whitespace).is_some() {}
    }

    /// Skips a text up to its closing quote, and returns it.
    fn text(&mut self, quote: char) -> String {
        let mut text = String::new();
        while let Some(letter) = self.next() {
            if letter == quote {
                break;
            }
            text.push(letter);
            if letter == '\\' {
                text.extend(self.next());
            }
        }
        text
    }

    fn skip_text(&mut self, quote: char) {
        self.text(quote);
    }

    /// Skips a name or a number; whether there was one.
    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(letter) =
            self.rest.next_if(|letter| letter.is_alphanumeric() || *letter == '_' || !letter.is_ascii())
        {
            word.push(letter);
        }
        (!word.is_empty()).then_some(word)
    }

    /// What follows `$` or `@`.
    fn query(&mut self, depth: usize) -> Option<Query> {
        if depth > FILTERS {
            return None;
        }
        let mut segments = Vec::new();
        loop {
            let mut ahead = self.rest.clone();
            while ahead.next_if(char::is_ascii_whitespace).is_some() {}
            if !matches!(ahead.peek(), Some('.' | '[')) {
                return Some(Query(segments));
            }
            self.skip_spaces();
            let mut descends = false;
            if self.take('.') {
                descends = self.take('.');
                if self.peek() != Some('[') {
                    let selector = if self.take('*') { Selector::Many } else { self.word().map(|_| Selector::One)? };
                    segments.push(Segment { descends, selectors: vec![selector] });
                    continue;
                }
            }
            if !self.take('[') {
                return None;
            }
            segments.push(Segment { descends, selectors: self.selectors(depth)? });
        }
    }

    /// What is between brackets, the closing one included.
    fn selectors(&mut self, depth: usize) -> Option<Vec<Selector>> {
        let mut selectors = Vec::new();
        loop {
            self.skip_spaces();
            let selector = match self.peek()? {
                '?' => {
                    self.next();
                    self.filter(depth)?
                }
                quote @ ('\'' | '"') => {
                    self.next();
                    self.skip_text(quote);
                    Selector::One
                }
                '*' => {
                    self.next();
                    Selector::Many
                }
                _ => {
                    let mut slice = false;
                    while let Some(letter) = self.rest.next_if(|letter| {
                        letter.is_ascii_digit() || matches!(letter, '-' | ':' | ' ' | '\t' | '\n' | '\r')
                    }) {
                        slice |= letter == ':';
                    }
                    if slice { Selector::Many } else { Selector::One }
                }
            };
            selectors.push(selector);
            self.skip_spaces();
            match self.next()? {
                ',' => {}
                ']' => return Some(selectors),
                _ => return None,
            }
        }
    }

    /// The rest of a filter, up to the comma or the bracket that ends it.
    fn filter(&mut self, depth: usize) -> Option<Selector> {
        let (mut queries, mut beside, mut parentheses) = (Vec::new(), 1_u64, 0_usize);
        // The patterns in it, and whether one of its functions compiles them.
        let (mut patterns, mut matches) = (0_u64, None);
        loop {
            match self.peek()? {
                ']' => break,
                ',' if parentheses == 0 => break,
                '$' | '@' => {
                    self.next();
                    queries.push(self.query(depth + 1)?);
                }
                quote @ ('\'' | '"') => {
                    self.next();
                    patterns = patterns.saturating_add(pattern_size(&self.text(quote)));
                }
                letter if letter.is_alphanumeric() || letter == '_' => {
                    let word = self.word()?;
                    if word == "match" || word == "search" {
                        matches = Some(matches.unwrap_or(0_u64) + 1);
                    }
                }
                letter => {
                    parentheses += usize::from(letter == '(');
                    parentheses = parentheses.saturating_sub(usize::from(letter == ')'));
                    beside = beside.saturating_add(1);
                    self.next();
                }
            }
        }
        if let Some(matches) = matches {
            // Without a text in the filter the pattern comes from the value.
            let each = if patterns == 0 { MATCHING_ANYTHING } else { MATCHING.saturating_add(patterns) };
            beside = beside.saturating_add(each.saturating_mul(matches));
        }
        Some(Selector::Filter(queries, beside))
    }
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
        PathCost::of(path).is_cheap(Weight::of(value))
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
    fn what_multiplies_is_dear() {
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

    /// The number of places is never larger than what is estimated.
    #[test]
    fn an_estimate_is_no_less_than_what_is_found() {
        let value = json!({ "a": [[1, [2]], { "b": [3, { "a": [4] }] }], "b": { "a": { "b": [5, 6] } } });
        for path in
            ["$..*", "$..*..*", "$..*..*..*", "$..a..b..*", "$.*.*.*", "$..[0, 0, *]", "$[*,*]..[*,*]", "$..[?@..*]"]
        {
            let found = parse(path).unwrap().query(&value).len() as u64;
            let PathCost(Some(query)) = PathCost::of(path) else { panic!("{path}") };
            assert!(query.visits(Weight::of(&value)) >= found, "{path}");
        }
    }

    #[test]
    fn paths_that_take_long_to_parse_are_known() {
        let nested = |levels: usize| format!("${}{}", "[?@".repeat(levels), "]".repeat(levels));
        assert!(!nests_too_deep(&nested(FILTERS)));
        assert!(nests_too_deep(&nested(FILTERS + 1)));
        assert!(nests_too_deep(&format!("${}{}", "[0, ?@".repeat(9), "]".repeat(9))));
        assert!(nests_too_deep(&format!("$[?{}@{}]", "(".repeat(64), ")".repeat(64))));
        assert!(!nests_too_deep(&format!("$['{}']", "[?".repeat(100))));
        assert!(!nests_too_deep(&"$[?@.a]".repeat(20)));
    }
}
