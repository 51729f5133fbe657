//! Lowers a suite folder to a suite of the plan.

use std::path::Path;

use agentci_plan::Suite;
use agentci_source::{Diagnostics, Node};

use super::assertion::assertions;
use super::case_files;
use super::read::{self, SuiteFile, configured};
use crate::command::SuiteFolder;
use crate::document::{Loading, folder_of};
use crate::invalid_case::{CaseReading, claim_ids};

/// Lowers a suite file and its case files; `None` if the suite is rejected.
pub(crate) fn lower(loading: &mut Loading<'_>, path: &Path, root: &Node) -> Option<Suite> {
    let mut problems = Diagnostics::default();
    let folder = folder_of(path);
    let place = SuiteFolder { files: loading.files, folder: &folder };
    let suite = read::suite(place, path, root, &mut problems);
    let cases = suite.as_ref().and_then(|suite| {
        let cases_folder = configured(&folder, &suite.cases_path.value);
        let paths = case_files::find(loading.files, &cases_folder, &suite.cases_path, &mut problems)?;
        Some(paths.iter().map(|path| open_case(loading, path, suite)).collect::<Vec<_>>())
    });
    let mut ids = claim_ids(cases.as_deref().unwrap_or_default(), loading, problems)?;
    let (SuiteFile { suite, target, .. }, cases) = (suite?, cases?);
    let cases = cases.into_iter().map(|case| case.finish(Some(target.clone()), &mut ids)).collect();
    Some(Suite { cases, ..suite })
}

fn open_case(loading: &mut Loading<'_>, path: &Path, suite: &SuiteFile) -> CaseReading {
    let mut checks = Vec::new();
    let mut case = CaseReading::of_file(path, loading.open(path), "id", |root, problems| {
        // Errors in assertions are reported when the whole case is read.
        checks = root.get("assertions").map(|node| assertions(node, &mut Diagnostics::default())).unwrap_or_default();
        read::case(root, suite, problems)
    });
    case.checks = checks;
    case
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use agentci_plan::{Data, Dialect, Mode, Target, ToolSource, TurnInput};
    use agentci_source::MemoryFiles;
    use serde_json::json;

    use crate::runledger::read::DEFAULT_TIMEOUT;
    use crate::{Loaded, load};

    const SUITE: &str = "suite_name: refunds\nagent_command: [python3, agent.py, data]\nmode: replay\n\
        cases_path: cases\ntool_registry: [search, pay]\n";
    const CASE: &str = "id: ID\ninput: { q: hello }\ncassette: cassettes/ID.jsonl\n";

    fn case(id: &str) -> String {
        CASE.replace("ID", id)
    }

    fn files() -> MemoryFiles {
        MemoryFiles::default().with("s/suite.yaml", SUITE).with("s/cases/a.yaml", case("a"))
    }

    fn load_suite(files: &MemoryFiles) -> Loaded {
        load(files, &["s".into()])
    }

    fn messages(loaded: &Loaded) -> Vec<&str> {
        loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect()
    }

    #[test]
    fn lowers_a_suite_with_its_cases() {
        let suite = format!(
            "{SUITE}output_dir: out\\runs\nassertions: [{{ type: must_call, tools: pay }}]\n\
             budgets: {{ max_wall_ms: 100, max_tool_calls: 3 }}\n"
        );
        let files = files()
            .with("s/suite.yaml", suite)
            .with("s/agent.py", "")
            .with("s/data/x", "")
            .with("s/cases/a9.yaml", case("a9"))
            .with("s/cases/a10.yaml", format!("{}budgets: {{ max_tool_calls: 0 }}\n", case("a10")));
        let loaded = load_suite(&files);
        assert_eq!(messages(&loaded), Vec::<&str>::new());
        let suite = &loaded.plan.suites[0];
        assert_eq!((suite.dialect, suite.mode, suite.span.line), (Dialect::Runledger, Mode::Replay, 1));
        assert_eq!(suite.output_dir.as_deref(), Some(Path::new("s/out/runs")));
        assert_eq!(suite.cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["a", "a10", "a9"]);
        let case = &suite.cases[1];
        let Target::Process(process) = &*case.target else { panic!("not a process") };
        let found: Vec<_> = process.command.iter().map(|part| part.file.as_deref()).collect();
        assert_eq!((found, &process.folder), (vec![None, Some(Path::new("s/agent.py")), None], &None));
        let ToolSource::Cassette(cassette) = &case.world.tools else { panic!("no cassette") };
        assert_eq!((cassette.path.as_path(), cassette.span.line), (Path::new("s/cassettes/a10.jsonl"), 3));
        assert_eq!(case.world.allowed.as_ref().unwrap().len(), 2);
        assert_eq!(case.limits.wall_ms.unwrap().most.to_string(), "100");
        assert_eq!(case.limits.tool_calls.unwrap().most.to_string(), "0");
        assert_eq!(case.timeout, None);
        assert!(Arc::ptr_eq(&case.checks[0], &suite.cases[2].checks[0]));
        assert_eq!(case.turns[0].said, TurnInput::Input(Data::literal(&json!({"q": "hello"}))));
    }

    #[test]
    fn case_without_wall_budget_uses_default_timeout() {
        assert_eq!(load_suite(&files()).plan.suites[0].cases[0].timeout, Some(DEFAULT_TIMEOUT));
    }

    #[test]
    fn reports_every_problem_of_a_suite_file() {
        let files = files().with(
            "s/suite.yaml",
            "suit_name: x\nagent_command: []\nmode: replai\ncases_path: 7\nbudgets: { max_wall_ms: 1.5, max: 1 }\n",
        );
        let loaded = load_suite(&files);
        assert!(loaded.plan.suites.is_empty());
        assert_eq!(
            messages(&loaded),
            [
                "unknown key `suit_name` in the suite",
                "the suite needs `tool_registry`",
                "`agent_command` names no program",
                "`mode` must be one of `replay`, `record`, `live`, found the string `replai`",
                "`cases_path` must be a string, found the number 7",
                "`max_wall_ms` must be an integer, found the number 1.5",
                "unknown key `max` in `budgets`",
            ]
        );
    }

    #[test]
    fn invalid_case_file_is_broken_and_others_load() {
        let files = files()
            .with("s/cases/b.yaml", "id: kept\ninput: 3\n")
            .with("s/cases/c.yaml", "id: [\n")
            .with("s/cases/d.yaml", case("c"));
        let loaded = load_suite(&files);
        let cases = &loaded.plan.suites[0].cases;
        let ids: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.broken.is_some())).collect();
        assert_eq!(ids, [("a", false), ("kept", true), ("c-2", true), ("c", false)]);
        assert_eq!(
            messages(&loaded),
            ["the case needs `cassette`", "`input` must be a mapping, found the number 3", "`[` is never closed"]
        );
        assert_eq!(cases[1].broken.as_ref().unwrap().count(agentci_source::Severity::Error), 2);
    }

    #[test]
    fn keys_of_other_dialects_are_refused_in_cases() {
        let loaded = load_suite(&files().with("s/cases/a.yaml", format!("{}tags: [x]\n", case("a"))));
        assert_eq!(messages(&loaded), ["unknown key `tags` in the case"]);
    }

    #[test]
    fn duplicate_ids_reject_the_suite_and_name_both_locations() {
        let loaded = load_suite(&files().with("s/cases/b.yaml", case("a")));
        assert!(loaded.plan.suites.is_empty());
        let problem = loaded.diagnostics.iter().next().unwrap();
        assert_eq!(problem.message, "the case id `a` is used twice");
        assert_eq!(problem.label, "first used in `s/cases/a.yaml` at line 1");
        assert_eq!(&*problem.place(&loaded.plan.sources).path, "s/cases/b.yaml");
    }

    #[test]
    fn missing_or_empty_cases_folder_is_an_error() {
        let missing = load_suite(&MemoryFiles::default().with("s/suite.yaml", SUITE));
        assert_eq!(messages(&missing), ["folder `s/cases` does not exist"]);
        assert_eq!(missing.diagnostics.iter().next().unwrap().span.line, 4);
        let empty = MemoryFiles::default().with("s/suite.yaml", SUITE).with("s/cases/a.yml", case("a"));
        assert_eq!(
            messages(&load_suite(&empty)),
            ["`a.yml` in `s/cases` is ignored", "the folder `s/cases` contains no `.yaml` file"]
        );
    }

    #[test]
    fn reads_input_like_python_yaml_with_a_warning() {
        let input = "{ land: NO, code: '010', n: 010, e: 1e3, t: 1:30, big: 123456789012345678901234567890 }";
        let text = format!("id: a\ninput: {input}\ncassette: c\n");
        let loaded = load_suite(&files().with("s/cases/a.yaml", text));
        let case = &loaded.plan.suites[0].cases[0];
        let TurnInput::Input(data) = &case.turns[0].said else { panic!("no input") };
        assert_eq!(
            data.as_literal().unwrap().to_string(),
            r#"{"land":false,"code":"010","n":8,"e":"1e3","t":90,"big":123456789012345678901234567890}"#
        );
        assert_eq!(
            messages(&loaded),
            ["`NO` is read as false here", "`010` is read as 8 here", "`1e3` is read as a string here"]
        );
        assert!(!loaded.diagnostics.has_errors());
    }

    #[test]
    fn reads_tools_and_faults_and_merges_case_normalization() {
        let more = "tool_module: my.tools\nregression: { min_pass_rate: 0.9, mine: x }\n\
            tools: { pay: { command: [./pay, x] } }\nfaults: [{ tool: pay, call: 2, error: down }]\n\
            redact: { keys: [name] }\n\
            normalization: { strip_keys: [id], replace_text: [{ pattern: a, flags: i }] }\n";
        let own = format!("{}normalization: {{ strip_keys: [at] }}\nfaults: [{{ hang: yes }}]\n", case("a"));
        let whole = files().with("s/suite.yaml", format!("{SUITE}{more}")).with("s/cases/a.yaml", own);
        let loaded = load_suite(&whole);
        assert!(loaded.diagnostics.is_empty(), "{:?}", messages(&loaded));
        let suite = &loaded.plan.suites[0];
        let world = &suite.cases[0].world;
        assert_eq!(world.normalization.strip_keys, ["id", "at"]);
        assert_eq!(world.normalization.replace_text[0].pattern, "(?i)a");
        assert_eq!(world.faults.len(), 2);
        assert_eq!(world.live.tools[0].0.value, "pay");
        assert_eq!(world.live.module.as_ref().unwrap().value, "my.tools");
        assert_eq!(suite.redact.keys, ["name"]);
        let wrong = "regression: { min_pass_rate: high }\nnormalization: { strip_key: [id], replace_text: [x] }\n";
        let loaded = load_suite(&files().with("s/suite.yaml", format!("{SUITE}{wrong}")));
        assert!(loaded.plan.suites.is_empty());
        assert_eq!(loaded.diagnostics.count(agentci_source::Severity::Error), 3);
    }
}
