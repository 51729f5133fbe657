//! Lowers files of tests to one suite.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{
    Case, CaseFiles, Cases, Data, Dialect, EmptyChecks, FormatConventions, InvalidChecks, Message, MockScript,
    MockTarget, Parallelism, StopRule, Suite, Target, Text, TimeLimit, TurnInput, Verdicts, World,
};
use agentci_source::{Diagnostic, Diagnostics, Node, Sources, Span};
use serde_json::{Map, Value, json};

use super::test::{self, Test};
use super::{AumaiFile, mock_config, shape, tests};
use crate::MockSource;
use crate::document::Loading;
use crate::ids::first_used;
use crate::new_suite::{new_suite, plain_turn};

/// The default timeout for all tests of a suite together.
const SUITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The defaults of the dialect.
const CONVENTIONS: FormatConventions = FormatConventions {
    time_limit: TimeLimit::Suite(SUITE_TIMEOUT),
    parallelism: Parallelism::One,
    // The model answers by position, so each test depends on the ones before it.
    invalid_checks: InvalidChecks::RefuseSuite,
    empty_checks: EmptyChecks::Pass,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    ..FormatConventions::USUAL
};

/// The files of a suite.
pub(crate) struct Documents<'d> {
    /// The name of the suite.
    pub(crate) name: String,
    /// The file or folder that the user named.
    pub(crate) path: &'d Path,
    pub(crate) folder: &'d Path,
    /// Sorted by path.
    pub(crate) files: Vec<(PathBuf, Node)>,
    /// The source of the model's script.
    pub(crate) mock: &'d MockSource,
}

/// Lowers files of tests; `None` if the suite is rejected. Also returns the files that are something else.
pub(crate) fn lower(loading: &mut Loading<'_>, documents: Documents<'_>) -> (Option<Suite>, Vec<PathBuf>) {
    let mut problems = Diagnostics::default();
    let mut config = config(&mut loading.with(&mut problems), &documents);
    let script = Arc::new(config.script.take().unwrap_or_default());
    let world = Arc::new(World::default());
    let mut strays = Vec::new();
    let mut cases = Cases::new();
    for (path, root) in documents.files {
        match shape(&root) {
            _ if Some(&path) == config.path.as_ref() => {}
            AumaiFile::Tests => {
                for node in tests(&root, &mut problems) {
                    let Some(test) = test::read(node, &mut problems) else { continue };
                    let span = config.span.unwrap_or(test.name.span);
                    let position = u32::try_from(cases.len()).unwrap_or(u32::MAX);
                    let target = Target::Mock(MockTarget { script: Arc::clone(&script), position, span });
                    cases.push(Box::new(case(test, target, &world)));
                }
            }
            AumaiFile::MockConfig
                if mock_config::is_named_so(&path) && !matches!(documents.mock, MockSource::Script(_)) =>
            {
                problems.push(unused(&path, root.span, &config));
            }
            AumaiFile::Empty | AumaiFile::MockConfig => {}
            AumaiFile::Other => strays.push(path),
        }
    }
    duplicates(&cases, loading.sources, &mut problems);
    let refused = problems.has_errors();
    loading.problems.append(problems);
    let Some(span) = cases.first().map(|case| case.span).filter(|_| !refused) else { return (None, strays) };
    let (path, folder) = (documents.path.to_path_buf(), documents.folder.to_path_buf());
    let suite = new_suite(documents.name, (Dialect::Aumai, CONVENTIONS), path, folder, span);
    (Some(Suite { cases, ..suite }), strays)
}

/// The model's script, if there is one.
#[derive(Default)]
struct ChosenScript {
    script: Option<MockScript>,
    path: Option<PathBuf>,
    span: Option<Span>,
}

fn config(loading: &mut Loading<'_>, documents: &Documents<'_>) -> ChosenScript {
    let path = match documents.mock {
        MockSource::Script(script) => {
            return ChosenScript { script: Some(MockScript::clone(script)), ..ChosenScript::default() };
        }
        MockSource::File(path) => Some(path.clone()),
        MockSource::Beside => {
            mock_config::beside(loading.files, documents.folder).filter(|path| !is_tests(path, &documents.files))
        }
    };
    let (script, span) = path.as_ref().and_then(|path| mock_config::open(path, loading)).unzip();
    ChosenScript { script, path, span }
}

/// Whether the file contains tests instead of a script.
fn is_tests(path: &Path, files: &[(PathBuf, Node)]) -> bool {
    files.iter().any(|(other, root)| other == path && shape(root) == AumaiFile::Tests)
}

fn unused(path: &Path, span: Span, chosen: &ChosenScript) -> Diagnostic {
    let label = match &chosen.path {
        Some(path) => format!("`{}` answers the tests", path.display()),
        None => "only one in the suite's folder is used".into(),
    };
    Diagnostic::warning(span, format!("`{}` is not used", path.display()))
        .label(label)
        .help(format!("use it with `--mock-config {}`", path.display()))
}

/// Warns of tests with the same name. They are all kept, since the model answers by position.
fn duplicates(cases: &Cases, sources: &Sources, problems: &mut Diagnostics) {
    let mut first: HashMap<&str, Span> = HashMap::with_capacity(cases.len());
    for case in cases {
        let span = case.span;
        let Some(before) = first.get(case.id.as_str()) else {
            first.insert(&case.id, span);
            continue;
        };
        let label = first_used(*before, span, sources);
        let help = "give each test of a suite a unique name";
        problems.warning(span, format!("the name `{}` is used twice", case.id.escape_debug()), label).help(help);
    }
}

fn case(test: Test, target: Target, world: &Arc<World>) -> Case {
    let said = said(&test.input_messages);
    Case {
        description: (!test.description.is_empty()).then(|| test.description.into()),
        tags: test.tags.into(),
        turns: [plain_turn(said, test.messages_span)].into(),
        checks: test.checks.into_iter().map(Arc::new).collect(),
        stop: StopRule::Never,
        ..Case::new(test.name.value, test.name.span, Arc::new(target), Arc::clone(world))
    }
}

/// Messages of only a role and a text are a conversation; anything else is passed on as data.
fn said(messages: &[Map<String, Value>]) -> TurnInput {
    let plain: Option<Vec<Message>> = messages.iter().map(message).collect();
    match plain {
        Some(messages) if !messages.is_empty() => TurnInput::Messages(messages),
        _ => TurnInput::Input(Data::literal(&json!({ "messages": messages }))),
    }
}

fn message(map: &Map<String, Value>) -> Option<Message> {
    match (map.get("role")?, map.get("content")?) {
        (Value::String(role), Value::String(content)) if map.len() == 2 && !role.trim().is_empty() => {
            Some(Message::new(role.as_str(), Text::Literal(content.clone())))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::{MemoryFiles, Severity};

    use super::*;
    use crate::{LoadOptions, Loaded, load, load_with};

    const MOCK: &str = "model_name: m\nresponses:\n- { content: hi, model: m, tokens_used: '3', latency_ms: 4 }\n";

    fn test(name: &str) -> String {
        format!(
            "name: {name}\ninput_messages: [{{ role: user, content: hi }}]\nexpected_behavior: {{ contains_text: hi }}\n"
        )
    }

    fn load_folder(files: &MemoryFiles) -> Loaded {
        load(files, &["t".into()])
    }

    fn messages(loaded: &Loaded) -> Vec<&str> {
        loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect()
    }

    fn mock(case: &Case) -> &MockTarget {
        let Target::Mock(mock) = &*case.target else { panic!("no mock") };
        mock
    }

    #[test]
    fn folder_with_all_file_shapes_is_one_suite() {
        let listed = format!("tests:\n- {}\n- {}", test("b1").replace('\n', "\n  "), test("b2").replace('\n', "\n  "));
        let files = MemoryFiles::default()
            .with("t/b.yml", listed.as_str())
            .with("t/a/z.yaml", format!("- {}", test("a").replace('\n', "\n  ")))
            .with("t/c.yaml", test("c"))
            .with("t/empty.yaml", "# nothing\n")
            .with("t/mock_config.yaml", MOCK);
        let loaded = load_folder(&files);
        assert_eq!(messages(&loaded), Vec::<&str>::new());
        let suite = &loaded.plan.suites[0];
        assert_eq!((suite.name.as_str(), suite.dialect), ("t", Dialect::Aumai));
        let found: Vec<_> = suite.cases.iter().map(|case| (case.id.as_str(), mock(case).position)).collect();
        assert_eq!(found, [("a", 0), ("b1", 1), ("b2", 2), ("c", 3)]);
        assert_eq!(mock(&suite.cases[3]).script.responses[0].tokens_used, 3);
        assert!(matches!(&suite.cases[0].turns[0].said, TurnInput::Messages(messages) if messages.len() == 1));
    }

    #[test]
    fn single_file_is_a_suite_with_selectable_mock() {
        let files = MemoryFiles::default()
            .with("t/a.yaml", test("a"))
            .with("t/mock_config.yaml", MOCK)
            .with("other.yaml", MOCK.replace("hi", "ho"));
        let alone = load(&files, &["t/a.yaml".into()]);
        assert_eq!(alone.plan.suites[0].name, "a");
        assert_eq!(mock(&alone.plan.suites[0].cases[0]).script.responses[0].content, "hi");
        let options = LoadOptions { mock: MockSource::File("other.yaml".into()), ..LoadOptions::default() };
        let chosen = load_with(&files, &["t".into()], &options);
        assert_eq!(mock(&chosen.plan.suites[0].cases[0]).script.responses[0].content, "ho");
        assert_eq!(messages(&chosen), ["`t/mock_config.yaml` is not used"]);
        let without = load(&MemoryFiles::default().with("t/a.yaml", test("a")), &["t".into()]);
        assert_eq!(*mock(&without.plan.suites[0].cases[0]).script, MockScript::default());
    }

    #[test]
    fn warns_about_likely_mistakes() {
        let files = MemoryFiles::default()
            .with("t/a.yaml", "name: a\ninput_message: [{ role: user }]\nexpected_behaviour: { no_pii: true }\n")
            .with("t/b.yaml", test("a"))
            .with("t/c.yaml", "name: c\nexpected_behavior:\n")
            .with("t/other.yaml", "services: {}\n");
        let loaded = load_folder(&files);
        assert_eq!(
            messages(&loaded),
            [
                "the test `a` expects nothing",
                "the test `a` has no input messages",
                "unknown key `input_message` in a test",
                "unknown key `expected_behaviour` in a test",
                "the name `a` is used twice",
                "the test `c` expects nothing",
                "the test `c` has no input messages",
                "1 YAML file belongs to no suite: `t/other.yaml`",
            ]
        );
        assert_eq!(loaded.diagnostics.count(Severity::Error), 0);
        assert_eq!(loaded.plan.suites[0].cases.len(), 3);
    }

    #[test]
    fn one_invalid_file_rejects_the_suite() {
        for (text, message) in [
            ("tests: [{ name: a, expected_behavior: {} }, text]", "a test must be a mapping, found the string `text`"),
            ("name: [\n", "`[` is never closed"),
            ("{ name: 7, expected_behavior: {} }", "`name` must be a string, found the number 7"),
            ("{ expected_behavior: { no_pii: true }, input_messages: [{}] }", "a test needs `name`"),
            ("{ name: a, expected_behavior: [] }", "`expected_behavior` must be a mapping, found a list"),
            ("{ name: a, input_messages: [hi] }", "a message must be a mapping, found the string `hi`"),
            ("{ name: a, tests: {}, input_messages: [] }", "`tests` must be a list, found a mapping"),
        ] {
            let loaded = load_folder(&MemoryFiles::default().with("t/a.yaml", text).with("t/b.yaml", test("b")));
            assert!(loaded.plan.suites.is_empty(), "{text}");
            assert!(messages(&loaded).contains(&message), "{text}: {:?}", messages(&loaded));
        }
    }

    #[test]
    fn tests_next_to_a_suite_file_are_not_a_separate_suite() {
        let native = "suite: s\ntarget: { mock: { model_name: m } }\ncases: [{ id: x, input: {} }]\n";
        let files = MemoryFiles::default().with("t/s/agentci.yaml", native).with("t/a.yaml", test("a"));
        let loaded = load_folder(&files);
        assert_eq!(loaded.plan.suites.len(), 1);
        assert_eq!(messages(&loaded), ["1 YAML file belongs to no suite: `t/a.yaml`"]);
    }
}
