//! Lowers an agent's scenarios to a suite of the plan.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{
    CaseFiles, Check, Dialect, FixtureWriter, FormatConventions, LiveTools, Parallelism, ResultFiles, RouteRecord,
    RoutedTool, Routes, Suite, Target, ToolBase, ToolSource, UnansweredRoute, Verdicts,
};
use agentci_source::{Diagnostics, FileKind, Files, Node, Span, Spanned, join};

use super::agents::{AgentFolder, ScenarioAgent};
use super::answer::{ANSWERS, AnswerFolders};
use super::file;
use super::project::ScenarioProjects;
use super::recorded::with_fixtures;
use super::settings::ProjectSettings;
use crate::ScenarioOptions;
use crate::document::{Loading, OpenedFile, folder_of};
use crate::invalid_case::{CaseReading, claim_ids};
use crate::new_suite::new_suite;

/// Defaults of the dialect.
const CONVENTIONS: FormatConventions = FormatConventions {
    parallelism: Parallelism::One,
    verdicts: Verdicts::Kept,
    case_files: CaseFiles::CasesAlone,
    result_files: ResultFiles::ResultsFolder,
    ..FormatConventions::USUAL
};

/// Lowers the scenarios of an agent; `None` if the suite is rejected.
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
    // Errors in scenarios are reported even if the settings are invalid.
    let known = settings.clone().unwrap_or_default();
    let shared = AgentDefaults::new(&known, &slug, &home.folder, options, span);
    let cases: Vec<_> = scenarios.into_iter().map(|scenario| open(loading.files, &home, &shared, scenario)).collect();
    let mut ids = claim_ids(&cases, loading, Diagnostics::default())?;
    let embedder = settings?.embedder.clone();
    let cases = cases.into_iter().map(|case| case.finish(Some(shared.target.clone()), &mut ids)).collect();
    let (path, folder) = (home.folder.clone(), home.folder.clone());
    Some(Suite { embedder, cases, ..new_suite(slug, (Dialect::Scenario, CONVENTIONS), path, folder, span) })
}

/// The names of all agents.
pub(crate) fn agents(files: &dyn Files, tests: &Path) -> Vec<String> {
    let entries = files.list(tests).unwrap_or_default().into_iter();
    let folder = |entry: &agentci_source::FolderEntry| {
        entry.kind == FileKind::Folder && !entry.name.starts_with('.') && entry.name != ANSWERS
    };
    entries.filter(folder).map(|entry| entry.name).collect()
}

fn open(files: &dyn Files, home: &AgentFolder, agent: &AgentDefaults<'_>, scenario: OpenedFile) -> CaseReading {
    let OpenedFile { path, root } = scenario;
    let folder = folder_of(&path);
    let folders = AnswerFolders { files, agent: &home.folder, root: &home.root, folder: &folder };
    CaseReading::of_file(&path, root, "test_name", |root, problems| {
        file::scenario(root, &path, agent, folders, problems)
    })
}

/// What the scenarios of an agent share.
pub(super) struct AgentDefaults<'s> {
    settings: &'s ProjectSettings,
    folder: &'s Path,
    pub(super) target: Arc<Target>,
    bases: Arc<[ToolBase]>,
    miss: UnansweredRoute,
    pub(super) live: Arc<LiveTools>,
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

    /// The tools of a scenario; `key` is the place of its `tool_fixtures`, if it has any.
    pub(super) fn routes(&self, tools: Vec<RoutedTool>, key: Option<Span>, path: &Path, name: Span) -> ToolSource {
        let record = RouteRecord {
            suite: path.to_path_buf(),
            block: key,
            writer: FixtureWriter(with_fixtures),
            folder: join(self.folder, ANSWERS),
        };
        ToolSource::Routes(Arc::new(Routes {
            bases: Arc::clone(&self.bases),
            tools,
            miss: self.miss,
            port: self.settings.stub_port,
            record: Some(record),
            span: key.unwrap_or(name),
        }))
    }

    /// The semantic check of the answer; `key` is the place of `expected_answer`.
    pub(super) fn check(&self, key: Span, hoped: Spanned<String>, threshold: Option<Node>) -> Check {
        let threshold = threshold.or_else(|| self.settings.threshold.clone());
        let expected = [("expected", Node::text(hoped.value, hoped.span))];
        let reactions = [("facts", self.settings.facts()), ("contradictions", self.settings.contradictions())];
        let reactions = reactions.map(|(name, reaction)| (name, Node::text(reaction, key)));
        let threshold = threshold.map(|threshold| ("threshold", threshold));
        Check::new("semantic", key, Node::map(hoped.span, expected.into_iter().chain(threshold).chain(reactions)))
    }
}
