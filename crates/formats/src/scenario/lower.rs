//! An agent's scenarios to a suite of the plan.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{
    Case, Check, Dialect, FixtureWriter, Gates, Limits, LiveTools, Missed, Mode, Redaction, RouteRecord, Routes, Said,
    Suite, Target, ToolBase, ToolSource, Turn, World,
};
use agentci_source::{Diagnostics, Files, Kind, Name, Node, Sources, Span, Spanned, join};

use super::agents::{Agent, Home};
use super::answer::{ANSWERS, Shelf};
use super::file::{self, Expected, ScenarioFile};
use super::habits::HABITS;
use super::project::Projects;
use super::recorded::with_fixtures;
use super::settings::Settings;
use crate::document::Opened as Scenario;
use crate::ids::{self, Ids};
use crate::{ScenarioOptions, invalid_case};

/// Lowers the scenarios of an agent; `None` when the suite is refused.
pub(crate) fn lower(
    files: &dyn Files,
    sources: &mut Sources,
    agent: Agent,
    projects: &mut Projects,
    options: &ScenarioOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Suite> {
    let Agent { slug, home, scenarios } = agent;
    let span = Span::whole(sources.add(&home.folder, ""));
    let settings = projects.settings(files, sources, &home.folder, diagnostics);
    if let Some(problem) = settings.as_ref().and_then(|settings| settings.misspelt(&slug, &agents(files, &home.root))) {
        diagnostics.push(problem);
    }
    let opened: Vec<Opened> = scenarios.into_iter().map(|scenario| open(files, &home, scenario)).collect();
    let mut problems = Diagnostics::default();
    let mut ids = Ids::default();
    for scenario in &opened {
        if let Some(id) = scenario.id() {
            ids.claim(id, sources, &mut problems);
        }
        for problem in &scenario.problems {
            diagnostics.push(problem.clone());
        }
    }
    let refused = problems.has_errors();
    diagnostics.append(problems);
    let settings = settings.filter(|_| !refused)?;
    let shared = Shared::new(&settings, &slug, &home.folder, options, span);
    let cases = opened.into_iter().map(|scenario| Box::new(shared.case(scenario, &mut ids))).collect();
    Some(Suite {
        exclude: Vec::new(),
        name: slug,
        dialect: Dialect::Scenario,
        habits: HABITS,
        path: home.folder.clone(),
        folder: home.folder.clone(),
        span,
        mode: Mode::Replay,
        output_dir: None,
        redact: Redaction::default(),
        gates: Gates::default(),
        agent_folder: None,
        prices: std::collections::BTreeMap::new(),
        agents: Vec::new(),
        embedder: settings.embedder.clone(),
        cases,
    })
}

/// The names of all agents.
pub(crate) fn agents(files: &dyn Files, tests: &Path) -> Vec<String> {
    let entries = files.list(tests).unwrap_or_default().into_iter();
    let folder = |entry: &agentci_source::Entry| {
        entry.kind == Kind::Folder && !entry.name.starts_with('.') && entry.name != ANSWERS
    };
    entries.filter(folder).map(|entry| entry.name).collect()
}

/// A scenario that was opened, with whatever is wrong with it.
struct Opened {
    /// What it says; `None` when something is wrong.
    file: Option<ScenarioFile>,
    /// Its name, where only that could be read.
    name: Option<Spanned<Name>>,
    path: std::path::PathBuf,
    span: Span,
    problems: Diagnostics,
}

impl Opened {
    fn id(&self) -> Option<&Spanned<Name>> {
        self.file.as_ref().map(|file| &file.name).or(self.name.as_ref())
    }
}

fn open(files: &dyn Files, home: &Home, scenario: Scenario) -> Opened {
    let Scenario { path, root } = scenario;
    let mut problems = Diagnostics::default();
    let root = match root {
        Ok(root) => root,
        Err(problem) => {
            let span = problem.span;
            problems.push(problem);
            return Opened { file: None, name: None, path, span, problems };
        }
    };
    let folder = join(path.parent().unwrap_or(Path::new("")), "");
    let shelf = Shelf { files, agent: &home.folder, root: &home.root, folder: &folder };
    let file = file::scenario(&root, shelf, &mut problems).filter(|_| !problems.has_errors());
    let name = if file.is_some() { None } else { ids::readable_under(&root, "test_name") };
    problems.sort();
    Opened { file, name, path, span: root.span, problems }
}

/// What the scenarios of an agent have in common.
struct Shared<'s> {
    settings: &'s Settings,
    folder: &'s Path,
    target: Arc<Target>,
    bases: Arc<[ToolBase]>,
    miss: Missed,
    live: Arc<LiveTools>,
}

impl<'s> Shared<'s> {
    fn new(settings: &'s Settings, slug: &str, folder: &'s Path, options: &ScenarioOptions, span: Span) -> Self {
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

    fn case(&self, opened: Opened, ids: &mut Ids) -> Case {
        let Opened { file, name, path, span, problems } = opened;
        let target = Arc::clone(&self.target);
        let Some(file) = file else {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let (id, span) = match name {
                Some(name) => (name.value, name.span),
                None => (ids.free(&stem, span), span),
            };
            return invalid_case::case(id, span, target, Vec::new(), problems);
        };
        let check = self.check(&file.expected);
        let folder = join(self.folder, ANSWERS);
        let record = RouteRecord { suite: path, block: file.tools_key, writer: FixtureWriter(with_fixtures), folder };
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
        let turn = Turn {
            said: Said::Input(file.input.value),
            checks: Turn::no_checks(),
            limits: Limits::none(),
            span: file.input.span,
        };
        Case {
            description: file.description.map(Into::into),
            tags: file.tags.into(),
            skip: file.skip.map(Box::new),
            turns: [turn].into(),
            checks: [Arc::new(check)].into(),
            ..Case::new(file.name.value, file.name.span, target, Arc::new(world))
        }
    }

    fn check(&self, expected: &Expected) -> Check {
        let Expected { key, text, threshold } = expected;
        let mut arguments = vec![("expected", text.clone())];
        let threshold = threshold.as_ref().or(self.settings.threshold.as_ref());
        arguments.extend(threshold.map(|threshold| ("threshold", threshold.clone())));
        arguments.push(("facts", Node::text(self.settings.facts(), *key)));
        Check::new("semantic", *key, Node::map(text.span, arguments))
    }
}
