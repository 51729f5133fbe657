//! The scenarios among what is found, each taken to its agent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{Kind, did_you_mean, join, read};

use crate::loader::Loader;
use crate::scenario::{self, Home, Scenario, Shape};
use crate::search::DEPTH_LIMIT;

/// What a scenario looks like, for someone who has none.
const WHAT_IS_A_SCENARIO: &str = "a scenario is a YAML file with `test_name`, `user_input` and `expected_answer`, in the folder of its agent or below it";

impl Loader<'_> {
    /// Loads the scenarios of one agent and nothing else; without a folder for it, what is found here.
    pub(crate) fn named_agent(&mut self, slug: &str) {
        let tests = self.agents.tests();
        let chosen = self.options.scenario.tests.is_some();
        let folder = join(&tests, slug);
        if slug.is_empty() || slug.contains(['/', '\\']) || slug.starts_with('.') {
            let message = format!("`{}` can not be the name of an agent", slug.escape_debug());
            return self.error(&tests, message, "name one of the folders in the folder of the tests");
        }
        if self.files.kind(&folder) == Some(Kind::Folder) {
            return self.agent(&Home { folder, root: tests });
        }
        let known = scenario::agents(self.files, &tests);
        let mut holds_one = |name: &String| self.holds_a_scenario(&join(&tests, name), 0);
        if !chosen && !known.iter().any(&mut holds_one) {
            // It may be the agent of another format.
            return self.path(Path::new("."));
        }
        let help = match did_you_mean(slug, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known.is_empty() => format!("there is no folder of an agent in `{}`", tests.display()),
            None => format!("the agents are {}", read::quoted_list(&known)),
        };
        self.error(&tests, format!("there is no agent `{slug}` in `{}`", tests.display()), &help);
    }

    fn agent(&mut self, home: &Home) {
        let mut paths = Vec::new();
        self.start(&home.folder);
        self.yaml_below(&home.folder, 0, &mut paths);
        let mut strays = Vec::new();
        let mut found = false;
        for path in paths {
            if self.scenario_at_home(&path, home) {
                found = true;
            } else {
                strays.push(path);
            }
        }
        if found {
            self.strays.append(&mut strays);
        } else {
            let message = format!("no scenario found in `{}`", home.folder.display());
            self.error(&home.folder, message, WHAT_IS_A_SCENARIO);
        }
    }

    /// YAML files at or below a folder of an agent, except those of a suite of another format.
    fn yaml_below(&mut self, folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
        if !self.goes_on(folder, depth) {
            return;
        }
        let look = self.look(folder);
        let candidates = look.candidates.into_iter().map(|(path, _)| path);
        paths.extend(candidates.filter(|path| scenario::reads_like_one(self.files, path)));
        paths.extend(look.others);
        for folder in look.folders {
            self.yaml_below(&folder, depth + 1, paths);
        }
    }

    fn holds_a_scenario(&mut self, folder: &Path, depth: usize) -> bool {
        let look = self.look(folder);
        look.others.iter().any(|path| scenario::reads_like_one(self.files, path))
            || (depth < DEPTH_LIMIT && look.folders.iter().any(|folder| self.holds_a_scenario(folder, depth + 1)))
    }

    /// Takes the scenarios out of these files; whether there are any. They are looked for below a folder `tests`, or `everywhere`.
    /// Once one is found, all files of its agent are looked at, so that none that is wrong is left out.
    pub(crate) fn scenarios(&mut self, paths: &mut Vec<PathBuf>, everywhere: bool) -> bool {
        let mut known: BTreeMap<PathBuf, Option<Home>> = BTreeMap::new();
        for folder in paths.iter().map(|path| folder_of(path)) {
            if !known.contains_key(folder) {
                known.insert(folder.to_path_buf(), self.agents.home(folder));
            }
        }
        let below_tests = |path: &Path| known.get(folder_of(path)).is_some_and(Option::is_some);
        let likely = paths.iter().filter(|path| everywhere || below_tests(path));
        let likely: Vec<PathBuf> = likely.filter(|path| scenario::reads_like_one(self.files, path)).cloned().collect();
        let mut folders = BTreeSet::new();
        for path in likely {
            // One that can not be parsed has the marks of a scenario in its text.
            if self.open_test(&path).root.map_or(true, |root| scenario::is_scenario(&root)) {
                folders.insert(folder_of(&path).to_path_buf());
            }
        }
        let home = |folder: &Path| known.get(folder).cloned().flatten().unwrap_or_else(|| highest(folder, &folders));
        let homes: Vec<Home> = folders.iter().map(|folder| home(folder)).collect();
        paths.retain(|path| {
            let home = home(folder_of(path));
            !homes.contains(&home) || !self.scenario_at_home(path, &home)
        });
        !homes.is_empty()
    }

    /// Takes a file in the folder of an agent to the agent, unless it has no sign of a scenario; whether it was.
    fn scenario_at_home(&mut self, path: &Path, home: &Home) -> bool {
        if self.opened.contains(path) {
            return true;
        }
        let root = self.open_test(path).root;
        if root.as_ref().is_ok_and(|root| scenario::shape(root) == Shape::Other) {
            return false;
        }
        self.opened.insert(path.to_path_buf());
        self.agents.add(home.clone(), Scenario { path: path.to_path_buf(), root });
        true
    }

    /// Takes a scenario that was named to its agent.
    pub(crate) fn named_scenario(&mut self, scenario: Scenario) {
        let folder = join(folder_of(&scenario.path), "");
        let home = self.agents.home(&folder).unwrap_or_else(|| highest(&folder, &BTreeSet::new()));
        self.agents.add(home, scenario);
    }

    /// Makes suites of the agents that were met.
    pub(crate) fn add_agents(&mut self) {
        let mut agents = self.agents.finish();
        if let Some(slug) = &self.options.agent
            && !agents.iter().any(|agent| agent.slug == *slug)
            && !self.loaded.plan.suites.iter().any(|suite| suite.dialect == Dialect::Yao)
            && let Some(first) = agents.first()
        {
            let known: Vec<&str> = agents.iter().map(|agent| agent.slug.as_str()).collect();
            let help = match did_you_mean(slug, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the agents are {}", read::quoted_list(&known)),
            };
            let root = first.home.root.clone();
            self.error(&root, format!("there are no scenarios of an agent `{}`", slug.escape_debug()), &help);
        }
        agents.retain(|agent| self.options.agent.as_ref().is_none_or(|slug| agent.slug == *slug));
        let mut projects = scenario::Projects::default();
        for agent in agents {
            let crate::Loaded { plan, diagnostics } = &mut self.loaded;
            let options = &self.options.scenario;
            let suite = scenario::lower(self.files, &mut plan.sources, agent, &mut projects, options, diagnostics);
            if let Some(suite) = suite {
                self.add(suite);
            }
        }
    }
}

/// Where there is no folder `tests`, the folder of an agent is the highest one with scenarios.
fn highest(folder: &Path, folders: &BTreeSet<PathBuf>) -> Home {
    let highest = folder.ancestors().filter(|above| folders.contains(*above)).last().unwrap_or(folder);
    let folder = join(highest, "");
    Home { root: folder.clone(), folder }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}
