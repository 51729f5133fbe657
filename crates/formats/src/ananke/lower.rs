//! Lowers a config and its tests to a suite of the plan.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use agentci_plan::{
    Case, CaseFiles, Check, Dialect, FormatConventions, Limits, Mode, Parallelism, RecordingSetting, ScriptedTool,
    StopRule, Suite, Target, Turn, Verdicts, World,
};
use agentci_source::{Diagnostic, Diagnostics, Node, Span};

use super::config::{self, AnankeConfig};
use super::named_blocks::CheckBudget;
use super::project::Project;
use super::recording;
use super::rules::{LevelRules, MergedRules, Rules};
use super::target::{SuiteFolder, TargetProtocol};
use super::test::{self, TestFile};
use super::tool::{WrittenTool, merged};
use crate::document::{Loading, OpenedFile, folder_of};
use crate::ids::TakenIds;
use crate::invalid_case::CaseReading;
use crate::new_suite::new_suite;

/// The defaults of the dialect.
const CONVENTIONS: FormatConventions = FormatConventions {
    parallelism: Parallelism::One,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    ..FormatConventions::USUAL
};

/// Lowers a config and its tests; `None` if the suite is rejected. An invalid test is a broken case.
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
    let mut opened: Vec<CaseReading> = tests.into_iter().map(|test| shared.open(test)).collect();
    let mut ids = TakenIds::default();
    ids.reserve(opened.iter().filter_map(|test| Some(test.id.as_ref()?.value.clone())));
    for test in &mut opened {
        if let Some(name) = &mut test.id {
            name.value = ids.tell_apart(name, &test.wish, loading.sources, loading.problems);
            test.case.iter_mut().for_each(|case| case.id = name.value.clone());
        }
        loading.problems.append(test.problems.clone());
    }
    let cases = opened.into_iter().map(|test| test.finish(Some(shared.target.clone()), &mut ids)).collect();
    let name = loading.files.name(&folder).unwrap_or_else(|| "ananke".into());
    let suite = new_suite(name, (Dialect::Ananke, CONVENTIONS), path, folder, root.span);
    Some(Suite { mode: Mode::Live, cases, ..suite })
}

/// The settings shared by the tests of a config.
struct ConfigDefaults<'c> {
    config: &'c AnankeConfig,
    place: SuiteFolder<'c>,
    target: Arc<Target>,
    scripted: Arc<[ScriptedTool]>,
    /// The assertions of the target.
    said: LevelRules,
    /// The merged checks for a test without its own assertions.
    merged: MergedRules,
    /// Requirements with a warning already.
    warned: HashSet<Span>,
}

impl<'c> ConfigDefaults<'c> {
    fn new(config: &'c AnankeConfig, place: SuiteFolder<'c>, problems: &mut Diagnostics) -> Self {
        let mut budget = CheckBudget::new();
        let block = config.target.block.as_ref();
        let rules = block.map(|block| config.named.gather(block, &mut budget)).unwrap_or_default();
        let said = LevelRules { rules, inherit: config.inherit || block.is_some_and(|block| block.inherit) };
        let merged = MergedRules::new(&said, &LevelRules::default(), &mut budget);
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
        let demands = shared.said.rules.demanded_calls().to_vec();
        shared.warn_of_demands(&demands, problems);
        shared
    }

    /// A2A does not report tool calls, so a requirement for one will rarely pass.
    fn warn_of_demands(&mut self, demands: &[Arc<Check>], problems: &mut Diagnostics) {
        if self.config.target.protocol != TargetProtocol::A2a {
            return;
        }
        let new = demands.iter().find(|check| !self.warned.contains(&check.kind.span));
        self.warned.extend(demands.iter().map(|check| check.kind.span));
        if let Some(check) = new {
            problems
                .warning(check.kind.span, "an A2A agent does not report its tool calls", "will rarely be seen")
                .help("check the answer with `text`, or list tools that must not be called in `forbid`");
        }
    }

    fn open(&mut self, test: OpenedFile) -> CaseReading {
        let OpenedFile { path, root } = test;
        let mut checks = Vec::new();
        let mut opened =
            CaseReading::of_file(&path, root, "name", |root, problems| self.read(root, &path, &mut checks, problems));
        if let Some(stem) = opened.wish.strip_suffix(".test") {
            opened.wish = stem.to_owned();
        }
        opened.checks = checks;
        opened
    }

    /// Reads a test. The checks for the whole test are kept even if it is invalid.
    fn read(
        &mut self,
        root: &Node,
        path: &Path,
        checks: &mut Vec<Arc<Check>>,
        problems: &mut Diagnostics,
    ) -> Option<Case> {
        let mut test = test::test(root, self.config, self.place, &folder_of(path), problems);
        // Blocks can only be merged once they are known not to extend themselves.
        let Some(name) = test.name.take().filter(|_| !problems.has_errors()) else {
            let blocks = test.block.iter().chain(test.turns.iter().filter_map(|turn| turn.block.as_ref()));
            *checks = self.merged.whole();
            checks.extend(blocks.flat_map(|block| block.rules.checks()));
            return None;
        };
        let mut budget = CheckBudget::new();
        let (turns, demands) = self.ask(&mut test, checks, &mut budget);
        if budget.exceeded() {
            problems.push(too_much(root.span));
        }
        self.warn_of_demands(&demands, problems);
        let (target, scripted) = match test.tools {
            None => (Arc::clone(&self.target), Arc::clone(&self.scripted)),
            Some(tools) => with_tools(&self.target, &merged(&self.config.target.tools, tools)),
        };
        let path = recording::path(self.place, &self.config.recordings, path);
        let recording = Some(RecordingSetting { path, span: name.span });
        let world = World { scripted, recording, ..World::default() };
        Some(Case {
            tags: test.tags.into(),
            skip: test.skip.map(Box::new),
            hooks: test.hooks.into(),
            turns: turns.into(),
            checks: checks.as_slice().into(),
            stop: StopRule::FirstFailedTurn,
            played: self.config.played,
            ..Case::new(name.value, name.span, target, Arc::new(world))
        })
    }

    /// Merges the assertions for each turn and for the whole test; also returns the required calls of the test and its
    /// turns.
    fn ask(
        &self,
        test: &mut TestFile<'_>,
        checks: &mut Vec<Arc<Check>>,
        budget: &mut CheckBudget,
    ) -> (Vec<Turn>, Vec<Arc<Check>>) {
        let (block, inherit) = (test.block.as_ref(), test.inherit);
        let rules = block.map(|block| test.named.gather(block, budget)).unwrap_or_default();
        let mut demands = rules.demanded_calls().to_vec();
        let own;
        let merged = if block.is_none() && !inherit {
            &self.merged
        } else {
            let all = inherit || self.config.inherit;
            let target = LevelRules { inherit: inherit || self.said.inherit, ..self.said.clone() };
            let test = LevelRules { rules, inherit: all || block.is_some_and(|block| block.inherit) };
            own = MergedRules::new(&target, &test, budget);
            &own
        };
        let mut turns = Vec::with_capacity(test.turns.len());
        for turn in std::mem::take(&mut test.turns) {
            let rules = turn.block.map(|block| test.named.gather(&block, budget));
            demands.extend_from_slice(rules.as_ref().map(Rules::demanded_calls).unwrap_or_default());
            let checks = merged.turn(rules.as_ref(), budget);
            turns.push(Turn { said: turn.said, checks, limits: Limits::none(), span: turn.span });
        }
        *checks = merged.whole();
        (turns, demands)
    }
}

fn too_much(span: Span) -> Diagnostic {
    let most = CheckBudget::MOST;
    Diagnostic::error(span, format!("the assertions expand to more than {most} checks"))
        .help("remove assertions from the target or from named blocks, or split the test")
}

fn with_tools(target: &Arc<Target>, tools: &[WrittenTool]) -> (Arc<Target>, Arc<[ScriptedTool]>) {
    let mut target = Target::clone(target);
    if let Target::Agui(agui) = &mut target {
        agui.tools = tools.iter().map(WrittenTool::client).collect();
    }
    (Arc::new(target), tools.iter().filter_map(WrittenTool::scripted).collect())
}
