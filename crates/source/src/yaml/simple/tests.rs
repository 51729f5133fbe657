//! Both readers make the same tree, of what people write and of what nobody would.

use std::path::Path;

use crate::Sources;
use proptest::prelude::*;

use super::*;
use crate::yaml::parse::parse_anything;

/// Whether the text is read here; if it is, the parser must agree.
fn reads(text: &str) -> bool {
    let file = Sources::default().add(Path::new("a.yaml"), text);
    let Some(tree) = read(text, file) else { return false };
    let parsed = parse_anything(text, file).unwrap_or_else(|error| panic!("{error:?} in {text:?}"));
    assert_eq!(tree, parsed, "{text:?}");
    true
}

#[test]
fn what_most_suites_are_made_of_is_read_here() {
    for text in [
        "a: 1\n",
        "a: 1",
        "# c\n\na: 1 # c\n\n# d\nb: 'it''s' # c\nc: \"x \\\"y\\\" \\\\ \\n\\t.\"\n",
        "suite: s\ncases:\n  - id: a\n    input: { q: one two }\n    checks: [{ contains: x }, valid_json]\n  - id: b\n",
        "suite: s\ncases:\n- id: a\n  x: [1, 2,]\n- id: b\nlast: {}\n",
        "- - a\n  - b\n- c: d\n  e:\n    - f\n",
        "a:\n  b:\n    c: http://x.y:80/z#w\n  d: -5\n  e: a-b, c\n",
        "\"a b\": x\n'c': { \"d\":1, e: [ ] }\n",
        "één: ü x\nx: [é, 'ñ: 1'] # ö\n",
        "  a: 1\n  b: 2\n",
        "{a: 1}\n",
        "[]",
        "a:\n  text\nb:\n  { c: d }\n",
        "-\n  a: 1\n-\n  - 2\n",
        "a: b:c\nd: x#y\ne: 'z' #c\n",
    ] {
        assert!(reads(text), "{text:?}");
    }
}

#[test]
fn everything_else_is_left_to_the_parser() {
    for text in [
        "",
        "# c\n",
        "a:\n",
        "a: &x 1\n",
        "a: *x\n",
        "a: !!str 1\n",
        "a: |\n  x\n",
        "a: >\n  x\n",
        "a: one\n  two\n",
        "a: 'one\n  two'\n",
        "a: [1,\n  2]\n",
        "\ta: 1\n",
        "a: 1\r\n",
        "---\na: 1\n",
        "a: 1\n...\n",
        "%YAML 1.2\n",
        "? a\n: b\n",
        "<<: { a: 1 }\n",
        "a: { <<: { b: 1 } }\n",
        "a: 1\na: 2\n",
        "a: { b: 1, b: 2 }\n",
        "a: b: c\n",
        "a: [b: c]\n",
        "a: { b }\n",
        "a: { b: }\n",
        "a: [,]\n",
        "a: 1\n b: 2\n",
        "  a: 1\n b: 2\n",
        "a: - b\n",
        "a: @x\n",
        "a: \"\\u0041\"\n",
        "a: 'x' y\n",
        "a: [1] x\n",
        "- a\nb: c\n",
        "a: \"x\n",
        "a\n",
        "a: \u{85}x\n",
    ] {
        assert!(!reads(text) || text == "a\n", "{text:?}");
    }
    let deep = format!("a: {}{}\n", "[".repeat(90), "]".repeat(90));
    assert!(!reads(&deep));
    assert!(!reads(&format!("{}: 1\n", "k".repeat(1100))));
    // What is written counts, not what it means.
    assert!(!reads(&format!("\"{}\": 1\n", "\\n".repeat(600))));
    assert!(!reads(&format!("'{}': 1\n", "''".repeat(600))));
    // Columns of a long line are counted by the parser, which does so once.
    let long = |letter: &str| format!("a: [{}x]\n", format!("{letter}, ").repeat(2000));
    assert!(reads(&long("e")) && !reads(&long("é")));
}

/// Pieces that mean something in YAML, thrown together.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a", "b", "key", "é", "1", "-", "- ", "-\n", ": ", ":", ":\n", " ", "  ", "    ", "\n", "\n  ", "\n    ",
        "\n- ", "\n  - ", "#", " # c", "'", "''", "'x'", "\"", "\"y\"", "\\", "\\n", "{", "}", "{ a: 1 }", "[", "]",
        "[b, c]", ",", ", ", "&a", "*a", "!", "|", ">", "%", "@", "`", "?", "? ", "~", "null", "<<", "---", "...",
        "\t", "a: b", "c: d\n", "\u{2028}", "\u{feff}",
    ])
}

/// Lines that look like a suite, with something odd now and then.
fn line() -> impl Strategy<Value = String> {
    let indent = prop::sample::select(vec!["", "", "  ", "  ", "    ", "      ", " "]);
    let dash = prop::sample::select(vec!["", "", "", "- ", "-   ", "- - "]);
    let key = prop::sample::select(vec!["a: ", "b: ", "key: ", "'q': ", "\"r\": ", "é: ", "c:", "", "x y: ", "d:  "]);
    let value = prop_oneof![
        8 => prop::sample::select(vec![
            "", "x", "one two", "'it''s'", "\"t\\n\"", "{ a: 1, b: [x, 'y'] }", "[]", "{}", "[a, { b: c }]", "-1", "a:b",
            "x # c", "# c", "\"\"", "''", "~", "http://a.b/c#d", "é ü", "a, b", "x - y", "[a]  ", "true",
        ]).prop_map(str::to_owned),
        1 => prop::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.concat()),
    ];
    (indent, dash, key, value).prop_map(|(indent, dash, key, value)| format!("{indent}{dash}{key}{value}\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn both_agree_on_lines(lines in prop::collection::vec(line(), 1..12)) {
        reads(&lines.concat());
    }

    #[test]
    fn both_agree_on_scraps(pieces in prop::collection::vec(piece(), 0..20)) {
        reads(&pieces.concat());
    }

    #[test]
    fn both_agree_on_any_text(text in "[ a-c:\\-#'\"{}\\[\\],&*!|>%@\\n\u{e9}]{0,40}") {
        reads(&text);
    }
}
