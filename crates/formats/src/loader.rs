//! The search for suites, and what becomes of what is found.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use agentci_plan::{Dialect, Suite};
use agentci_source::{Diagnostic, Diagnostics, Files, Kind, Node, Severity, Span, join};

use crate::detect::{WHAT_IS_A_SUITE, dialect, expected, fits, fits_name, is_empty, is_settings};
use crate::scenario::Scenario;
use crate::search::{Bounds, DEPTH_LIMIT, FOLDER_LIMIT, could_hold};
use crate::{LoadOptions, Loaded, ananke, aumai, document, model_script, native, runledger, scenario};

/// How many files that can not be read are told of where no suite is found.
const UNREADABLE_TOLD: usize = 3;

/// Finds suites and makes a plan of them.
pub(crate) struct Loader<'f> {
    pub(crate) files: &'f dyn Files,
    pub(crate) options: &'f LoadOptions,
    pub(crate) loaded: Loaded,
    pub(crate) opened: HashSet<PathBuf>,
    pub(crate) projects: ananke::Projects<'f>,
    /// Files with the name of a test that can not be read, and why.
    pub(crate) unreadable: HashMap<PathBuf, Diagnostic>,
    /// Files of tests of the `yao` dialect.
    pub(crate) assistants: Vec<PathBuf>,
    pub(crate) agents: scenario::Agents<'f>,
    /// YAML files that belong to no suite, met in searches that found one.
    pub(crate) strays: Vec<PathBuf>,
    /// What searches leave out.
    pub(crate) bounds: Bounds<'f>,
    /// Folders of which it was said what cannot be looked at.
    pub(crate) looked_at: HashSet<PathBuf>,
    /// How many folders were searched.
    folders: usize,
    /// Whether it was said that not all of them were.
    stopped: bool,
}

/// What a search has met beside suites that are one by themselves.
#[derive(Default)]
struct Met {
    /// YAML files of no suite.
    strays: Vec<PathBuf>,
    /// Configs of the `ananke` dialect.
    configs: Vec<PathBuf>,
}

impl<'f> Loader<'f> {
    pub(crate) fn new(files: &'f dyn Files, options: &'f LoadOptions) -> Self {
        let mut loaded = Loaded::default();
        let Loaded { plan, diagnostics } = &mut loaded;
        let bounds = Bounds::new(files, &options.exclude, &mut plan.sources, diagnostics);
        Self {
            files,
            options,
            loaded,
            opened: HashSet::new(),
            projects: ananke::Projects::new(files, options.config.as_deref()),
            unreadable: HashMap::new(),
            assistants: Vec::new(),
            agents: scenario::Agents::new(files, options.scenario.tests.as_deref()),
            strays: Vec::new(),
            bounds,
            looked_at: HashSet::new(),
            folders: 0,
            stopped: false,
        }
    }

    /// Loads what a user named.
    pub(crate) fn path(&mut self, written: &Path) {
        let path = join(written, "");
        match self.files.kind(&path) {
            Some(Kind::File) => self.named_file(&path),
            Some(Kind::Folder) => self.named_folder(&path, written),
            Some(Kind::Unusable(_)) | None => self.error(
                &path,
                format!("there is no file or folder `{}`", written.display()),
                "name a suite's file or a folder that holds suites",
            ),
        }
    }

    /// What came of it all. Tests that share a config or an agent may have been named one by one, so their suites are made last.
    pub(crate) fn finish(mut self) -> Loaded {
        let (projects, homeless) = self.projects.finish();
        for project in projects {
            let Loaded { plan, diagnostics } = &mut self.loaded;
            if let Some(suite) = ananke::lower(self.files, &mut plan.sources, project, diagnostics) {
                self.add(suite);
            }
        }
        self.add_assistants();
        self.add_agents();
        self.report_homeless(homeless);
        self.report_strays();
        self.bounds.report(&mut self.loaded.diagnostics);
        self.loaded.diagnostics.sort();
        self.loaded
    }

    fn named_folder(&mut self, path: &Path, written: &Path) {
        let mut met = Met::default();
        self.start(path);
        let suites = self.folder(path, 0, &mut met);
        let conversations = self.conversations(&mut met.strays);
        let scenarios = self.scenarios(&mut met.strays, !suites && !conversations);
        let mut found = suites || conversations || scenarios;
        let mut named = met.strays.clone();
        found = found || self.tests(path, &mut met.strays);
        let severity = if found { Severity::Warning } else { Severity::Error };
        let unreadable = self.unreadable_tests(if found { &mut met.strays } else { &mut named }, severity);
        let empty: Vec<PathBuf> = met.configs.into_iter().filter(|config| self.projects.is_empty(config)).collect();
        if !found && empty.is_empty() && !unreadable {
            self.report_nothing_found(path, written);
        }
        for config in empty {
            let span = self.whole(&config);
            self.report_empty(&config, span, severity);
        }
        if found {
            self.strays.append(&mut met.strays);
        }
    }

    /// Says that a folder holds no suite, and what was not searched since git ignores it.
    fn report_nothing_found(&mut self, path: &Path, written: &Path) {
        let mut skipped = self.bounds.skipped();
        skipped.retain(|(path, is_folder)| could_hold(path, *is_folder));
        skipped.sort();
        skipped.dedup();
        let mut message = format!("no suite found in `{}`", written.display());
        let mut help = format!("{WHAT_IS_A_SUITE}; `agentci init` writes a first one");
        if let Some((first, _)) = skipped.first() {
            let named: Vec<_> =
                skipped.iter().take(UNREADABLE_TOLD).map(|(path, _)| format!("`{}`", path.display())).collect();
            let more = skipped.len() - named.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let them = if skipped.len() == 1 { "it" } else { "them" };
            message = format!("{message}; skipped because git ignores {them}: {}{more}", named.join(", "));
            help = format!(
                "name what is to be searched all the same, such as `{}`, or add it to git; {help}",
                first.display()
            );
        }
        self.error(path, message, &help);
    }

    fn named_file(&mut self, path: &Path) {
        if !self.opened.insert(path.to_path_buf()) {
            return;
        }
        if self.named_tests(path) {
            return;
        }
        let test = self.open_test(path);
        let root = match &test.root {
            Ok(root) => root,
            Err(_) if self.projects.is_test(&test) => return self.projects.add(test),
            Err(_) if scenario::reads_like_one(self.files, path) => {
                return self.named_scenario(Scenario { path: test.path, root: test.root });
            }
            Err(problem) => return self.loaded.diagnostics.push(problem.clone()),
        };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_config = ananke::is_named_as_config(path);
        match dialect(name, root).or(is_config.then_some(Dialect::Ananke)) {
            Some(Dialect::Ananke) if is_config || ananke::is_config(root) => return self.named_config(path, root.span),
            Some(Dialect::Ananke) => return self.projects.add(test),
            Some(Dialect::Scenario) => {
                return self.named_scenario(Scenario { path: test.path, root: test.root });
            }
            Some(dialect) => return test.root.into_iter().for_each(|root| self.lower(path, dialect, root)),
            None if self.projects.is_test(&test) => return self.projects.add(test),
            None => {}
        }
        let diagnostic = if expected(name) == Some(Dialect::Native) && is_settings(root) {
            Diagnostic::error(root.span, format!("`{}` is no suite: `cases:` is missing", path.display()))
                .help("add `suite:` and `cases:`, or name a folder to search")
        } else {
            Diagnostic::error(root.span, format!("`{}` fits no known suite format", path.display()))
                .help(WHAT_IS_A_SUITE)
        };
        self.loaded.diagnostics.push(diagnostic);
    }

    /// Makes one suite of the tests of the `aumai` dialect among these files; whether there are any tests, good or wrong.
    fn tests(&mut self, folder: &Path, paths: &mut Vec<PathBuf>) -> bool {
        let mut found = std::mem::take(paths);
        found.sort();
        let mut opened = Vec::with_capacity(found.len());
        let mut unreadable = Diagnostics::default();
        let mut likely = Vec::new();
        let mut conversations = false;
        for path in found {
            let test = self.open_test(&path);
            match test.root {
                Ok(root) if ananke::is_test(&root) => {
                    self.projects.add(ananke::Test { path, root: Ok(root) });
                    conversations = true;
                }
                Ok(root) => opened.push((path, root)),
                Err(problem) => {
                    // Those with the name of a test are told of in any case.
                    if !self.unreadable.contains_key(&path) && likely.len() < UNREADABLE_TOLD {
                        likely.push(problem.clone());
                    }
                    unreadable.push(problem);
                }
            }
        }
        if !opened.iter().any(|(_, root)| fits(root, Dialect::Aumai)) {
            // Nothing was found: one that can not be read may well be what is looked for.
            likely.into_iter().filter(|_| !conversations).for_each(|problem| self.loaded.diagnostics.push(problem));
            return conversations;
        }
        let refused = unreadable.has_errors();
        self.loaded.diagnostics.append(unreadable);
        let again = !self.opened.insert(folder.to_path_buf());
        let name = self.files.name(folder).unwrap_or_else(|| "tests".into());
        let documents = aumai::Documents { name, path: folder, folder, files: opened, mock: &self.options.mock };
        let Loaded { plan, diagnostics } = &mut self.loaded;
        let (suite, strays) = aumai::lower(self.files, &mut plan.sources, documents, diagnostics);
        *paths = strays;
        if let Some(suite) = suite.filter(|_| !refused && !again) {
            self.add(suite);
        }
        true
    }

    /// Searches a folder; whether a suite that is one by itself, good or wrong, was found in it.
    fn folder(&mut self, folder: &Path, depth: usize, met: &mut Met) -> bool {
        if !self.goes_on(folder, depth) {
            return false;
        }
        let look = self.look(folder);
        let mut claimed = false;
        for (path, expected) in look.candidates {
            claimed |= self.candidate(&path, expected, met);
        }
        if claimed && look.config.is_none() {
            return true;
        }
        let mut below = Met { strays: look.others, configs: look.config.into_iter().collect() };
        let mut found = claimed || self.inputs(folder, look.lines);
        for folder in look.folders {
            found |= self.folder(&folder, depth + 1, &mut below);
        }
        if claimed {
            // Two suites share this folder, and what is no conversation is the other's.
            self.conversations(&mut below.strays);
            below.strays.clear();
        }
        met.strays.append(&mut below.strays);
        met.configs.append(&mut below.configs);
        found
    }

    /// Whether a search may go into one more folder; says so when it may not.
    pub(crate) fn goes_on(&mut self, folder: &Path, depth: usize) -> bool {
        self.folders += 1;
        if depth <= DEPTH_LIMIT && self.folders <= FOLDER_LIMIT {
            return true;
        }
        if !std::mem::replace(&mut self.stopped, true) {
            let message = format!("the search stops at `{}`", folder.display());
            let help = format!(
                "at most {DEPTH_LIMIT} levels and {FOLDER_LIMIT} folders are searched; name the suite's folder"
            );
            let span = self.whole(folder);
            self.loaded.diagnostics.push(Diagnostic::warning(span, message).help(help));
        }
        false
    }

    /// Opens a file whose name says it may be a suite; whether it is one, good or wrong.
    fn candidate(&mut self, path: &Path, expected: Dialect, met: &mut Met) -> bool {
        if !self.opened.insert(path.to_path_buf()) {
            return true;
        }
        let Some(root) = self.open(path) else { return true };
        if fits_name(&root, expected) || self.is_meant_as_suite(path, expected, &root) {
            self.lower(path, expected, root);
            return true;
        }
        if expected == Dialect::Native && is_empty(&root) {
            if !self.options.empty_allowed {
                self.loaded.diagnostics.push(
                    Diagnostic::error(root.span, format!("`{}` is empty", path.display()))
                        .help("add `suite:` and `cases:`, or the settings of a project, or remove the file"),
                );
            }
            // It may have been a suite, which what is below does not replace.
            return false;
        }
        if [Dialect::Aumai, Dialect::Ananke, Dialect::Scenario].into_iter().any(|dialect| fits(&root, dialect)) {
            met.strays.push(path.to_path_buf());
        } else if !(expected == Dialect::Native && is_settings(&root)) {
            self.loaded.diagnostics.push(
                Diagnostic::warning(root.span, format!("`{}` fits no known suite format", path.display()))
                    .help(WHAT_IS_A_SUITE),
            );
        }
        // It may yet be named directly, and then it matters that it is no suite.
        self.opened.remove(path);
        false
    }

    /// Whether a `suite.yaml` that lacks the marks of a suite was meant as one: it has other keys of one, or cases beside it.
    fn is_meant_as_suite(&self, path: &Path, expected: Dialect, root: &Node) -> bool {
        let others = [Dialect::Aumai, Dialect::Ananke, Dialect::Scenario];
        let cases = join(path.parent().unwrap_or(Path::new("")), "cases");
        expected == Dialect::Runledger
            && !others.into_iter().any(|dialect| fits(root, dialect))
            && (runledger::SUITE.fields().any(|field| root.get(field.key).is_some())
                || self.files.kind(&cases) == Some(Kind::Folder))
    }

    fn open(&mut self, path: &Path) -> Option<Node> {
        document::open(self.files, &mut self.loaded.plan.sources, path)
            .map_err(|problem| self.loaded.diagnostics.push(problem))
            .ok()
    }

    fn lower(&mut self, path: &Path, dialect: Dialect, root: Node) {
        let Loaded { plan, diagnostics } = &mut self.loaded;
        let suite = match dialect {
            Dialect::Runledger => runledger::lower(self.files, &mut plan.sources, path, &root, diagnostics),
            Dialect::Aumai => {
                let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("tests").to_owned();
                let folder = path.parent().unwrap_or(Path::new(""));
                let files = vec![(path.to_path_buf(), root)];
                let documents = aumai::Documents { name, path, folder, files, mock: &self.options.mock };
                aumai::lower(self.files, &mut plan.sources, documents, diagnostics).0
            }
            _ => native::lower(self.files, &plan.sources, path, root, diagnostics),
        };
        if let Some(mut suite) = suite {
            model_script::attach(self.files, &mut plan.sources, &mut suite, diagnostics);
            native::attach_models(self.files, &mut plan.sources, &mut suite, diagnostics);
            self.add(suite);
        }
    }

    /// Takes a suite into the plan, unless its run folder would be another's.
    pub(crate) fn add(&mut self, suite: Suite) {
        let Loaded { plan, diagnostics } = &mut self.loaded;
        let Some(first) = plan.suites.iter().find(|first| first.name == suite.name) else {
            plan.suites.push(suite);
            return;
        };
        diagnostics.push(
            Diagnostic::error(suite.span, format!("two suites are called `{}`", suite.name.escape_debug()))
                .label(format!("the first is `{}`", first.path.display()))
                .help("rename one of them, since their runs would be kept in the same folder"),
        );
    }

    /// One warning for all the files that look as if they should matter and do not.
    fn report_strays(&mut self) {
        let mut strays = std::mem::take(&mut self.strays);
        strays.retain(|path| !self.is_of_assistant(path));
        let Some(first) = strays.first() else { return };
        let mut named: Vec<String> = strays.iter().take(3).map(|path| format!("`{}`", path.display())).collect();
        if strays.len() > named.len() {
            named.push("...".into());
        }
        let message = match strays.len() {
            1 => format!("1 YAML file belongs to no suite: {}", named.join(", ")),
            count => format!("{count} YAML files belong to no suite: {}", named.join(", ")),
        };
        let span = self.whole(first);
        self.loaded.diagnostics.push(Diagnostic::warning(span, message).help(WHAT_IS_A_SUITE));
    }

    pub(crate) fn error(&mut self, path: &Path, message: String, help: &str) {
        let span = self.whole(path);
        self.loaded.diagnostics.push(Diagnostic::error(span, message).help(help));
    }

    /// A place for a problem with a path itself.
    pub(crate) fn whole(&mut self, path: &Path) -> Span {
        Span::whole(self.loaded.plan.sources.add(path, ""))
    }
}
