//! An agent's scenarios to a suite of the plan.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{
    Case, CaseFiles, Check, Dialect, FixtureWriter, Habits, LiveTools, Parallelism, ResultFiles, RouteRecord, Routes,
    Suite, Target, ToolBase, ToolSource, TurnInput, UnansweredRoute, Verdicts, World,
};
use agentci_source::{Diagnostics, FileKind, Files, Node, Span, join};

use super::agents::{Home, ScenarioAgent};
use super::answer::{ANSWERS, AnswerFolders};
use super::file::{self, ExpectedAnswer, ScenarioFile};
use super::project::ScenarioProjects;
use super::recorded::with_fixtures;
use super::settings::ProjectSettings;
use crate::ScenarioOptions;
use crate::document::{Loading, OpenedFile, folder_of};
use crate::ids::TakenIds;
use crate::invalid_case::CaseReading;
use crate::new_suite::{new_suite, plain_turn};

/// What suites of the dialect take for granted.
const HABITS: Habits = Habits {
    parallelism: Parallelism::One,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    result_files: ResultFiles::ResultsFolder,
    ..Habits::USUAL
};

/// Lowers the scenarios of an agent; `None` when the suite is refused.
pub(crate) fn lower(
    loading: &mut Loading<'_>,
    agent: ScenarioAgent,
    projects: &mut ScenarioProjects,
    options: &ScenarioOptions,
) -> Option<Suite> {
    let ScenarioAgent { slug, home, scenarios } = agent;
    let span = Span::whole(loading.sources.add(&home.folder, ""));
    let settings = projects.settings(&home.folder, loading);
    if let Some(problem) =
        settings.as_ref().and_then(|settings| settings.misspelt(&slug, &agents(loading.files, &home.root)))
    {
        loading.problems.push(problem);
    }
    let opened: Vec<_> = scenarios.into_iter().map(|scenario| open(loading.files, &home, scenario)).collect();
    let mut problems = Diagnostics::default();
    let mut ids = TakenIds::default();
    for scenario in &opened {
        if let Some(id) = &scenario.id {
            ids.claim(id, loading.sources, &mut problems);
        }
        loading.problems.append(scenario.problems.clone());
    }
    loading.report_all(problems)?;
    let settings = settings?;
    let shared = AgentDefaults::new(&settings, &slug, &home.folder, options, span);
    let cases = opened.into_iter().map(|scenario| Box::new(shared.case(scenario, &mut ids))).collect();
    let (path, folder) = (home.folder.clone(), home.folder.clone());
    let embedder = settings.embedder.clone();
    Some(Suite { embedder, cases, ..new_suite(slug, (Dialect::Scenario, HABITS), path, folder, span) })
}

/// The names of all agents.
pub(crate) fn agents(files: &dyn Files, tests: &Path) -> Vec<String> {
    let entries = files.list(tests).unwrap_or_default().into_iter();
    let folder = |entry: &agentci_source::FolderEntry| {
        entry.kind == FileKind::Folder && !entry.name.starts_with('.') && entry.name != ANSWERS
    };
    entries.filter(folder).map(|entry| entry.name).collect()
}

fn open(files: &dyn Files, home: &Home, scenario: OpenedFile) -> CaseReading<ScenarioFile> {
    let OpenedFile { path, root } = scenario;
    let folder = folder_of(&path);
    let shelf = AnswerFolders { files, agent: &home.folder, root: &home.root, folder: &folder };
    CaseReading::new(path, root, "test_name", |root, problems| file::scenario(root, shelf, problems))
}

/// What the scenarios of an agent have in common.
struct AgentDefaults<'s> {
    settings: &'s ProjectSettings,
    folder: &'s Path,
    target: Arc<Target>,
    bases: Arc<[ToolBase]>,
    miss: UnansweredRoute,
    live: Arc<LiveTools>,
}

impl<'s> AgentDefaults<'s> {
    fn new(settings: &'s ProjectSettings, slug: &str, folder: &'s Path, options: &ScenarioOptions, span: Span) -> Self {
        let target = settings.target(slug, folder, options, span);
        Self {
            settings,
            folder,
            target: Arc::new(Target::Http(Box::new(target))),
            bases: settings.bases(slug, span),
            miss: settings.miss(options),
            live: Arc::new(LiveTools { folder: folder.to_path_buf(), ..LiveTools::default() }),
        }
    }

    fn case(&self, mut scenario: CaseReading<ScenarioFile>, ids: &mut TakenIds) -> Case {
        let target = Arc::clone(&self.target);
        let Some(file) = scenario.file.take() else { return scenario.invalid(target, ids) };
        let check = self.check(&file.expected);
        let folder = join(self.folder, ANSWERS);
        let record =
            RouteRecord { suite: scenario.path, block: file.tools_key, writer: FixtureWriter(with_fixtures), folder };
        let routes = Routes {
            bases: Arc::clone(&self.bases),
            tools: file.tools,
            miss: self.miss,
            port: self.settings.stub_port,
            record: Some(record),
            span: file.tools_key.unwrap_or(file.name.span),
        };
        let tools = ToolSource::Routes(Arc::new(routes));
        let world = World { tools, faults: file.faults.into(), live: Arc::clone(&self.live), ..World::default() };
        let turn = plain_turn(TurnInput::Input(file.input.value), file.input.span);
        Case {
            description: file.description.map(Into::into),
            tags: file.tags.into(),
            skip: file.skip.map(Box::new),
            turns: [turn].into(),
            checks: [Arc::new(check)].into(),
            ..Case::new(file.name.value, file.name.span, target, Arc::new(world))
        }
    }

    fn check(&self, expected: &ExpectedAnswer) -> Check {
        let ExpectedAnswer { key, text, threshold } = expected;
        let mut arguments = vec![("expected", text.clone())];
        let threshold = threshold.as_ref().or(self.settings.threshold.as_ref());
        arguments.extend(threshold.map(|threshold| ("threshold", threshold.clone())));
        arguments.push(("facts", Node::text(self.settings.facts(), *key)));
        Check::new("semantic", *key, Node::map(text.span, arguments))
    }
}
