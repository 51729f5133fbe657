//! Invalid inputs of the gallery: every error that a reader reports about the structure of a file is also found by the
//! schema, on the same line.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use agentci::Suites;
use agentci::source::Severity;

use super::documents::{Refusal, below};
use super::validators;

/// Why a schema cannot find an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The file cannot be parsed, or has a duplicate key.
    Syntax,
    /// The error is about other files: one is missing or invalid.
    Files,
    /// The error is about another place in the same files: a name that is used twice, unknown, or has no effect there.
    Reference,
    /// The error is in the text of a pattern or of a JSON Schema.
    Pattern,
    /// The error is in the spelling of a name in a mapping.
    Names,
    /// The error depends on which of two numbers is larger.
    Order,
    /// The error depends on whether a word is quoted.
    Quotes,
    /// The error is another key in a mapping that allows any other key.
    Open,
}
use Reason::{Files, Names, Open, Order, Pattern, Quotes, Reference, Syntax};

/// Errors that are not about structure: the input, words of the line and its message, and the reason.
const OTHERS: &[(&str, &str, Reason)] = &[
    ("ananke-bad-assertions", "the pattern has an unknown flag", Pattern),
    ("ananke-bad-assertions", "cannot contain a variable", Names),
    ("ananke-bad-assertions", "look-around is not supported", Pattern),
    ("ananke-bad-count", "`max` is less than `min`", Order),
    ("ananke-blocks-in-a-circle", "extends itself", Reference),
    ("ananke-no-config", "no `ananke.config.yaml` was found", Files),
    ("ananke-no-tests", "no tests belong to", Files),
    ("ananke-one-bad-test", "is never closed", Syntax),
    ("ananke-target-of-a-later-version", "needs version 1.1", Reference),
    ("ananke-tool-with-two-answers", "is defined twice", Reference),
    ("ananke-tool-without-answer", "has no answer", Reference),
    ("ananke-turn-for-another-target", "needs version 1.2", Reference),
    ("ananke-turn-for-another-target", "is for targets of type `mcp`", Reference),
    ("ananke-unknown-block", "unknown block", Reference),
    ("aumai-bad-file-beside-good-ones", "is never closed", Syntax),
    ("aumai-schema-invalid", "not a valid JSON Schema", Pattern),
    ("file-that-is-no-suite", "does not match any known suite format", Files),
    ("folder-without-suite", "no suite found", Files),
    ("native-bad-count", "`max` is less than `min`", Order),
    ("native-bad-pattern", "this pattern cannot be used", Pattern),
    ("native-bad-pattern", "this pattern is too large", Pattern),
    ("native-bad-variable-name", "cannot be the name of a variable", Names),
    ("native-case-without-target", "neither the case nor the suite has a `target`", Reference),
    ("native-duplicate-ids", "is used twice", Reference),
    ("native-excluded-twice", "are already excluded", Reference),
    ("native-key-missing-before-colon", "a key is missing", Syntax),
    ("native-merge-of-text", "`<<` takes a mapping", Syntax),
    ("native-mcp-files", "cannot read", Files),
    ("native-mcp-files", "none.jsonl` does not exist", Files),
    ("native-mcp-servers", "cannot be the name of an MCP server", Names),
    ("native-mcp-servers", "use the same environment variable", Names),
    ("native-mcp-unreached", "has no effect", Reference),
    ("native-model-called", "`of` contradict each other", Reference),
    ("native-model-not-seen", "cannot be evaluated", Reference),
    ("native-no-target", "neither the suite nor any case", Reference),
    ("native-semantic", "unknown embedder", Reference),
    ("native-turns-for-a-process", "a process agent", Reference),
    ("native-unknown-axis", "unknown axis `modle`", Reference),
    ("runledger-alias-bomb", "aliases expand", Syntax),
    ("runledger-bad-indentation", "does not match the lines before it", Syntax),
    ("runledger-cases-end-in-yml", "contains no `.yaml` file", Files),
    ("runledger-cases-folder-empty", "contains no `.yaml` file", Files),
    ("runledger-cases-folder-missing", "case` does not exist", Files),
    ("runledger-colon-in-text", "a second `: ` on one line", Syntax),
    ("runledger-duplicate-ids", "is used twice", Reference),
    ("runledger-duplicate-keys", "is written twice", Syntax),
    ("runledger-nan-in-input", "a number that JSON cannot represent", Syntax),
    ("runledger-schema-elsewhere", "refers to another document", Pattern),
    ("runledger-schema-invalid", "is not a valid JSON Schema", Files),
    ("runledger-schema-missing", "cannot be read", Files),
    ("runledger-schema-not-json", "is not JSON", Files),
    ("runledger-schema-unknown-draft", "an unsupported JSON Schema draft", Files),
    ("runledger-second-document", "a second document", Syntax),
    ("runledger-suite-not-utf8", "is not UTF-8", Files),
    ("runledger-tab-indentation", "a tab is not allowed here", Syntax),
    ("runledger-too-deep", "nested more than 100 levels", Syntax),
    ("runledger-unclosed-bracket", "is never closed", Syntax),
    ("runledger-unclosed-quote", "is not closed", Syntax),
    ("runledger-undefined-alias", "no anchor with this name", Syntax),
    ("runledger-unknown-tag", "the tag `!env` is not supported", Syntax),
    ("scenario-answer-missing", "answer file `paylips/1.json` does not exist", Files),
    ("scenario-answer-missing", "points outside", Files),
    ("scenario-answer-options", "cannot be the name of a tool", Names),
    ("scenario-answer-twice", "9: an answer needs either `response_file` or `response`", Open),
    ("scenario-bad-settings", "cannot be the name of a variable", Names),
    ("scenario-duplicate-names", "is used twice", Reference),
    ("scenario-keys-below-and-beside", "ambiguous request", Open),
    ("scenario-one-bad-file", "a second `: ` on one line", Syntax),
    ("suite-of-another-format", "no suite found", Files),
    ("yao-bad-assert", "found the string `yes`", Quotes),
    ("yao-bad-json", "", Syntax),
    ("yao-duplicate-ids", "is used twice", Reference),
    ("yao-unknown-connector", "unknown connector", Reference),
];

fn gallery() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/errors").canonicalize().unwrap()
}

/// A message about a line of an input.
struct Told {
    path: String,
    line: u32,
    message: String,
    severity: Severity,
}

fn told(name: &str) -> Vec<Told> {
    let folder = gallery().join(name);
    let named = folder.join("named.yaml");
    let suites = Suites::load([if named.is_file() { named } else { folder }]);
    let sources = suites.sources();
    let one = |problem: &agentci::source::Diagnostic| {
        let place = problem.place(sources);
        Told {
            path: place.path.to_string(),
            line: place.line,
            message: problem.message.clone(),
            severity: problem.severity,
        }
    };
    suites.problems().iter().map(one).collect()
}

#[test]
fn schemas_refuse_the_same_lines_as_parsers() {
    let validators = validators();
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for entry in fs::read_dir(gallery()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let name = entry.file_name().unwrap().to_str().unwrap().to_owned();
        let refusals: Vec<(String, Refusal)> = below(&entry)
            .iter()
            .flat_map(|document| {
                let path = document.path.to_str().unwrap().to_owned();
                document.refusals(&validators[document.schema]).into_iter().map(move |refusal| (path.clone(), refusal))
            })
            .collect();
        let told = told(&name);
        for Told { path, line, message, .. } in told.iter().filter(|told| told.severity == Severity::Error) {
            let refused = refusals.iter().any(|(file, refusal)| file == path && refusal.lines.contains(line));
            let listed = OTHERS
                .iter()
                .position(|(fixture, words, _)| *fixture == name && format!("{line}: {message}").contains(words));
            match (refused, listed) {
                (true, None) => {}
                (false, Some(index)) => _ = used.insert(index),
                (true, Some(index)) => {
                    wrong.push(format!("{name}:{line} is refused by the schema, and listed: {:?}", OTHERS[index]));
                }
                (false, None) => {
                    wrong.push(format!("{name}:{line} is neither refused by the schema nor listed: {message}"));
                }
            }
        }
        for (path, refusal) in &refusals {
            let known = |told: &Told| told.path == *path && refusal.lines.contains(&told.line);
            if !told.iter().any(known) {
                wrong.push(format!("{name}: no reader says what the schema does: {refusal:?}"));
            }
        }
    }
    wrong.extend(
        (0..OTHERS.len()).filter(|index| !used.contains(index)).map(|index| format!("{:?} is not met", OTHERS[index])),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
