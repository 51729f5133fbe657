//! Lowers a suite file to a suite of the plan and folds the suite's defaults into each case.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Case, CaseData, Cases, Mode, Suite, ToolSource};
use agentci_source::{Diagnostic, Diagnostics, Node, Sources, Span};

use super::check::checks;
use super::data_ids::{own_paths, refuse_taken_ids};
use super::defaults::{CombinedDefaults, Defaults};
use super::file_names::FileNames;
use super::matrix::{CaseEntry, SuiteMatrix};
use super::read::{self, WrittenCase, WrittenSuite};
use super::readers::SuiteFolder;
use super::repeats::{refuse_total, without_gate};
use super::settings::SharedSettings;
use crate::document::{Loading, stem_of};
use crate::ids::TakenIds;
use crate::invalid_case::CaseReading;

/// The default timeout of a case.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);

/// Lowers a suite file; `None` if the suite is invalid.
pub(crate) fn lower(loading: &mut Loading<'_>, path: &Path, root: Node) -> Option<Suite> {
    let mut problems = Diagnostics::default();
    let folder = read::folder(path, &root);
    let matrix_place = SuiteFolder { files: loading.files, folder: &folder };
    let mut matrix = SuiteMatrix::read(&root, matrix_place, &mut problems);
    if problems.has_errors() && matrix.is_shared() {
        // What stays of the shared keys would be reported as wrong, too.
        loading.problems.append(problems);
        return None;
    }
    let Some(WrittenSuite { suite, mode, settings, has_target }) =
        read::suite(loading.files, path, &matrix.first(&root), &mut problems)
    else {
        loading.problems.append(problems);
        return None;
    };
    let place = SuiteFolder { files: loading.files, folder: &suite.folder };
    let mut reader = CaseReader {
        place,
        has_target,
        common: root.without(&["cases"]),
        combined: CombinedDefaults::new(Defaults::new(settings, &suite.folder), place),
        ids: TakenIds::default(),
        names: FileNames::default(),
        problems,
        cases: Vec::new(),
        loading,
    };
    // Each case is lowered as soon as it is read, and its node is dropped: keeping the nodes of all cases would take
    // more memory than the suite itself.
    for (position, node) in entries(root).into_iter().enumerate() {
        reader.entry(position, &node, &mut matrix);
    }
    matrix.unused(&mut reader.problems);
    reader.refuse_unused_played();
    let cases = reader.finish()?;
    if let Some(problem) = without_gate(&cases, &suite.gates) {
        loading.problems.push(problem);
        return None;
    }
    let mode = mode.unwrap_or_else(|| usual_mode(&cases));
    Some(Suite { mode, cases, ..suite })
}

/// The entries of `cases`, or the only one if all cases are from data.
fn entries(root: Node) -> Vec<Node> {
    match root.get("cases") {
        Some(node) if read::is_from_data(node) => vec![node.clone()],
        _ => root.into_items_of("cases"),
    }
}

/// Reads the cases of a suite one after another.
struct CaseReader<'r, 'l, 's> {
    loading: &'r mut Loading<'l>,
    place: SuiteFolder<'s>,
    /// Whether the suite has a target.
    has_target: bool,
    /// The suite without its cases.
    common: Node,
    combined: CombinedDefaults<'s>,
    ids: TakenIds,
    names: FileNames,
    /// The problems of the suite; each case has its own.
    problems: Diagnostics,
    cases: Vec<CaseReading>,
}

impl CaseReader<'_, '_, '_> {
    /// Reads an entry of `cases`, with a case for each of its combinations.
    fn entry(&mut self, position: usize, node: &Node, matrix: &mut SuiteMatrix<'_>) {
        let entry = matrix.entry(node);
        let is_data = read::is_from_data(node);
        let is_taken = !is_data && claim_common_id(&entry, &mut self.ids, self.loading.sources, &mut self.problems);
        // Most problems of an entry are the same in each of its combinations.
        let mut told = HashSet::new();
        for number in 0..entry.len() {
            let (node, values) = entry.case(number);
            let defaults = self.combined.of(values, entry.settings(), &mut self.problems);
            let wish = if is_data { stem_of(Path::new(&from_of(&node))) } else { format!("case {}", position + 1) };
            let mut case =
                CaseReading::new(&node, wish, "id", |node, own| self.case(node, is_data, &entry, &defaults, own));
            if is_data {
                // Its rows have the ids.
                case.id = None;
            }
            if case.case.is_none() {
                // Their problems were already reported when the case was read.
                let checks = node.get("checks").map(|node| checks(node, &mut Diagnostics::default()));
                case.checks = checks.unwrap_or_default();
            }
            if let Some(id) = case.id.as_ref().filter(|_| !is_taken) {
                self.ids.claim(id, self.loading.sources, &mut self.problems);
            }
            case.problems
                .iter()
                .filter(|problem| told.insert((*problem).clone()))
                .for_each(|problem| self.loading.problems.push(problem.clone()));
            self.cases.push(case);
        }
    }

    /// Reads a case and completes it with the defaults; `None` if it is invalid.
    fn case(
        &mut self,
        node: &Node,
        is_data: bool,
        entry: &CaseEntry<'_>,
        defaults: &Defaults<'_>,
        own: &mut Diagnostics,
    ) -> Option<Case> {
        own.append(entry.problems().clone());
        if !entry.is_readable() {
            return None;
        }
        let (written, data) = if is_data {
            let (written, data) = self.data_case(node, own)?;
            (written, Some(Arc::new(data)))
        } else {
            (read::case(node, self.place, self.has_target, own).filter(|_| !own.has_errors())?, None)
        };
        refuse_played_without_recording(&written.settings, &defaults.settings, own)?;
        refuse_total(written.settings.runs.as_ref(), own)?;
        let (world, common) = (&written.settings.world, &defaults.settings.world);
        match &data {
            None => self.names.claim(&written.case.id, written.case.span, world, common, &mut self.problems),
            Some(data) => own_paths(data, world, common, node.span, own)?,
        }
        let is_known = |problem: &Diagnostic| {
            self.problems.iter().any(|known| known.span == problem.span && known.message == problem.message)
        };
        if let Some(problem) = world.misfit(common).filter(|problem| !is_known(problem)) {
            self.problems.push(problem);
        }
        Some(Case { data, ..defaults.complete(written, self.cases.len())? })
    }

    /// Reads a case from data, and its data.
    fn data_case(&mut self, node: &Node, own: &mut Diagnostics) -> Option<(WrittenCase, CaseData)> {
        let read = read::data_case(node, self.place, self.has_target, own).filter(|_| !own.has_errors());
        let (written, data) = read?;
        let data = data.scan(self.loading, self.place.folder, &[node, &self.common], own);
        Some((written, data.filter(|_| !own.has_errors())?))
    }

    /// Rejects `played: true` of the suite if no case has a recording.
    fn refuse_unused_played(&mut self) {
        let Some(played) = self.combined.base.settings.played.as_ref().filter(|played| played.value) else { return };
        let recorded = |case: &CaseReading| case.case.as_ref().is_none_or(|case| case.world.recording.is_some());
        if !self.cases.iter().any(recorded) {
            self.problems.push(played_without_recording(played.span, "no case has a `recording`"));
        }
    }

    /// Reports the problems, and returns the cases unless the suite is invalid.
    fn finish(mut self) -> Option<Cases> {
        let datasets = self.cases.iter().filter_map(|case| case.case.as_ref()?.data.as_deref());
        refuse_taken_ids(datasets, &self.ids, self.loading.sources, &mut self.problems);
        self.loading.report_all(self.problems)?;
        // Cases without an id get one only after all other ids are known.
        let cases = self.cases.into_iter().enumerate();
        let mut cases: Cases =
            cases.map(|(index, case)| case.finish(self.combined.base.target(None, index), &mut self.ids)).collect();
        cases.shrink_to_fit();
        Some(cases)
    }
}

/// The first file of a case from data.
fn from_of(node: &Node) -> String {
    let from = node.get("from");
    let first = from.and_then(|from| from.items().map_or(Some(from), <[Node]>::first));
    first.and_then(Node::as_text).unwrap_or_default()
}

/// Claims the id that the combinations of an entry have in common; returns whether another entry has it.
fn claim_common_id(entry: &CaseEntry<'_>, ids: &mut TakenIds, sources: &Sources, problems: &mut Diagnostics) -> bool {
    let Some(id) = entry.common_id() else { return false };
    let mut own = Diagnostics::default();
    ids.claim(id, sources, &mut own);
    let is_taken = own.has_errors();
    problems.append(own);
    is_taken
}

/// Rejects a case, with `None`, that has `played: true` but no recording.
fn refuse_played_without_recording(
    own: &SharedSettings,
    common: &SharedSettings,
    problems: &mut Diagnostics,
) -> Option<()> {
    let played = own.played.as_ref().filter(|played| played.value);
    let Some(played) = played.filter(|_| own.world.recording.is_none() && common.world.recording.is_none()) else {
        return Some(());
    };
    problems.push(played_without_recording(played.span, "the case has no `recording`"));
    None
}

/// The error for `played: true` without a recording.
fn played_without_recording(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(span, format!("`played` has no effect: {reason}"))
        .label("nothing would be played")
        .help("remove it, or name the recorded conversation with `world: { recording: .. }`")
}

/// The default mode of a suite: `live` if it has a server without a recording and without mocked tools, else `replay`.
pub(super) fn usual_mode(cases: &Cases) -> Mode {
    let routed = |case: &Case| matches!(case.world.tools, ToolSource::Routes(_));
    let recorded = |case: &Case| case.world.recording.is_some() || case.recorded_world().is_some();
    let live = cases.iter().any(|case| case.target.takes_requests() && !recorded(case) && !routed(case));
    if live { Mode::Live } else { Mode::Replay }
}

#[cfg(test)]
mod tests {
    use agentci_plan::{Data, Mode, Skip, StopRule, Target, Text, TurnInput};
    use agentci_source::MemoryFiles;
    use serde_json::json;

    use crate::{Loaded, load};

    use super::*;

    fn load_suite(text: &str) -> Loaded {
        let files = MemoryFiles::default().with("s/agentci.yaml", text).with("s/agent.py", "").with("s/work/x.py", "");
        load(&files, &["s".into()])
    }

    fn messages(loaded: &Loaded) -> Vec<&str> {
        loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect()
    }

    fn cassette(case: &Case) -> Option<&Path> {
        match &case.world.tools {
            ToolSource::Cassette(cassette) => Some(&cassette.path),
            _ => None,
        }
    }

    #[test]
    fn reports_script_problems_together_with_target_problems() {
        let script = "script: { rules: [{ reply: hi, usage: { output: many } }] }";
        let auth = "auth: { api_key: { name: x, value: y } }";
        let suite = |target: &str, common: &str, own: &str| {
            let (common, own) = (format!("model: {{ {common} }}"), format!("model: {{ {own} }}"));
            let case = format!("{{ id: a, input: {{}}, world: {{ {own} }}, runs: 1 }}");
            load_suite(&format!("suite: s\ntarget: {{ mcp: {target} }}\nworld: {{ {common} }}\ncases: [{case}]\n"))
        };
        let refused = format!("{{ command: [x], {auth} }}");
        let not_for = "`auth` is not supported for an MCP server over stdio";
        let not_a_count = "`output` must be an integer, found the string `many`";
        assert_eq!(messages(&suite(&refused, script, "optional: true")), [not_for, not_a_count]);
        assert_eq!(messages(&suite(&refused, "optional: true", script)), [not_for, not_a_count]);
        assert_eq!(messages(&suite("{ command: [x] }", "optional: true", script)), [not_a_count]);
    }

    #[test]
    fn refuses_excessive_runs_and_positions() {
        let mock =
            |position: u32| format!("target: {{ mock: {{ model_name: m, responses: [], position: {position} }} }}");
        let suite = |target: &str, runs: u32| {
            let loaded = load_suite(&format!("suite: s\n{target}\ncases: [{{ id: a, input: {{}}, runs: {runs} }}]\n"));
            messages(&loaded).join("; ")
        };
        assert_eq!(suite(&mock(1_000_000), 100_000), "");
        assert_eq!(suite(&mock(1_000_001), 1), "`position` must be 1000000 or less");
        assert_eq!(suite(&mock(0), 100_001), "`runs` must be 100000 or less, found 100001");
    }

    #[test]
    fn refuses_oversized_script_and_env_files() {
        for (key, path) in [("script", "s/index.ts"), ("env", "s/.env")] {
            let chat =
                format!("connector: {{ api: mock, model: m, script: model.yaml }}, prompts: [], {key}: {}", &path[2..]);
            let yaml =
                format!("suite: s\ntarget: {{ chat: {{ {chat} }} }}\ncases: [{{ id: a, turns: [{{ user: x }}] }}]\n");
            let files = MemoryFiles::default().with("s/agentci.yaml", yaml).with("s/model.yaml", "default: x\n");
            let loaded = load(&files.with(path, " ".repeat((10 << 20) + 1)), &["s".into()]);
            let told = format!("cannot read `{path}`: the file has 10485761 bytes, the limit is 10485760");
            assert!(messages(&loaded).contains(&told.as_str()), "{:?}", messages(&loaded));
        }
    }

    #[test]
    fn applies_suite_defaults_to_its_cases() {
        let loaded = load_suite(
            "suite: s\nmode: live\noutput_dir: out\n\
             target: { process: { command: [python3, agent.py], folder: work, env: { PORT: 80, NAME: \"${X}\" } } }\n\
             world: { tools: { cassette: 'tapes/{case}.jsonl', allow: [pay] } }\n\
             variables: { A: one, B: 2 }\nhooks: [{ command: [seed] }]\nchecks: [{ contains: x }]\n\
             limits: { wall: 20s, tool_calls: 10 }\ntimeout: none\nruns: 2\nstop: never\n\
             cases:\n\
             - id: plain\n  input: { q: \"$${X}\" }\n\
             - id: own\n  description: about\n  tags: money\n  skip: later\n  timeout: 1m\n  runs: 5\n  stop: first_failure\n\
             \x20 target: { process: { command: [other] } }\n  world: { tools: { cassette: own.jsonl } }\n\
             \x20 variables: { B: two, C: three }\n  hooks: [{ command: [more], timeout: 2s }]\n\
             \x20 checks: [valid_json]\n  limits: { tool_calls: 1, cost_usd: 0.05 }\n\
             \x20 turns: [{ user: 'hi ${A}', checks: [{ contains: y }] }, { 'mcp:call': { name: x } }]\n",
        );
        assert_eq!(messages(&loaded), Vec::<&str>::new());
        let suite = &loaded.plan.suites[0];
        assert_eq!((suite.mode, suite.output_dir.as_deref()), (Mode::Live, Some(Path::new("s/out"))));
        let [plain, own] = suite.cases.as_slice() else { panic!("two cases") };
        let Target::Process(process) = &*plain.target else { panic!("not a process") };
        assert_eq!(process.command[1].file.as_deref(), Some(Path::new("s/agent.py")));
        assert_eq!(process.folder.as_deref(), Some(Path::new("s/work")));
        assert_eq!(process.environment[0], ("PORT".into(), Text::Literal("80".into())));
        assert_eq!(cassette(plain), Some(Path::new("s/tapes/plain.jsonl")));
        assert_eq!((plain.timeout, plain.runs, plain.stop), (None, 2, StopRule::Never));
        assert_eq!(plain.turns[0].said, TurnInput::Input(Data::literal(&json!({"q": "${X}"}))));

        assert_eq!(cassette(own), Some(Path::new("s/own.jsonl")));
        assert_eq!(own.world.allowed.as_ref().unwrap()[0].value, "pay");
        let names: Vec<_> = own.variables.iter().map(|(name, text)| (name.as_str(), text.written())).collect();
        assert_eq!(names, [("A", "one".into()), ("B", "two".into()), ("C", "three".into())]);
        assert_eq!(own.hooks.iter().map(|hook| hook.timeout.as_secs()).collect::<Vec<_>>(), [30, 2]);
        assert_eq!(own.checks.len(), 2);
        assert!(Arc::ptr_eq(&own.checks[0], &plain.checks[0]));
        assert_eq!(own.limits.wall_ms.unwrap().most.to_string(), "20000");
        assert_eq!(own.limits.tool_calls.unwrap().most.to_string(), "1");
        assert_eq!((own.timeout, own.runs, own.stop), (Some(Duration::from_mins(1)), 5, StopRule::FirstFailure));
        assert_eq!(
            (&*own.tags, own.skip.as_deref()),
            (&["money".into()][..], Some(&Skip { reason: Some("later".into()) }))
        );
        assert!(matches!(&own.turns[1].said, TurnInput::Action(action) if action.kind.value == "mcp:call"));
    }

    #[test]
    fn minimal_suite_has_sensible_defaults() {
        let loaded = load_suite(
            "suite: s\ntarget: { process: { command: [a] } }\nlimits: { wall: 1s }\ncases: [{ id: x, input: {} }]\n",
        );
        let case = &loaded.plan.suites[0].cases[0];
        assert_eq!((case.timeout, case.runs, case.stop), (Some(DEFAULT_TIMEOUT), 1, StopRule::FirstFailedTurn));
        assert_eq!((cassette(case), &case.world.allowed, &case.skip), (None, &None, &None));
    }

    #[test]
    fn paths_are_relative_to_the_suite_folder_setting() {
        let loaded = load_suite(
            "suite: s\nfolder: ../other\ntarget: { process: { command: [agent.py] } }\n\
             world: { tools: { cassette: t.jsonl } }\ncases: [{ id: x, input: {} }]\n",
        );
        let suite = &loaded.plan.suites[0];
        assert_eq!(suite.folder, Path::new("other"));
        assert_eq!(cassette(&suite.cases[0]), Some(Path::new("other/t.jsonl")));
        let Target::Process(process) = &*suite.cases[0].target else { panic!("not a process") };
        assert_eq!(process.command[0].file, None);
    }

    #[test]
    fn invalid_case_is_broken_and_others_load() {
        let loaded = load_suite(
            "suite: s\ntarget: { process: { command: [a] } }\ncases:\n- { id: good, input: {} }\n\
             - { id: both, input: {}, turns: [] }\n- { input: {} }\n- 7\n- { id: runs, input: {}, runs: 0, tag: x }\n",
        );
        let cases: Vec<_> = loaded.plan.suites[0].cases.iter().map(|c| (c.id.as_str(), c.broken.is_some())).collect();
        assert_eq!(cases, [("good", false), ("both", true), ("case 3", true), ("case 4", true), ("runs", true)]);
        assert_eq!(
            messages(&loaded),
            [
                "a case has `input` or `turns`, not both",
                "the case needs `id`",
                "the case must be a mapping, found the number 7",
                "`runs` must be 1 or more, found 0",
                "unknown key `tag` in the case",
            ]
        );
    }

    #[test]
    fn suite_level_errors_reject_the_suite() {
        for (text, message) in [
            ("cases: [{ id: x, input: {} }]\ntarget: { process: { command: [a] } }\n", "the suite needs `suite`"),
            ("suite: s\ntarget: { process: { command: [a] } }\ncases: []\n", "`cases` is empty"),
            ("suite: s\ncases: [{ id: x, input: {} }]\n", "neither the suite nor any case has a `target`"),
            ("suite: s\ntarget: { proces: {} }\ncases: [{ id: x, input: {} }]\n", "unknown target `proces`"),
            (
                "suite: s\ntarget: { process: { command: [] } }\ncases: [{ id: x, input: {} }]\n",
                "`command` names no program",
            ),
            (
                "suite: s\ntarget: { process: { command: [a] } }\ncases: [{ id: x, input: {} }, { id: x, input: {} }]\n",
                "the case id `x` is used twice",
            ),
            (
                "suite: s\ntarget: { process: { command: [a] } }\nvariables: { a-b: x }\ncases: [{ id: x, input: {} }]\n",
                "`a-b` cannot be the name of a variable",
            ),
        ] {
            let loaded = load_suite(text);
            assert!(loaded.plan.suites.is_empty(), "{text}");
            assert_eq!(messages(&loaded), [message]);
        }
    }

    #[test]
    fn case_can_define_the_only_target() {
        let loaded = load_suite(
            "suite: s\ncases:\n- { id: x, input: {}, target: { process: { command: [a] } } }\n- { id: y, input: {} }\n",
        );
        let broken: Vec<_> = loaded.plan.suites[0].cases.iter().map(|case| case.broken.is_some()).collect();
        assert_eq!(broken, [false, true]);
        assert_eq!(messages(&loaded), ["neither the case nor the suite has a `target`"]);
    }

    #[test]
    fn turn_requires_exactly_one_action() {
        let loaded = load_suite(
            "suite: s\ntarget: { process: { command: [a] } }\ncases:\n- id: x\n  turns:\n  - { user: a, input: {} }\n  \
             - { usr: a }\n  - { messages: [{ role: user }] }\n  - { messages: [{ role: system, content: hi }] }\n",
        );
        assert_eq!(
            messages(&loaded),
            [
                "a turn needs exactly one of `user`, `input`, `messages` or an action",
                "unknown key `usr` in a turn",
                "a message needs `content`",
            ]
        );
    }
}
