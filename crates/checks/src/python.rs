//! Reads data as Python prints it: `str()` and `repr()` of dictionaries, lists, tuples, strings, numbers, `True`,
//! `False` and `None`.
//!
//! Tools written in Python often return `str(result)`. Only a text that is one literal as a whole is read: sets have no
//! order, and `Decimal('1')` or `<Order 7>` is not data.

use serde_json::Value;

/// The deepest nesting, as in JSON.
const DEPTH: usize = 128;

pub(crate) fn literal(text: &str) -> Option<Value> {
    let mut reader = PythonReader { rest: text.trim() };
    let value = reader.value(DEPTH)?;
    reader.space();
    reader.rest.is_empty().then_some(value)
}

struct PythonReader<'t> {
    rest: &'t str,
}

impl PythonReader<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.space();
        match self.rest.chars().next()? {
            '{' => {
                let (pairs, _) = self.items('}', |reader| reader.pair(depth))?;
                Some(Value::Object(pairs.into_iter().collect()))
            }
            '[' => self.items(']', |reader| reader.value(depth)).map(|(items, _)| Value::Array(items)),
            '(' => {
                let (mut items, comma) = self.items(')', |reader| reader.value(depth))?;
                // One value in parentheses is that value; a tuple of one has a comma.
                if items.len() == 1 && !comma { items.pop() } else { Some(Value::Array(items)) }
            }
            '\'' | '"' => self.text().map(Value::String),
            _ => self.word(),
        }
    }

    fn pair(&mut self, depth: usize) -> Option<(String, Value)> {
        let key = match self.value(depth)? {
            Value::String(text) => text,
            // JSON keys are strings.
            key @ (Value::Number(_) | Value::Bool(_) | Value::Null) => key.to_string(),
            _ => return None,
        };
        self.take(':').then_some(())?;
        Some((key, self.value(depth)?))
    }

    /// Reads the items up to the `end` character; also returns whether a comma follows the last.
    fn items<T>(&mut self, end: char, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<(Vec<T>, bool)> {
        self.rest = self.rest.get(1..)?;
        let (mut items, mut comma) = (Vec::new(), false);
        while !self.ends(end) {
            items.push(item(self)?);
            comma = self.take(',');
            if !comma {
                break;
            }
        }
        self.take(end).then_some((items, comma))
    }

    fn text(&mut self) -> Option<String> {
        let mut letters = self.rest.chars();
        let quote = letters.next()?;
        let mut text = String::new();
        loop {
            match letters.next()? {
                '\n' => return None,
                '\\' => text.push(escape(&mut letters)?),
                letter if letter == quote => break,
                letter => text.push(letter),
            }
        }
        self.rest = letters.as_str();
        Some(text)
    }

    fn word(&mut self) -> Option<Value> {
        let end = self.rest.find([',', ']', '}', ')', ':']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word.trim_end() {
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            "None" => Some(Value::Null),
            number if number.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) => {
                serde_json::from_str(number).ok().map(Value::Number)
            }
            _ => None,
        }
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn ends(&mut self, end: char) -> bool {
        self.space();
        self.rest.starts_with(end)
    }

    fn take(&mut self, sign: char) -> bool {
        let found = self.ends(sign);
        if found {
            self.rest = &self.rest[sign.len_utf8()..];
        }
        found
    }
}

fn escape(letters: &mut std::str::Chars<'_>) -> Option<char> {
    let digits = match letters.next()? {
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        same @ ('\\' | '\'' | '"') => return Some(same),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let code: String = letters.by_ref().take(digits).collect();
    let whole = code.len() == digits && code.chars().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(&code, 16).ok().filter(|_| whole).and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parses_python_literals() {
        for (text, value) in [
            ("{'id': 'A-17', 'paid': True, 'note': None}", json!({"id": "A-17", "paid": true, "note": null})),
            ("[1, -2.5, 1e+16, False]", serde_json::from_str("[1, -2.5, 1e+16, false]").unwrap()),
            ("(1, 2)", json!([1, 2])),
            ("(1,)", json!([1])),
            ("()", json!([])),
            ("(1)", json!(1)),
            ("{}", json!({})),
            (" {'a': [{'b': ()}],} ", json!({"a": [{"b": []}]})),
            (r#"{"it's": 'a "b"', 'c': 'it\'s'}"#, json!({"it's": "a \"b\"", "c": "it's"})),
            (r"'caf\xe9 \u20ac \U0001f600 \\ \n\t\r'", json!("café € 😀 \\ \n\t\r")),
            ("{1: 'one', True: 'yes', None: 'no'}", json!({"1": "one", "true": "yes", "null": "no"})),
            ("True", json!(true)),
            ("123.45", serde_json::from_str("123.45").unwrap()),
            ("12345678901234567890123", serde_json::from_str("12345678901234567890123").unwrap()),
        ] {
            assert_eq!(literal(text), Some(value), "{text}");
        }
    }

    #[test]
    fn refuses_text_that_is_not_a_literal() {
        for text in [
            "",
            "{'a'}",
            "{'a', 'b'}",
            "{'a': 1",
            "[1 2]",
            "[,]",
            "nan",
            "inf",
            "Decimal('1')",
            "<Order 7>",
            "'open",
            "paid",
            "{'a': datetime.date(2024, 1, 1)}",
            "[1] [2]",
            "order 7",
            "'\\ud800'",
            "'\\x+1'",
            "{[1]: 2}",
            "true",
            "'a' 'b'",
            "-",
            "01",
        ] {
            assert_eq!(literal(text), None, "{text}");
        }
        assert_eq!(literal(&"[".repeat(100_000)), None);
        assert_eq!(literal(&("(".repeat(1_000) + &")".repeat(1_000))), None);
    }
}
