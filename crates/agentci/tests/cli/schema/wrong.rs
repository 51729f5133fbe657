//! Every wrong input of the gallery: what its reader says about shapes, its schema refuses, too, on the same line.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use agentci::Suites;
use agentci::source::Severity;

use super::documents::{Refusal, below};
use super::validators;

/// Why a schema can not know that something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The file can not be parsed, or a key of it stands twice.
    Syntax,
    /// It is about other files: one is missing, or wrong itself.
    Files,
    /// It is about another place in the same files: a name that is used twice, not known, or has no use there.
    Reference,
    /// It is the text of a pattern or of a JSON Schema.
    Pattern,
    /// It is how a name under a mapping is spelt.
    Names,
    /// It is which of two numbers is larger.
    Order,
    /// It is whether a word is in quotes.
    Quotes,
    /// It is what else stands in a mapping whose other keys may be anything.
    Open,
}
use Reason::{Files, Names, Open, Order, Pattern, Quotes, Reference, Syntax};

/// Inputs that are wrong in another way than by their shape, with words of the line and its message, and why.
const OTHERS: &[(&str, &str, Reason)] = &[
    ("ananke-bad-assertions", "the pattern has an unknown flag", Pattern),
    ("ananke-bad-assertions", "can not hold a variable", Names),
    ("ananke-bad-assertions", "it looks ahead or behind", Pattern),
    ("ananke-bad-count", "`max` is less than `min`", Order),
    ("ananke-blocks-in-a-circle", "builds upon itself", Reference),
    ("ananke-no-config", "no `ananke.config.yaml` was found", Files),
    ("ananke-no-tests", "no tests belong to", Files),
    ("ananke-one-bad-test", "is never closed", Syntax),
    ("ananke-target-of-a-later-version", "needs version 1.1", Reference),
    ("ananke-tool-with-two-answers", "is described twice", Reference),
    ("ananke-tool-without-answer", "has no answer", Reference),
    ("ananke-turn-for-another-target", "needs version 1.2", Reference),
    ("ananke-turn-for-another-target", "is for targets of type `mcp`", Reference),
    ("ananke-unknown-block", "there is no block", Reference),
    ("aumai-bad-file-beside-good-ones", "is never closed", Syntax),
    ("aumai-schema-invalid", "not a valid JSON Schema", Pattern),
    ("file-that-is-no-suite", "fits no known suite format", Files),
    ("folder-without-suite", "no suite found", Files),
    ("native-bad-count", "`max` is less than `min`", Order),
    ("native-bad-pattern", "this pattern can not be used", Pattern),
    ("native-bad-pattern", "this pattern is too large", Pattern),
    ("native-bad-variable-name", "can not be the name of a variable", Names),
    ("native-case-without-target", "and neither has the suite", Reference),
    ("native-duplicate-ids", "is used twice", Reference),
    ("native-key-missing-before-colon", "a key is missing", Syntax),
    ("native-merge-of-text", "`<<` takes a mapping", Syntax),
    ("native-mcp-files", "can not read", Files),
    ("native-mcp-files", "there is no file", Files),
    ("native-mcp-servers", "can not be the name of an MCP server", Names),
    ("native-mcp-servers", "have the same variable", Names),
    ("native-mcp-unreached", "has no effect", Reference),
    ("native-model-called", "`of` contradict each other", Reference),
    ("native-model-not-seen", "cannot be judged", Reference),
    ("native-no-target", "neither the suite nor any case", Reference),
    ("native-semantic", "there is no embedder", Reference),
    ("native-turns-for-a-process", "an agent that is a process", Reference),
    ("runledger-alias-bomb", "aliases expand", Syntax),
    ("runledger-bad-indentation", "does not fit the lines before it", Syntax),
    ("runledger-cases-end-in-yml", "holds no `.yaml` file", Files),
    ("runledger-cases-folder-empty", "holds no `.yaml` file", Files),
    ("runledger-cases-folder-missing", "there is no folder", Files),
    ("runledger-colon-in-text", "a second `: ` on one line", Syntax),
    ("runledger-duplicate-ids", "is used twice", Reference),
    ("runledger-duplicate-keys", "is written twice", Syntax),
    ("runledger-nan-in-input", "a number that JSON can not say", Syntax),
    ("runledger-schema-elsewhere", "refers to another document", Pattern),
    ("runledger-schema-invalid", "is not a valid JSON Schema", Files),
    ("runledger-schema-missing", "can not be read", Files),
    ("runledger-schema-not-json", "is not JSON", Files),
    ("runledger-schema-unknown-draft", "a JSON Schema that is not known", Files),
    ("runledger-second-document", "a second document", Syntax),
    ("runledger-suite-not-utf8", "is not UTF-8", Files),
    ("runledger-tab-indentation", "a tab can not stand here", Syntax),
    ("runledger-too-deep", "nested more than 100 levels", Syntax),
    ("runledger-unclosed-bracket", "is never closed", Syntax),
    ("runledger-unclosed-quote", "is not closed", Syntax),
    ("runledger-undefined-alias", "no anchor of that name", Syntax),
    ("runledger-unknown-tag", "means nothing here", Syntax),
    ("scenario-answer-missing", "there is no file", Files),
    ("scenario-answer-missing", "leads out of", Files),
    ("scenario-answer-options", "can not be the name of a tool", Names),
    ("scenario-answer-twice", "9: an answer has either `response_file` or `response`", Open),
    ("scenario-bad-settings", "can not be the name of a variable", Names),
    ("scenario-duplicate-names", "is used twice", Reference),
    ("scenario-keys-below-and-beside", "it can not be told", Open),
    ("scenario-one-bad-file", "a second `: ` on one line", Syntax),
    ("suite-of-another-format", "no suite found", Files),
    ("yao-bad-assert", "found the text `yes`", Quotes),
    ("yao-bad-json", "", Syntax),
    ("yao-duplicate-ids", "is used twice", Reference),
    ("yao-unknown-connector", "there is no connector", Reference),
];

fn gallery() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/errors").canonicalize().unwrap()
}

/// A line of a file of an input, and what is said about it.
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
fn what_readers_say_about_shapes_schemas_refuse_on_the_same_line() {
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
