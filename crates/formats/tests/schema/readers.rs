//! The errors that readers report for a document.

use agentci_formats::{aumai, load, load_model_script};
use agentci_source::yaml;
use agentci_source::{Diagnostic, MemoryFiles, Severity, Sources};
use serde_json::{Value, json};

use crate::drawn::WORDS;

/// Parts of messages about the shape of a document, as opposed to missing files, unknown names and the like.
const ABOUT_SHAPES: [&str; 25] = [
    "a tool needs exactly one of `",
    "unknown flag `",
    "` needs either `",
    " is not a server address",
    "this assertion cannot pass: unknown assertion type",
    "unknown key `",
    "unknown target `",
    "unknown turn type `",
    "unknown assertion type `",
    "unknown scheme `",
    " needs `",
    " has no value",
    " must be a mapping",
    " must be a string",
    " must be a list",
    " must be one of",
    " must be true or false",
    " must be an integer",
    " must be a number",
    " must be a duration",
    " must be a URL",
    " must be an HTTP URL",
    " must be MAJOR.MINOR",
    " must be an HTTP method",
    " must be a JSON pointer",
];

/// The errors of a document that are about its shape or about a value of the wrong type.
pub(crate) fn complaints(name: &str, document: &Value) -> Vec<String> {
    let about_shape = |message: &String| {
        ABOUT_SHAPES.iter().any(|words| message.contains(words))
            || (message.contains(" must be ") && message.contains(", found "))
    };
    let mut document = document.clone();
    if name == "native" && document.get("target").is_none_or(Value::is_null) {
        // Without a target the cases are not read.
        document["target"] = json!({ "process": { "command": ["agent"] } });
    }
    let text = document.to_string();
    let errors = |problems: &[Diagnostic]| -> Vec<String> {
        // In the `yao` dialect, a test with an unknown assertion type runs and fails.
        let unusable = |problem: &Diagnostic| problem.message.contains("unknown assertion type");
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error || unusable(problem));
        errors.map(|problem| problem.message.clone()).collect()
    };
    let messages = match name {
        "model-script" => {
            let files = MemoryFiles::default().with("model.yaml", &*text);
            let read = load_model_script(&files, &mut Sources::default(), "model.yaml".as_ref());
            read.err().map(|problems| errors(&problems.into_iter().collect::<Vec<_>>())).unwrap_or_default()
        }
        "aumai" => {
            let root = yaml::parse(&text, Sources::default().add("a.yaml".as_ref(), text.as_str())).unwrap();
            errors(&aumai::read_all(&root).1.into_iter().collect::<Vec<_>>())
        }
        _ => {
            let files = files(name, &text);
            let loaded = load(&files, &["p".into()]);
            let (_, compiled) = agentci_checks::compile(&loaded.plan, &files);
            let mut all = errors(&loaded.diagnostics.into_iter().collect::<Vec<_>>());
            all.extend(errors(&compiled.into_iter().collect::<Vec<_>>()));
            all
        }
    };
    messages.into_iter().filter(about_shape).collect()
}

/// The document and the files that belong to it.
fn files(name: &str, text: &str) -> MemoryFiles {
    let files = MemoryFiles::default();
    let asked = "name: a\ninput_messages: []\nexpected_behavior: {}\n";
    let yao = |files: MemoryFiles| {
        files
            .with("p/app.yao", "{}")
            .with("p/assistants/a/package.yao", r#"{"connector": "one"}"#)
            .with("p/connectors/one.conn.yao", r#"{"type": "mock"}"#)
            .with("p/assistants/a/tests/inputs.jsonl", r#"{"id": "T1", "input": "Hi"}"#)
    };
    match name {
        "native" => files.with("p/agentci.yaml", text),
        "runledger" => {
            // Every folder that the suite may name has a case.
            let case = "id: a\ninput: {}\ncassette: a.jsonl\n";
            let with_case = |files: MemoryFiles, word: &&str| files.with(format!("p/{word}/a.yaml"), case);
            WORDS.iter().fold(files, with_case).with("p/suite.yaml", text)
        }
        "runledger-case" => files.with("p/cases/a.yaml", text).with(
            "p/suite.yaml",
            "suite_name: a\nagent_command: [x]\nmode: replay\ncases_path: cases\ntool_registry: []\n",
        ),
        "aumai-mock" => files.with("p/mock_config.yaml", text).with("p/a.yaml", asked),
        "scenario" => files.with("p/tests/agent/a.yaml", text),
        "yao" => {
            // One valid test makes it a file of tests.
            let tests = format!("{{\"id\": \"good\", \"input\": \"Hi\"}}\n{text}\n");
            yao(files).with("p/assistants/a/tests/inputs.jsonl", tests)
        }
        "yao-package" => yao(files).with("p/assistants/a/package.yao", text),
        "yao-connector" => yao(files).with("p/connectors/one.conn.yao", text),
        "yao-prompts" => yao(files).with("p/assistants/a/prompts.yml", text),
        "ananke" => files
            .with("p/ananke.config.yaml", "version: 1.2\ntarget: { type: agui, endpoint: http://a, agentId: a }\n")
            .with("p/a.test.yaml", text),
        "ananke-config" => files
            .with("p/ananke.config.yaml", text)
            .with("p/a.test.yaml", "version: 1.2\nname: a\nturns: [{ user: Hi }]\n"),
        _ => panic!("there is no reader for `{name}`"),
    }
}
