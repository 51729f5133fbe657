//! Finds suites of the `scenario` dialect: all scenarios of an agent are one suite.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{FileKind, Files, Node, join};

use super::agents::{AgentFolder, ScenarioAgents};
use super::lower::{agents, lower};
use super::project::ScenarioProjects;
use super::shape::{is_meant_as_scenario, is_scenario, reads_like_one};
use crate::aumai;
use crate::document::OpenedFile;
use crate::finder::{ChosenSuites, Finder, FrontEnd};
use crate::search::{DEPTH_LIMIT, SuiteSearch};
use crate::suggestion::meant_or_known;

/// Help for a folder without scenarios.
const WHAT_IS_A_SCENARIO: &str = "a scenario is a YAML file with `test_name`, `user_input` and \
    `expected_answer`, in the folder of its agent or below it";

pub(crate) static FRONT_END: FrontEnd =
    FrontEnd::new(Dialect::Scenario, "scenarios with `test_name` and `user_input`", fits, |files, options| {
        let agents = ScenarioAgents::new(files, options.scenario.tests.as_deref());
        Box::new(ScenarioFinder { files, agents })
    });

fn fits(root: &Node) -> bool {
    is_scenario(root) && !aumai::has_tests(root)
}

struct ScenarioFinder<'f> {
    files: &'f dyn Files,
    agents: ScenarioAgents<'f>,
}

impl Finder for ScenarioFinder<'_> {
    fn choose(&mut self, alone: bool, search: &mut SuiteSearch<'_>) -> ChosenSuites {
        match &search.options.agent {
            Some(agent) if alone => self.named_agent(agent, search),
            _ => ChosenSuites::Nothing,
        }
    }

    fn is_meant(&mut self, file: &OpenedFile) -> bool {
        file.root.is_err() && reads_like_one(self.files, &file.path)
    }

    fn take(&mut self, file: OpenedFile, _search: &mut SuiteSearch<'_>) {
        let folder = join(folder_of(&file.path), "");
        let home = self.agents.home(&folder).unwrap_or_else(|| highest(&folder, &BTreeSet::new()));
        self.agents.add(home, file);
    }

    /// Scenarios are searched for below a `tests` folder, or everywhere if there is no other suite. Once one is found,
    /// all files of its agent are examined, so that invalid ones are reported too.
    fn take_found(&mut self, paths: &mut Vec<PathBuf>, search: &mut SuiteSearch<'_>) -> bool {
        let mut known: BTreeMap<PathBuf, Option<AgentFolder>> = BTreeMap::new();
        for folder in paths.iter().map(|path| folder_of(path)) {
            if !known.contains_key(folder) {
                known.insert(folder.to_path_buf(), self.agents.home(folder));
            }
        }
        let below_tests = |path: &Path| known.get(folder_of(path)).is_some_and(Option::is_some);
        let likely = paths.iter().filter(|path| !search.found || below_tests(path));
        let likely: Vec<PathBuf> = likely.filter(|path| reads_like_one(self.files, path)).cloned().collect();
        let mut folders = BTreeSet::new();
        for path in likely {
            // A file that cannot be parsed counts too: its text contains keys of a scenario.
            if search.open(&path).root.map_or(true, |root| is_scenario(&root)) {
                folders.insert(folder_of(&path).to_path_buf());
            }
        }
        let home = |folder: &Path| known.get(folder).cloned().flatten().unwrap_or_else(|| highest(folder, &folders));
        let homes: Vec<AgentFolder> = folders.iter().map(|folder| home(folder)).collect();
        paths.retain(|path| {
            let home = home(folder_of(path));
            !homes.contains(&home) || !self.take_at_home(path, &home, search)
        });
        !homes.is_empty()
    }

    fn finish(&mut self, search: &mut SuiteSearch<'_>) {
        let mut agents = self.agents.finish();
        let chosen = search.options.agent.as_ref();
        if let Some(slug) = chosen
            && !agents.iter().any(|agent| agent.slug == *slug)
            && !search.loaded.plan.suites.iter().any(|suite| suite.dialect == Dialect::Yao)
            && let Some(first) = agents.first()
        {
            let known: Vec<&str> = agents.iter().map(|agent| agent.slug.as_str()).collect();
            let help = meant_or_known(slug, &known, "the agents");
            let message = format!("no scenarios found for agent `{}`", slug.escape_debug());
            search.error(&first.home.root, message, &help);
        }
        agents.retain(|agent| chosen.is_none_or(|slug| agent.slug == *slug));
        let mut projects = ScenarioProjects::default();
        for agent in agents {
            let options = &search.options.scenario;
            if let Some(suite) = lower(&mut search.loading(), agent, &mut projects, options) {
                search.add(suite);
            }
        }
    }
}

impl ScenarioFinder<'_> {
    /// Loads only the scenarios of one agent. If no folder `tests` has scenarios, the current folder is searched
    /// instead.
    fn named_agent(&mut self, slug: &str, search: &mut SuiteSearch<'_>) -> ChosenSuites {
        let tests = self.agents.tests();
        let folder = join(&tests, slug);
        if slug.is_empty() || slug.contains(['/', '\\']) || slug.starts_with('.') {
            let message = format!("`{}` is not a valid agent name", slug.escape_debug());
            search.error(&tests, message, "use the name of a folder in the folder of the tests");
            return ChosenSuites::Taken;
        }
        if self.files.kind(&folder) == Some(FileKind::Folder) {
            self.agent(&AgentFolder { folder, root: tests }, search);
            return ChosenSuites::Taken;
        }
        let known = agents(self.files, &tests);
        let is_chosen = search.options.scenario.tests.is_some();
        if !is_chosen && !known.iter().any(|name| holds_a_scenario(&join(&tests, name), 0, search)) {
            // The name may be that of an agent of another format.
            return ChosenSuites::Folder(PathBuf::from("."));
        }
        let help = if known.is_empty() {
            format!("`{}` contains no agent folders", tests.display())
        } else {
            meant_or_known(slug, &known, "the agents")
        };
        search.error(&tests, format!("unknown agent `{slug}` in `{}`", tests.display()), &help);
        ChosenSuites::Taken
    }

    fn agent(&mut self, home: &AgentFolder, search: &mut SuiteSearch<'_>) {
        let mut paths = Vec::new();
        search.start(&home.folder);
        yaml_below(&home.folder, 0, &mut paths, search);
        let mut strays = Vec::new();
        let mut found = false;
        for path in paths {
            if self.take_at_home(&path, home, search) {
                found = true;
            } else {
                strays.push(path);
            }
        }
        if found {
            search.strays.append(&mut strays);
        } else {
            let message = format!("no scenario found in `{}`", home.folder.display());
            search.error(&home.folder, message, WHAT_IS_A_SCENARIO);
        }
    }

    /// Adds a file in the folder of an agent to the agent, unless it has no sign of a scenario. Returns whether it was
    /// added.
    fn take_at_home(&mut self, path: &Path, home: &AgentFolder, search: &mut SuiteSearch<'_>) -> bool {
        if search.opened.contains(path) {
            return true;
        }
        let file = search.open(path);
        if file.root.as_ref().is_ok_and(|root| !is_meant_as_scenario(root)) {
            return false;
        }
        search.opened.insert(path.to_path_buf());
        self.agents.add(home.clone(), file);
        true
    }
}

/// Collects the YAML files at or below the folder of an agent, except those of suites of other formats.
fn yaml_below(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>, search: &mut SuiteSearch<'_>) {
    if !search.goes_on(folder, depth) {
        return;
    }
    let look = search.look(folder);
    let candidates = look.candidates.into_iter().map(|(path, _)| path);
    paths.extend(candidates.filter(|path| reads_like_one(search.files, path)));
    paths.extend(look.others);
    for folder in look.folders {
        yaml_below(&folder, depth + 1, paths, search);
    }
}

fn holds_a_scenario(folder: &Path, depth: usize, search: &mut SuiteSearch<'_>) -> bool {
    let look = search.look(folder);
    look.others.iter().any(|path| reads_like_one(search.files, path))
        || (depth < DEPTH_LIMIT && look.folders.iter().any(|folder| holds_a_scenario(folder, depth + 1, search)))
}

/// Without a `tests` folder, the folder of an agent is the topmost one with scenarios.
fn highest(folder: &Path, folders: &BTreeSet<PathBuf>) -> AgentFolder {
    let highest = folder.ancestors().filter(|above| folders.contains(*above)).last().unwrap_or(folder);
    let folder = join(highest, "");
    AgentFolder { root: folder.clone(), folder }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}
