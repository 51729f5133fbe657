//! Generates strings, numbers and the arguments of checks.

use std::path::Path;

use agentci_plan::{Check, Data};
use agentci_source::{Node, Sources, Span, join};
use proptest::prelude::*;
use proptest::{collection, option, sample};
use serde_json::{Number, Value};

pub(crate) fn span() -> Span {
    Span::whole(Sources::default().add(Path::new("x"), ""))
}

/// Strings that are difficult for a reader of YAML or of templates.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let odd = sample::select(vec![
        "",
        "~",
        "null",
        "yes",
        "NO",
        "1e3",
        "010",
        "1:30",
        "0x1F",
        ".inf",
        "2024-01-31",
        "- a",
        "? a",
        "a: b",
        "a #b",
        "#a",
        "'a'",
        "\"a\"",
        "[a]",
        "{a}",
        "<<",
        "&a",
        "*a",
        "!a",
        "@a",
        "`a",
        "%a",
        "|",
        ">",
        "${A}",
        "$${A}",
        "$$${A",
        "${A:-b}",
        "a ${ENV.B} c",
        "$",
        "a\nb",
        "\n",
        " a ",
        "\ta",
        "\r\n",
        "\\",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{ffff}",
        "é",
        "日本",
        "🦀",
        "---",
        "...",
        "none",
        "true",
        "5m",
    ]);
    prop_oneof![odd.prop_map(str::to_owned), any::<String>(), "[a-z][a-z ./:${}A-Z-]{0,12}"]
}

/// An argument of a command that does not name a file or folder of the suite, as `a/..` would.
pub(crate) fn argument() -> impl Strategy<Value = String> {
    let there = |word: &str| ["", "s", "s/agentci.yaml"].map(Path::new).contains(&&*join(Path::new("s"), word));
    text().prop_filter("names something of the suite", move |word| !there(word))
}

pub(crate) fn name() -> impl Strategy<Value = String> {
    text().prop_map(|text| if text.trim().is_empty() { "name".to_owned() } else { text })
}

pub(crate) fn number() -> impl Strategy<Value = Value> {
    "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,30})?(e[+-]?[0-9]{1,4})?"
        .prop_map(|digits| digits.parse::<Number>().map_or(Value::Null, Value::Number))
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::Bool), number(), text().prop_map(Value::String)];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            collection::vec((text(), inner), 0..5).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

pub(crate) fn object() -> impl Strategy<Value = Value> {
    collection::vec((text(), value()), 0..5).prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
}

pub(crate) fn check() -> impl Strategy<Value = Check> {
    let kind = name().prop_filter("keys of their own", |kind| kind != "not" && kind != "message");
    (kind, value(), any::<bool>(), option::of(text())).prop_map(|(kind, arguments, negate, message)| {
        let templated = Data::parse(&arguments).as_literal().is_none();
        let arguments = Node::from_value(&arguments, span());
        Check { negate, templated, ..Check::new(kind, span(), arguments).with_message(message) }
    })
}
