//! A small valid suite of every dialect. A target replaces its files one after the other with its input, so that most
//! inputs get past the files that they do not replace.

use agentci_source::MemoryFiles;

/// A valid suite.
#[derive(Debug)]
pub(crate) struct Base {
    /// The path that is loaded.
    pub(crate) path: &'static str,
    /// Files that the input replaces, in this order, and their contents.
    pub(crate) replaced: &'static [(&'static str, &'static str)],
    /// Files that are not replaced.
    pub(crate) fixed: &'static [(&'static str, &'static str)],
}

impl Base {
    /// The files of the suite.
    pub(crate) fn files(&self) -> MemoryFiles {
        let all = self.replaced.iter().chain(self.fixed);
        all.fold(MemoryFiles::default(), |files, (name, text)| files.with(*name, *text))
    }

    /// The files with some of them replaced: a zero byte ends a file and begins the next, and an empty part changes
    /// nothing.
    pub(crate) fn with(&self, bytes: &[u8]) -> MemoryFiles {
        let parts = bytes.splitn(self.replaced.len(), |byte| *byte == 0);
        let named = parts.zip(self.replaced).filter(|(part, _)| !part.is_empty());
        named.fold(self.files(), |files, (part, (name, _))| files.with(*name, part))
    }
}

pub(crate) const NATIVE: Base = Base {
    path: "s",
    replaced: &[
        (
            "s/agentci.yaml",
            "suite: s\n\
             target: { process: { command: [a] } }\n\
             world: { model: { script: model.yaml } }\n\
             checks: [{ json_schema: schema.json }]\n\
             cases:\n\
             - { id: a, input: { question: 1 }, checks: [{ script: { file: index.ts, function: isRight } }] }\n\
             - { id: b, turns: [{ user: Hi }], checks: [{ not: { contains: sorry } }] }\n",
        ),
        ("s/model.yaml", "default: hello\n"),
        ("s/schema.json", r#"{"type": "object", "required": ["answer"]}"#),
        ("s/index.ts", "function isRight(output: { answer: number }): boolean { return output.answer === 1 }\n"),
    ],
    fixed: &[("s/a.json", "{}")],
};

pub(crate) const RUNLEDGER: Base = Base {
    path: "s",
    replaced: &[
        (
            "s/cases/one.yaml",
            "id: one\ninput: { question: 1 }\ncassette: c.jsonl\n\
             assertions: [{ type: json_schema, schema_path: schema.json }, { type: must_call, tools: [search] }]\n",
        ),
        (
            "s/suite.yaml",
            "suite_name: s\nagent_command: [a]\nmode: replay\ncases_path: cases\ntool_registry: [search]\n",
        ),
        ("s/schema.json", r#"{"type": "object", "required": ["answer"]}"#),
        ("s/cases/two.yaml", "id: two\ninput: {}\ncassette: c.jsonl\nbudgets: { max_tool_calls: 1 }\n"),
    ],
    fixed: &[("s/c.jsonl", "")],
};

pub(crate) const AUMAI: Base = Base {
    path: "s",
    replaced: &[
        (
            "s/test.yaml",
            "name: a\ninput_messages: [{ role: user, content: Hi }]\nexpected_behavior: { contains_text: hello }\n",
        ),
        (
            "s/mock_config.yaml",
            "model_name: m\nresponses: [{ content: Hello, model: m, tokens_used: 1, latency_ms: 1 }]\n",
        ),
        (
            "s/other.yaml",
            "- { name: b, input_messages: [{ role: user, content: Hi }], expected_behavior: { no_pii: true } }\n",
        ),
    ],
    fixed: &[],
};

pub(crate) const ANANKE: Base = Base {
    path: "s",
    replaced: &[
        (
            "s/one.test.yaml",
            "version: \"1.0\"\nname: a\nturns: [{ user: Hi, assert: { text: { must_match: hello } } }]\n\
             assert: { extends: [polite] }\n",
        ),
        (
            "s/ananke.config.yaml",
            "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }\n\
             assertions: { polite: { text: { must_not_match: error } } }\n",
        ),
    ],
    fixed: &[],
};

pub(crate) const SCENARIO: Base = Base {
    path: "tests",
    replaced: &[
        (
            "tests/a/one.yaml",
            "test_name: one\nuser_input: Hi\nexpected_answer: Hello\n\
             tool_fixtures: { pay: [{ request: { id: 1 }, response_file: answer.json }] }\n",
        ),
        ("agentci.yaml", "targets: { default: { url: \"http://127.0.0.1:1/\" } }\nembedder: builtin\nthreshold: 0.5\n"),
        ("tests/a/two.yaml", "test_name: two\nuser_input: Why?\nexpected_answer: So.\nsemantic_threshold: 0.8\n"),
    ],
    fixed: &[("tests/a/__files/answer.json", "{}")],
};

pub(crate) const YAO: Base = Base {
    path: "app/assistants/a/tests/inputs.jsonl",
    replaced: &[
        (
            "app/assistants/a/tests/inputs.jsonl",
            "{\"id\": \"a\", \"input\": \"Hi\", \"assert\": {\"type\": \"contains\", \"value\": \"hello\"}}\n\
             {\"id\": \"b\", \"input\": [{\"role\": \"user\", \"content\": \"Hi\"}]}\n",
        ),
        ("app/assistants/a/package.yao", r#"{"name": "a", "connector": "mock"}"#),
        ("app/assistants/a/prompts.yml", "- { role: system, content: hello }\n"),
        ("app/connectors/mock.conn.yao", r#"{"type": "mock", "options": {}}"#),
        ("app/assistants/a/src/index.ts", "function Create(ctx: object, messages: object[]) { return { messages } }\n"),
        ("app/.env", "A=b\n"),
    ],
    fixed: &[("app/app.yao", "{}")],
};

#[cfg(test)]
mod tests {
    use agentci_formats::Loaded;
    use agentci_plan::Dialect;
    use agentci_source::Diagnostic;

    use super::*;

    /// The base of every dialect, and its number of cases.
    const BASES: [(Dialect, Base, usize); 6] = [
        (Dialect::Native, NATIVE, 2),
        (Dialect::Runledger, RUNLEDGER, 2),
        (Dialect::Aumai, AUMAI, 2),
        (Dialect::Ananke, ANANKE, 1),
        (Dialect::Scenario, SCENARIO, 2),
        (Dialect::Yao, YAO, 2),
    ];

    #[test]
    fn every_dialect_has_a_base_and_a_fuzz_target() {
        for dialect in agentci_formats::dialects() {
            assert!(BASES.iter().any(|(of, _, _)| *of == dialect), "{dialect:?} has no base");
            assert!(crate::TARGETS.iter().any(|target| target.name == dialect.name()), "{dialect:?} is not fuzzed");
        }
    }

    /// The loaded suite, and all its diagnostics.
    fn load(base: &Base, files: &MemoryFiles) -> (Loaded, Vec<Diagnostic>) {
        let loaded = agentci_formats::load(files, &[base.path.into()]);
        let (_, uncompiled) = agentci_checks::compile(&loaded.plan, files);
        let problems = loaded.diagnostics.iter().chain(uncompiled.iter()).cloned().collect();
        (loaded, problems)
    }

    #[test]
    fn every_base_loads_without_diagnostics() {
        for (dialect, base, cases) in BASES {
            let (loaded, problems) = load(&base, &base.files());
            assert!(problems.is_empty(), "{dialect:?}: {problems:#?}");
            let [suite] = loaded.plan.suites.as_slice() else { panic!("{dialect:?}: {:?}", loaded.plan) };
            assert_eq!(suite.dialect, dialect);
            assert_eq!(suite.cases.len(), cases, "{dialect:?}");
            assert!(suite.cases.iter().all(|case| case.broken.is_none()), "{dialect:?}");
        }
    }

    #[test]
    fn every_replaced_file_is_parsed() {
        for (_, base, _) in BASES {
            for (at, (name, _)) in base.replaced.iter().enumerate() {
                let bytes = [vec![0; at], vec![0xff]].concat();
                let (_, problems) = load(&base, &base.with(&bytes));
                assert!(!problems.is_empty(), "{name} is not read");
            }
        }
    }
}
