//! Reads values, objects and lists.

use std::collections::HashMap;

use agentci_source::{Content, Diagnostic, Diagnostics, FileId, Key, Name, Node, Pair};

use super::cursor::{Cursor, TextPlace};
use super::word::shown;

/// Maximum nesting depth of values.
const DEPTH_LIMIT: usize = 100;

/// Reads a single value. Comments and trailing commas are allowed.
pub(crate) fn document(text: &str, file: FileId) -> Result<Node, Diagnostic> {
    let mut cursor = Cursor::new(text, file, true);
    cursor.blank()?;
    let node = value(&mut cursor, 0)?;
    cursor.blank()?;
    if cursor.peek().is_some() {
        return Err(Diagnostic::error(cursor.point(cursor.at()), "unexpected content after the value")
            .label("expected the end of the file")
            .help("a bracket may be closed too early"));
    }
    Ok(node)
}

/// Reads all values of a text. After an error, reading continues at the next line that begins with `{`.
pub(crate) fn stream(text: &str, file: FileId, problems: &mut Diagnostics) -> Vec<Node> {
    let mut cursor = Cursor::new(text, file, false);
    let mut nodes = Vec::new();
    loop {
        let read = cursor.blank().and_then(|()| cursor.peek().map(|_| value(&mut cursor, 0)).transpose());
        match read {
            Ok(Some(node)) => nodes.push(node),
            Ok(None) => return nodes,
            Err(problem) => {
                problems.push(problem);
                if !cursor.next_object() {
                    return nodes;
                }
            }
        }
    }
}

/// Reads the first value of a text; `None` if it is invalid.
pub(crate) fn first(text: &str, file: FileId) -> Option<Node> {
    let mut cursor = Cursor::new(text, file, false);
    cursor.blank().ok()?;
    value(&mut cursor, 0).ok()
}

fn value(cursor: &mut Cursor<'_>, depth: usize) -> Result<Node, Diagnostic> {
    let start = cursor.at();
    let opens = matches!(cursor.peek(), Some('{' | '['));
    if opens && depth >= DEPTH_LIMIT {
        let message = format!("nested more than {DEPTH_LIMIT} levels deep");
        return Err(Diagnostic::error(cursor.point(start), message).label("too deep"));
    }
    let content = match cursor.peek() {
        Some('{') => Content::Map(object(cursor, depth)?.into()),
        Some('[') => Content::List(list(cursor, depth)?.into()),
        Some('"') => Content::Scalar(agentci_source::Scalar::quoted(cursor.text()?)),
        Some('\'') => {
            return Err(Diagnostic::error(cursor.point(start), "a string begins with a single quote")
                .label("expected `\"`")
                .help("JSON strings are in double quotes"));
        }
        _ => Content::Scalar(cursor.word()?),
    };
    Ok(Node { span: cursor.since(start), content })
}

fn object(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<Pair>, Diagnostic> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut written: HashMap<Name, u32> = HashMap::new();
    members(cursor, ['{', '}'], |cursor, open| {
        let start = cursor.at();
        if cursor.peek() != Some('"') {
            return Err(missing(cursor, open, '{', "a key in double quotes"));
        }
        let key = Key { text: cursor.text()?.into(), span: cursor.since(start) };
        if let Some(line) = written.insert(key.text.clone(), key.span.line) {
            let message = format!("the key `{}` is written twice", key.text.escape_debug());
            return Err(Diagnostic::error(key.span, message).label(format!("first written at line {line}")));
        }
        cursor.blank()?;
        if !cursor.takes(':') {
            return Err(missing(cursor, open, '{', "`:`"));
        }
        cursor.blank()?;
        if cursor.peek().is_none() {
            return Err(missing(cursor, open, '{', "a value"));
        }
        pairs.push(Pair { key, value: value(cursor, depth + 1)? });
        Ok(())
    })?;
    Ok(pairs)
}

fn list(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<Node>, Diagnostic> {
    let mut items = Vec::new();
    members(cursor, ['[', ']'], |cursor, open| {
        if cursor.peek().is_none() {
            return Err(missing(cursor, open, '[', "a value"));
        }
        items.push(value(cursor, depth + 1)?);
        Ok(())
    })?;
    Ok(items)
}

/// Reads the comma-separated members between two brackets.
fn members<'t>(
    cursor: &mut Cursor<'t>,
    [bracket, close]: [char; 2],
    mut member: impl FnMut(&mut Cursor<'t>, TextPlace) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let open = cursor.at();
    cursor.take();
    cursor.blank()?;
    if cursor.takes(close) {
        return Ok(());
    }
    loop {
        member(cursor, open)?;
        cursor.blank()?;
        if cursor.takes(close) {
            return Ok(());
        }
        if !cursor.takes(',') {
            return Err(missing(cursor, open, bracket, &format!("`,` or `{close}`")));
        }
        cursor.blank()?;
        if cursor.lax && cursor.takes(close) {
            return Ok(());
        }
    }
}

fn missing(cursor: &Cursor<'_>, open: TextPlace, bracket: char, wanted: &str) -> Diagnostic {
    match cursor.peek() {
        None => Diagnostic::error(cursor.point(open), format!("`{bracket}` is never closed"))
            .label("begins here")
            .help("add the closing bracket"),
        Some('}' | ']') if wanted.starts_with("a key") => {
            Diagnostic::error(cursor.point(cursor.at()), "trailing comma")
                .label(format!("expected {wanted}"))
                .help("remove the comma before it")
        }
        Some(found) => {
            Diagnostic::error(cursor.point(cursor.at()), format!("expected {wanted}, found `{}`", shown(found)))
                .label(format!("expected {wanted}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::{Reading, Sources};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn file(text: &str) -> FileId {
        Sources::default().add(Path::new("a.jsonl"), text)
    }

    fn values(text: &str) -> (Vec<Value>, Vec<String>) {
        let mut problems = Diagnostics::default();
        let nodes = stream(text, file(text), &mut problems);
        let told = |problem: &Diagnostic| format!("{}:{} {}", problem.span.line, problem.span.column, problem.message);
        (nodes.iter().map(|node| node.value(Reading::Core).unwrap()).collect(), problems.iter().map(told).collect())
    }

    #[test]
    fn values_can_share_or_span_lines() {
        let (found, problems) = values("{\"a\": 1} {\"a\":2}\n\n// a note\n  {\n  \"a\": [\n 3, -0.5e+2]\n}\n\"x\"\n");
        assert_eq!(
            found,
            [json!({"a": 1}), json!({"a": 2}), json!({"a": [3, -50.0]}), json!("x")].each_ref().map(round)
        );
        assert_eq!(problems, Vec::<String>::new());
    }

    /// Numbers keep their digits, so the expected number is parsed from the same digits.
    fn round(value: &Value) -> Value {
        serde_json::from_str(&value.to_string().replace("-50.0", "-0.5e+2")).unwrap()
    }

    #[test]
    fn reports_errors_with_location_and_continues() {
        let (found, problems) = values(
            "{\"a\": 1,}\n{\"a\": yes}\n{\"a\": \"x\n{\"b\": 1, \"b\": 2}\n{\"é\": 'x'}\n{\"a\" 1}\n{\"a\": 1\n{\"a\": 01}\n{\"ok\": true}\n[1",
        );
        assert_eq!(found, [json!({"ok": true})]);
        assert_eq!(
            problems,
            [
                "1:9 trailing comma",
                "2:7 `yes` is not a JSON value",
                "3:7 a string is never closed",
                "4:10 the key `b` is written twice",
                "5:7 a string begins with a single quote",
                "6:6 expected `:`, found `1`",
                "8:1 expected `,` or `}`, found `{`",
                "8:7 `01` is not a JSON value",
                "10:1 `[` is never closed",
            ]
        );
    }

    #[test]
    fn accepts_comments_and_trailing_commas() {
        let text = "// one\n{ /* two\n */ \"a\": [1, 2,], // three\n \"b\": \"//\", }\n";
        assert_eq!(document(text, file(text)).unwrap().value(Reading::Core), Ok(json!({"a": [1, 2], "b": "//"})));
        for (text, message) in [
            ("{} {}", "unexpected content after the value"),
            ("/* {}", "a comment is never closed"),
            ("", "expected a value, found the end of the file"),
        ] {
            assert_eq!(document(text, file(text)).unwrap_err().message, message);
        }
    }

    #[test]
    fn decodes_escapes_and_refuses_invalid_escapes() {
        assert_eq!(values(r#""\ud83d\ude00 \n\/\u00e9""#).0, [json!("😀 \n/é")]);
        for text in [r#""\ud83d""#, r#""\ude00""#, r#""\q""#, r#""\u12""#, "\"a\tb\"", r#""\ud83d\u0041""#] {
            assert_eq!(values(text).1.len(), 1, "{text}");
        }
    }

    #[test]
    fn nesting_depth_is_limited() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(values(&nested(100)).1, Vec::<String>::new());
        assert_eq!(values(&nested(101)).1[0], "1:101 nested more than 100 levels deep");
    }

    proptest! {
        #[test]
        fn never_panics_on_arbitrary_text(text in "[\\[\\]{},:\"'\\\\a0-9.eE+tru \\n\\r/*é\u{2028}]{0,60}") {
            let mut problems = Diagnostics::default();
            stream(&text, file(&text), &mut problems);
            let _ = document(&text, file(&text));
            for problem in &problems {
                prop_assert!(problem.span.line >= 1 && problem.span.column >= 1 && problem.span.width >= 1);
            }
        }

        #[test]
        fn agrees_with_serde_json(text in any::<String>(), number in any::<f64>(), whole in any::<i64>()) {
            let value = json!({ "text": text, "list": [number, whole, null, true, { "text": text }] });
            for written in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                prop_assert_eq!(values(&written), (vec![value.clone()], vec![]));
            }
        }
    }
}
