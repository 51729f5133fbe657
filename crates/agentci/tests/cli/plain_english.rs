//! Phrases that made texts hard to read stay out of docs, help texts, messages and schemas. The words alone are good English in
//! many places, so each pattern has enough context to mean the habit; bare words are refused only in help texts.

use std::fs;
use std::sync::LazyLock;

use regex::Regex;

use crate::docs_page::{files_below, project, text_of};
use crate::suite::Suite;

/// A pattern, and what to write instead.
type Phrase = (&'static str, &'static str);

const EVERYWHERE: [Phrase; 24] = [
    (r"\b[Cc]an not\b", "cannot"),
    (r"\b(?:is|are|was|were|be) told\b(?: (?:of|so|at once|apart))?", "is reported"),
    (r"\bcome(?:s)? to\b (?:that|nothing|an end)", "results in"),
    (r"\bwhat (?:it|a \w+|the \w+) comes to\b", "the result"),
    (r"\bbecomes? of\b", "the result"),
    (r"\bspoken here\b", "is not supported"),
    (r"\b[Nn]obody\b", "name who or what: no tool, no observer, nothing"),
    (r"\b[Ww]hoever\b", "name who"),
    (r"\btruth values?\b", "boolean"),
    (r"\bwhole numbers?\b", "integer"),
    (r"\bon the way up\b", "parent directory"),
    (r"\bletter for letter\b", "exactly"),
    (r"\bcapital (?:and|or) small letters\b", "case-insensitive"),
    (r"\bdrawn? anew\b", "random"),
    (r"\bmends?\b", "fix"),
    (r"\botherwise than\b", "differently from"),
    (r"\bgoes before it\b", "takes precedence"),
    (r"\bleft alone\b", "skipped"),
    (r"\d are read\b", "larger than the limit"),
    (r"\b(?:parts of a run|former run)\b", "shards, earlier run"),
    (r"\bcompar\w+ meanings\b", "semantic checks"),
    (r"\b(?:did|does|do) not hold\b|\bchecks? held\b|\bheld against\b", "failed, passed, is compared with"),
    (r"\b(?:was|were) asked for\b", "expected"),
    (r"\bis (?:there already|not there)\b", "already exists, does not exist"),
];

/// Words that a reader of `--help` does not search for.
const IN_HELP: [Phrase; 3] = [
    (r"\b(?:room|meets?|held|patience|moment)\b", "memory, see, passed, timeout, time"),
    (r"\btexts?\b", "string"),
    (r"\bwithout it\b", "[default: X]"),
];

/// `is no JSON`, but not `there is no JSON` or `is no longer`.
static IS_NO: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\w+) (?:is|are) no (\w+)").unwrap());

/// Words after which `is no` is good English.
const GOOD_AFTER_NO: [&str; 8] = ["longer", "more", "less", "fewer", "different", "way", "need", "reason"];

/// Lines that quote a phrase, or use it in another sense.
const QUOTED: [(&str, &str); 2] = [
    ("docs/reference/native.md", "the customer must be told"),
    ("docs/reference/mock-mcp.md", "${INPUT.name:-nobody}"),
];

fn phrases(of: &[Phrase]) -> Vec<(Regex, &'static str)> {
    of.iter().map(|(pattern, instead)| (Regex::new(pattern).unwrap(), *instead)).collect()
}

/// What is wrong in a text, a line each.
fn complaints(path: &str, text: &str, refused: &[(Regex, &str)]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if QUOTED.iter().any(|(file, words)| *file == path && line.contains(words)) {
            continue;
        }
        for (phrase, instead) in refused {
            if let Some(hit) = phrase.find(line) {
                found.push(format!("{path}:{}: `{}`: write \"{instead}\": {}", at + 1, hit.as_str(), line.trim()));
            }
        }
        for hit in IS_NO.captures_iter(line) {
            if !hit[1].eq_ignore_ascii_case("there") && !GOOD_AFTER_NO.contains(&&hit[2]) {
                found.push(format!("{path}:{}: `{}`: write \"is not a\": {}", at + 1, &hit[0], line.trim()));
            }
        }
    }
    found
}

/// The string literals of the code of a file that is built into the binary, at the lines where they begin; comments and tests
/// are not user-facing.
fn literals(text: &str) -> String {
    static LITERAL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(?s)"((?:[^"\\]|\\.)*)""#).unwrap());
    static CONTINUED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\\n\s*").unwrap());
    let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> =
        code.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line }).collect();
    let code = code.join("\n");
    let mut lines: Vec<String> = vec![String::new(); code.lines().count()];
    for hit in LITERAL.captures_iter(&code) {
        let at = code[..hit.get(0).unwrap().start()].matches('\n').count();
        let literal = CONTINUED.replace_all(&hit[1], "").replace('\n', " ");
        // A message has words; an identifier or a value has none.
        if literal.contains(' ') {
            lines[at] += &literal;
            lines[at].push(' ');
        }
    }
    lines.join("\n")
}

/// Every user-facing text of the project: its path, and what a reader sees of it.
fn texts() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let pages = files_below("docs", "md").into_iter().chain(files_below("docs/reference/schemas", "json"));
    let top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "action.yml"].map(str::to_owned);
    all.extend(pages.chain(top).map(|path| (path.clone(), text_of(&path))));
    for entry in fs::read_dir(project().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name == "dev" || name == "fuzz" {
            continue;
        }
        for path in files_below(&format!("crates/{name}/src"), "rs") {
            if !path.contains("/test") {
                all.push((path.clone(), literals(&text_of(&path))));
            }
        }
    }
    all
}

#[test]
fn docs_and_messages_are_plain_english() {
    let refused = phrases(&EVERYWHERE);
    let found: Vec<String> = texts().iter().flat_map(|(path, text)| complaints(path, text, &refused)).collect();
    assert!(found.is_empty(), "{} phrases to rewrite:\n{}", found.len(), found.join("\n"));
}

#[test]
fn help_texts_are_plain_english() {
    let refused = phrases(&IN_HELP);
    let path = "docs/reference/commands.md";
    let help = text_of(path).replace("```text", "```");
    let found = complaints(path, &help, &refused);
    assert!(found.is_empty(), "{} phrases to rewrite:\n{}", found.len(), found.join("\n"));
}

/// As in the help of ripgrep and uv, a description has at most two lines; possible values have lines of their own.
#[test]
fn flag_descriptions_have_at_most_two_lines() {
    let help = Suite::empty().agentci(&["run", "--help"]).stdout;
    let (mut lines, mut flag, mut flags) = (0, "", 0);
    for line in help.lines() {
        let shown = line.trim_start();
        let indent = line.len() - shown.len();
        if shown.starts_with('-') && indent < 10 {
            (flag, lines, flags) = (line, 0, flags + 1);
        } else if shown.is_empty()
            || shown.starts_with('[')
            || shown.starts_with("- ")
            || shown.starts_with("Possible values")
        {
            lines = 0;
        } else if indent >= 8 {
            lines += 1;
            assert!(lines <= 2, "more than two lines for {flag}:\n{line}");
        }
    }
    assert!(flags > 30, "{help}");
}

#[test]
fn finds_planted_phrase() {
    let refused = phrases(&EVERYWHERE);
    let code = "fn f() {\n    // is no JSON, in a comment\n    error(\"the file can not be \\\n        read, and is no JSON\");\n}\n\
        #[cfg(test)]\nmod tests { const A: &str = \"it can not\"; }\n";
    let found = complaints("x.rs", &literals(code), &refused);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|line| line.starts_with("x.rs:3: ")), "{found:?}");
    for (planted, hits) in [
        ("The check `contains` did not hold.", 1),
        ("Who is told of it?", 1),
        ("The value is no number, and the list is no longer there.", 1),
        ("There is no recording. It cannot be read, and there are no tools.", 0),
    ] {
        assert_eq!(complaints("page.md", planted, &refused).len(), hits, "{planted}");
    }
    assert_eq!(complaints("help", "A text that meets it", &phrases(&IN_HELP)).len(), 2);
}

#[test]
fn exceptions_are_still_needed() {
    let refused = phrases(&EVERYWHERE);
    for (path, words) in QUOTED {
        let needed = text_of(path).lines().any(|line| {
            line.contains(words) && (refused.iter().any(|(phrase, _)| phrase.is_match(line)) || IS_NO.is_match(line))
        });
        assert!(needed, "{path} no longer needs the exception for `{words}`");
    }
}
