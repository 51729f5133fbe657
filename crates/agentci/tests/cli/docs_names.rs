//! Verifies that the checks, keys, flags and values named in backticks on the pages exist.
//!
//! What counts as such a name:
//!
//! - flags: in a span that begins with `-`, each word that begins with `-`
//! - keys: in a span of YAML (`key: value`, `{ key: .. }`), in a path (`world.tools`), after the word "key", and in the
//!   first column of a table of keys
//! - checks: after the word "check", in the first column of a table of checks, and in lists of checks in YAML blocks
//! - any of these: a span that is a single word with an underscore
//!
//! Other spans are ignored, because they are too often ordinary words.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use agentci::source::{Node, Sources, did_you_mean, yaml};
use regex::Regex;

use crate::docs_page::{Page, files_below, text_of};
use crate::docs_vocabulary::{ELSEWHERE, Kind, Vocabulary};

static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[([^\]]*)\]\([^)\s]+\)"));
static SPAN: LazyLock<Regex> = LazyLock::new(|| pattern(r"`([^`]+)`"));
static FLAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[\s|])(--[a-z][a-z-]*|-[a-zA-Z]\b)"));
static YAML: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:- |\[?\{ ?)?[a-z]\w*:(?: |$)"));
static KEY: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|[{,\[-] *)([a-z]\w*):(?: |$)"));
static DOTTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[a-z]\w*(?:\.[a-z]\w*)+$"));
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[a-z]+(?:_[a-z0-9]+)+$"));
static FIRST_CELL: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\|[^|\n]*"));
static LEADING: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[a-z]\w*"));
/// One or more names after the word "check" or "key".
static SAID: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(check|key)s? ((?:`[^`]+`(?:, and |, or |, | and | or )?)+)"));
/// A name before the word "check" or "key".
static SAID_AFTER: LazyLock<Regex> = LazyLock::new(|| pattern(r"`([a-z]\w*)` (check|key)\b"));

/// Headings of the first column of tables of keys.
const KEYS: [&str; 3] = ["key", "expectation", "budget"];

/// Extensions of files, and the last labels of host names.
const FILES: [&str; 11] = ["yaml", "yml", "json", "jsonl", "csv", "md", "js", "ts", "py", "com", "internal"];

/// A name and its kind.
type Named = (Kind, String);

fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// The names in a span of code.
fn in_span(span: &str, known: &Vocabulary) -> Vec<Named> {
    if span.starts_with('-') && !span.starts_with("- ") {
        return FLAG.captures_iter(span).map(|found| (Kind::Flag, found[1].to_owned())).collect();
    }
    if YAML.is_match(span) {
        return KEY.captures_iter(span).map(|found| (Kind::Key, found[1].to_owned())).collect();
    }
    if DOTTED.is_match(span) {
        let parts: Vec<&str> = span.split('.').collect();
        let of_keys = known.has(Kind::Key, parts[0]) && !FILES.contains(&parts[parts.len() - 1]);
        return parts.iter().filter(|_| of_keys).map(|part| (Kind::Key, (*part).to_owned())).collect();
    }
    WORD.is_match(span).then(|| (Kind::Any, span.to_owned())).into_iter().collect()
}

/// The names in a line of text. If the line is part of a table, `heading` is the heading of its first column.
fn in_line(line: &str, heading: Option<&str>, known: &Vocabulary) -> Vec<Named> {
    let line = LINK.replace_all(line, "$1");
    let mut named: Vec<Named> = SPAN.captures_iter(&line).flat_map(|found| in_span(&found[1], known)).collect();
    let mut add = |kind, span: &str| named.extend(LEADING.find(span).map(|name| (kind, name.as_str().to_owned())));
    let kind = |word: &str| if word == "check" { Kind::Check } else { Kind::Key };
    for found in SAID.captures_iter(&line) {
        SPAN.captures_iter(&found[2]).for_each(|span| add(kind(&found[1]), &span[1]));
    }
    for found in SAID_AFTER.captures_iter(&line) {
        add(kind(&found[2]), &found[1]);
    }
    let first = heading.and_then(|heading| heading.split(' ').next()).unwrap_or_default();
    let of_table = match first {
        "check" => Some(Kind::Check),
        word => KEYS.contains(&word).then_some(Kind::Key),
    };
    if let Some(kind) = of_table {
        let cell = line.split('|').nth(1).unwrap_or_default();
        SPAN.captures_iter(cell).for_each(|span| add(kind, &span[1]));
    }
    named
}

/// The names in a text, each with its line number.
fn in_text(text: &str, known: &Vocabulary) -> Vec<(usize, Named)> {
    let (mut code, mut heading, mut named) = (false, None, Vec::new());
    for (at, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        if code || fence {
            continue;
        }
        let cell = line.strip_prefix('|').and_then(|row| row.split('|').next()).map(str::trim);
        heading = cell.and_then(|cell| heading.or(Some(cell)));
        named.extend(in_line(line, heading, known).into_iter().map(|name| (at + 1, name)));
    }
    named
}

/// The names of checks in lists of checks, anywhere in a document.
fn in_node(node: &Node, named: &mut Vec<Named>) {
    for pair in node.pairs().unwrap_or_default() {
        let checks = if pair.key.text == "checks" { pair.value.items().unwrap_or_default() } else { &[] };
        for check in checks {
            in_check(check, named);
        }
        in_node(&pair.value, named);
    }
    node.items().unwrap_or_default().iter().for_each(|item| in_node(item, named));
}

fn in_check(check: &Node, named: &mut Vec<Named>) {
    for pair in check.pairs().unwrap_or_default() {
        match pair.key.text.as_str() {
            "not" => in_check(&pair.value, named),
            "message" => {}
            name => named.push((Kind::Check, name.to_owned())),
        }
    }
}

/// Every name on a page, with its line number. In the guides for users of other tools, the first column of tables is
/// ignored: it lists names of those tools.
fn in_page(path: &str, known: &Vocabulary) -> Vec<(usize, Named)> {
    let mut text = text_of(path);
    if path.starts_with("docs/guides/moving-from-") {
        text = FIRST_CELL.replace_all(&text, "|").into_owned();
    }
    let mut named = in_text(&text, known);
    for block in Page::read(path).blocks().filter(|block| block.language == "yaml") {
        let file = Sources::default().add(Path::new(path), block.text.as_str());
        let node = yaml::parse(&block.text, file).unwrap_or_else(|error| panic!("{path}:{}: {error:?}", block.line));
        let mut checks = Vec::new();
        in_node(&node, &mut checks);
        named.extend(checks.into_iter().map(|name| (block.line, name)));
    }
    named
}

#[test]
fn names_in_docs_exist() {
    let known = Vocabulary::read();
    let elsewhere: BTreeSet<&str> = ELSEWHERE.iter().flat_map(|(_, names)| names.split_whitespace()).collect();
    let (mut wrong, mut used, mut seen) = (Vec::new(), BTreeSet::new(), 0);
    for path in files_below("docs", "md").into_iter().chain(["README.md", "CONTRIBUTING.md"].map(str::to_owned)) {
        for (line, (kind, name)) in in_page(&path, &known) {
            seen += 1;
            if known.has(kind, &name) {
                continue;
            }
            if let Some(name) = elsewhere.get(name.as_str()) {
                used.insert(*name);
                continue;
            }
            let meant = did_you_mean(&name, known.names(kind)).map(|meant| format!("; did you mean `{meant}`?"));
            wrong.push(format!("{path}:{line}: no {} `{name}`{}", kind.noun(), meant.unwrap_or_default()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 1000, "only {seen} names were found");
    let stale: Vec<_> = elsewhere.difference(&used).collect();
    assert!(stale.is_empty(), "in `ELSEWHERE` without need: {stale:?}");
}

#[test]
fn finds_names_in_context() {
    let known = Vocabulary::read();
    let unknown = |text: &str| -> Vec<String> {
        let named = in_text(text, &known).into_iter().map(|(_, named)| named);
        named.filter(|(kind, name)| !known.has(*kind, name)).map(|(_, name)| name).collect()
    };
    assert_eq!(unknown("`tool_called`, `tool_order` and limits look at those calls."), ["tool_order"]);
    assert_eq!(unknown("The checks `contains`, `has` and [`matches`](a.md) do."), ["has"]);
    assert_eq!(unknown("Use the `having` check, or the key `casez`."), ["casez", "having"]);
    assert_eq!(unknown("`--tag a --tga b`, `-o FILE`, `-Z`, `- a`"), ["--tga", "-Z"]);
    assert_eq!(unknown("`target: { proces: { command: [a] } }` and `case:`"), ["proces", "case"]);
    assert_eq!(unknown("`world.tools.casette` is not `world.json`."), ["casette"]);
    assert_eq!(unknown("| key | value |\n|---|---|\n| `suite` | `a` |\n| `caze` | `b` |\n"), ["caze"]);
    assert_eq!(unknown("```yaml\ncasez: `tool_order`\n```\nordinary `words` here\n"), [""; 0]);
}

#[test]
fn finds_checks_in_yaml_blocks() {
    let text = "checks: [{ a: b, message: c }]\ncases: [{ id: d, checks: [{ not: { e: f } }] }]\nkeys: [{ g: h }]\n";
    let node = yaml::parse(text, Sources::default().add(Path::new("a.yaml"), text)).unwrap();
    let mut named = Vec::new();
    in_node(&node, &mut named);
    assert_eq!(named, [(Kind::Check, "a".to_owned()), (Kind::Check, "e".to_owned())]);
}
