//! A config and its tests to a suite of the plan.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use agentci_plan::{
    Case, CaseFiles, Check, Dialect, Habits, Limits, Mode, Parallelism, RecordingSetting, ScriptedTool, StopRule,
    Suite, Target, Turn, Verdicts, World,
};
use agentci_source::{Diagnostic, Diagnostics, Name, Node, Span, Spanned};

use super::config::{self, AnankeConfig};
use super::named_blocks::CheckBudget;
use super::project::Project;
use super::recording;
use super::rules::{LevelRules, Merged};
use super::target::{SuiteFolder, TargetProtocol};
use super::test::{self, TestBody, TestFile};
use super::tool::{WrittenTool, merged};
use crate::document::OpenedFile as Test;
use crate::document::{Loading, folder_of, stem_of};
use crate::ids::{self, TakenIds};
use crate::invalid_case;
use crate::new_suite::new_suite;

/// What suites of the dialect take for granted.
const HABITS: Habits = Habits {
    parallelism: Parallelism::One,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    ..Habits::USUAL
};

/// Lowers a config and its tests; `None` when the suite is refused. A test that is wrong is a broken case.
pub(crate) fn lower(loading: &mut Loading<'_>, project: Project) -> Option<Suite> {
    let Project { config: path, mut tests } = project;
    let folder = folder_of(&path);
    let place = SuiteFolder { files: loading.files, folder: &folder };
    let root = loading.open(&path);
    let root = loading.report(root)?;
    let mut problems = Diagnostics::default();
    let config = config::config(&root, place, &mut problems).filter(|_| !problems.has_errors());
    let shared = config.as_ref().map(|config| ConfigDefaults::new(config, place, &mut problems));
    let shared = shared.filter(|_| !problems.has_errors());
    loading.problems.append(problems);
    let mut shared = shared?;
    tests.sort_by(|one, other| one.path.cmp(&other.path));
    let mut opened: Vec<OpenedTest> = tests.into_iter().map(|test| shared.open(test)).collect();
    let mut ids = TakenIds::default();
    ids.reserve(opened.iter().filter_map(|test| Some(test.name.as_ref()?.value.clone())));
    for test in &mut opened {
        if let Some(name) = &mut test.name {
            name.value = ids.tell_apart(name, &test.stem, loading.sources, loading.problems);
        }
        loading.problems.append(test.problems.clone());
    }
    let cases = opened.into_iter().map(|test| Box::new(test.case(&shared, &mut ids))).collect();
    let name = loading.files.name(&folder).unwrap_or_else(|| "ananke".into());
    let suite = new_suite(name, (Dialect::Ananke, HABITS), path, folder, root.span);
    Some(Suite { mode: Mode::Live, cases, ..suite })
}

/// What the tests of a config have in common.
struct ConfigDefaults<'c> {
    config: &'c AnankeConfig,
    place: SuiteFolder<'c>,
    target: Arc<Target>,
    scripted: Arc<[ScriptedTool]>,
    /// What the target asks.
    said: LevelRules,
    /// The same for a test that asks nothing itself.
    merged: Merged,
    /// Demands that were warned about.
    warned: HashSet<Span>,
}

impl<'c> ConfigDefaults<'c> {
    fn new(config: &'c AnankeConfig, place: SuiteFolder<'c>, problems: &mut Diagnostics) -> Self {
        let mut budget = CheckBudget::new();
        let block = config.target.block.as_ref();
        let rules = block.map(|block| config.named.gather(block, &mut budget)).unwrap_or_default();
        let said = LevelRules { rules, inherit: config.inherit || block.is_some_and(|block| block.inherit) };
        let merged = Merged::new(&said, &LevelRules::default(), &mut budget);
        if budget.exceeded() {
            problems.push(too_much(config.target.target.span()));
        }
        let mut shared = Self {
            config,
            place,
            target: Arc::new(config.target.target.clone()),
            scripted: config.target.tools.iter().filter_map(WrittenTool::scripted).collect(),
            said,
            merged,
            warned: HashSet::new(),
        };
        let demands = shared.said.rules.require.clone();
        shared.warn_of_demands(&demands, problems);
        shared
    }

    /// A2A shows no tool calls, so a demand for one cannot be met.
    fn warn_of_demands(&mut self, demands: &[Arc<Check>], problems: &mut Diagnostics) {
        if self.config.target.protocol != TargetProtocol::A2a {
            return;
        }
        let new = demands.iter().find(|check| !self.warned.contains(&check.kind.span));
        self.warned.extend(demands.iter().map(|check| check.kind.span));
        if let Some(check) = new {
            problems
                .warning(check.kind.span, "an A2A agent does not show its tool calls", "will hardly ever be seen")
                .help("ask for what the agent says with `text`, or for what it must not call with `forbid`");
        }
    }

    fn open(&mut self, test: Test) -> OpenedTest {
        let Test { path, root } = test;
        let stem = stem_of(&path);
        let mut opened = OpenedTest {
            stem: stem.strip_suffix(".test").map(str::to_owned).unwrap_or(stem),
            recording: recording::path(self.place, &self.config.recordings, &path),
            ..OpenedTest::default()
        };
        let root = match root {
            Ok(root) => root,
            Err(problem) => {
                opened.span = Some(problem.span);
                opened.problems.push(problem);
                return opened;
            }
        };
        opened.span = Some(root.span);
        self.read(&root, &folder_of(&path), &mut opened);
        opened.problems.sort();
        opened
    }

    fn read(&mut self, root: &Node, folder: &Path, opened: &mut OpenedTest) {
        let problems = &mut opened.problems;
        let (file, asked) = test::test(root, self.config, self.place, folder, problems);
        opened.name = file.as_ref().map(|file| file.name.clone()).or_else(|| ids::readable(root, "name"));
        // Blocks can be put together once they are known not to build upon themselves.
        let Some(file) = file.filter(|_| !problems.has_errors()) else {
            let blocks = asked.block.iter().chain(asked.turns.iter().filter_map(|turn| turn.block.as_ref()));
            opened.checks = self.merged.whole();
            opened.checks.extend(blocks.flat_map(|block| block.rules.checks()));
            return;
        };
        opened.file = Some(file);
        let mut budget = CheckBudget::new();
        let demands = opened.ask(asked, self, &mut budget);
        if budget.exceeded() {
            opened.problems.push(too_much(root.span));
        }
        self.warn_of_demands(&demands, &mut opened.problems);
    }
}

fn too_much(span: Span) -> Diagnostic {
    let most = CheckBudget::MOST;
    Diagnostic::error(span, format!("the assertions come to more than {most} checks"))
        .help("ask for less in the target and in named blocks, or split the test")
}

/// A test file that was opened, with whatever is wrong with it.
#[derive(Default)]
struct OpenedTest {
    file: Option<TestFile>,
    turns: Vec<Turn>,
    checks: Vec<Arc<Check>>,
    name: Option<Spanned<Name>>,
    stem: String,
    span: Option<Span>,
    recording: std::path::PathBuf,
    problems: Diagnostics,
}

impl OpenedTest {
    /// Puts together what is asked, for each turn and for all of them; the calls that are demanded beyond the target's.
    fn ask(&mut self, asked: TestBody<'_>, shared: &ConfigDefaults<'_>, budget: &mut CheckBudget) -> Vec<Arc<Check>> {
        let TestBody { turns, block, named, inherit } = asked;
        let rules = block.as_ref().map(|block| named.gather(block, budget)).unwrap_or_default();
        let mut demands = rules.require.clone();
        let own;
        let merged = if block.is_none() && !inherit {
            &shared.merged
        } else {
            let all = inherit || shared.config.inherit;
            let target = LevelRules { inherit: inherit || shared.said.inherit, ..shared.said.clone() };
            let test = LevelRules { rules, inherit: all || block.is_some_and(|block| block.inherit) };
            own = Merged::new(&target, &test, budget);
            &own
        };
        for turn in turns {
            let rules = turn.block.map(|block| named.gather(&block, budget));
            demands.extend(rules.iter().flat_map(|rules| &rules.require).cloned());
            let checks = merged.turn(rules.as_ref(), budget);
            self.turns.push(Turn { said: turn.said, checks, limits: Limits::none(), span: turn.span });
        }
        self.checks = merged.whole();
        demands
    }

    fn case(self, shared: &ConfigDefaults<'_>, ids: &mut TakenIds) -> Case {
        let target = Arc::clone(&shared.target);
        let (Some(file), false) = (self.file, self.problems.has_errors()) else {
            let span = self.span.unwrap_or(target.span());
            return invalid_case::case(self.name, (&self.stem, span), ids, Some(target), self.checks, self.problems);
        };
        let TestFile { name, tags, skip, hooks, tools } = file;
        let name = self.name.unwrap_or(name);
        let (target, scripted) = match tools {
            None => (target, Arc::clone(&shared.scripted)),
            Some(tools) => with_tools(&target, &merged(&shared.config.target.tools, tools)),
        };
        let recording = Some(RecordingSetting { path: self.recording, span: name.span });
        let world = World { scripted, recording, ..World::default() };
        Case {
            tags: tags.into(),
            skip: skip.map(Box::new),
            hooks: hooks.into(),
            turns: self.turns.into(),
            checks: self.checks.into(),
            stop: StopRule::FirstFailedTurn,
            played: shared.config.played,
            ..Case::new(name.value, name.span, target, Arc::new(world))
        }
    }
}

fn with_tools(target: &Arc<Target>, tools: &[WrittenTool]) -> (Arc<Target>, Arc<[ScriptedTool]>) {
    let mut target = Target::clone(target);
    if let Target::Agui(agui) = &mut target {
        agui.tools = tools.iter().map(WrittenTool::client).collect();
    }
    (Arc::new(target), tools.iter().filter_map(WrittenTool::scripted).collect())
}
