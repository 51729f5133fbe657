//! Decides which entries a search skips: those that git ignores, and those that match `exclude`.
//!
//! `exclude` in an `agentci.yaml` applies to the folder of that file and below; `--exclude` is relative to the working
//! folder. Both have the syntax of `.gitignore`. A path that the user names is never skipped.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use agentci_source::shape::{Field, Kind as Shape, optional};
use agentci_source::{Diagnostic, Diagnostics, FileKind, Files, Node, Span, Spanned, join, read, yaml};

use super::glob::Glob;
use super::tracked::{TrackedPaths, git_folder};
use crate::document::{Loading, SIZE_LIMIT};
use crate::native::{NAMES as SETTINGS, is_suite};

pub(crate) const EXCLUDE: Field = optional(
    "exclude",
    Shape::OneOrMore(&Shape::Name),
    "Files and folders to exclude from the search for suites, written as in `.gitignore`.",
);

/// The size limit of a `.gitignore`, in bytes.
const IGNORE_LIMIT: u64 = 1 << 20;

/// The maximum number of parents of a named folder that are searched for rules.
const UP_LIMIT: usize = 64;

/// The rules for entries that a search skips.
pub(crate) struct Bounds<'f> {
    files: &'f dyn Files,
    /// The `--exclude` patterns.
    excluded: Vec<Exclude>,
    /// The rules of folders, by absolute path.
    levels: HashMap<PathBuf, Rc<FolderRules>>,
    /// Whether git ignores the named folder itself, so that its content is searched regardless of git.
    unignored: bool,
    /// The named folder, if a rule of a parent folder excludes it.
    unexcluded: Option<PathBuf>,
    /// The entries that this search skipped because git ignores them, and whether each is a folder.
    skipped: RefCell<Vec<(PathBuf, bool)>>,
}

/// The rules of one folder, for everything in it and below.
struct FolderRules {
    folder: PathBuf,
    above: Option<Rc<FolderRules>>,
    repository: Option<Rc<Repository>>,
    /// The lines of the folder's ignore files; the last match wins.
    ignored: Vec<Ignore>,
    excluded: Vec<Exclude>,
    /// Whether git ignores the folder itself.
    is_ignored: bool,
    /// Whether a suite is in this folder. The search does not go below it, so an unused `exclude` is not reported.
    is_suite: bool,
    is_searched: Cell<bool>,
}

/// A work tree of git.
struct Repository {
    root: PathBuf,
    tracked: OnceCell<TrackedPaths>,
}

/// A line of a `.gitignore`.
struct Ignore {
    glob: Glob,
    /// Whether it re-includes what an earlier line ignores (`!`).
    is_exception: bool,
}

/// An entry of `exclude`.
struct Exclude {
    /// The folder that it is relative to.
    base: PathBuf,
    glob: Glob,
    written: Spanned<String>,
    is_used: Cell<bool>,
}

impl<'f> Bounds<'f> {
    /// Reads the `--exclude` patterns, which are relative to the working folder.
    pub(crate) fn new(files: &'f dyn Files, excluded: &[String], loading: &mut Loading<'_>) -> Self {
        let mut bounds = Self {
            files,
            excluded: Vec::new(),
            levels: HashMap::new(),
            unignored: false,
            unexcluded: None,
            skipped: RefCell::default(),
        };
        for text in excluded {
            let file = loading.sources.add(Path::new("--exclude"), text.as_str());
            let width = u32::try_from(text.chars().count()).unwrap_or(u32::MAX).max(1);
            let written = Spanned::new(text.clone(), Span { file, line: 1, column: 1, width });
            // Absolute paths and leading `../` work as in a shell.
            let mut base = files.absolute(Path::new(if text.starts_with('/') { "/" } else { "." }));
            let mut rest = text.as_str();
            while let Some(further) = rest.strip_prefix("../") {
                base.pop();
                rest = further;
            }
            let anchored = if rest.len() < text.len() { format!("/{rest}") } else { rest.to_owned() };
            match pattern(&anchored, &written) {
                Ok(glob) => bounds.excluded.push(Exclude { base, glob, written, is_used: Cell::new(false) }),
                Err(problem) => loading.problems.push(problem),
            }
        }
        bounds
    }

    /// Starts a search in a named folder. Rules of parent folders that exclude the folder itself do not apply, since
    /// the user named it.
    pub(crate) fn start(&mut self, folder: &Path, loading: &mut Loading<'_>) {
        let absolute = self.files.absolute(folder);
        let level = self.level(&absolute, folder, UP_LIMIT, loading);
        self.unignored = level.is_ignored;
        self.skipped.take();
        let from_above = |path: &Path| {
            let above = level.up().skip(1).filter(|level| path.starts_with(&level.folder));
            above.flat_map(|level| &level.excluded).any(|exclude| exclude.fits(path, true))
        };
        self.unexcluded = absolute.ancestors().any(from_above).then_some(absolute);
    }

    /// Reads the rules of a folder that is searched.
    pub(crate) fn enter(&mut self, folder: &Path, loading: &mut Loading<'_>) {
        let absolute = self.files.absolute(folder);
        self.level(&absolute, folder, UP_LIMIT, loading).is_searched.set(true);
    }

    /// Whether the search skips an entry of a folder that was entered.
    pub(crate) fn leave_out(&self, folder: &Path, name: &str, is_folder: bool) -> bool {
        let shown = join(folder, name);
        let folder = self.files.absolute(folder);
        let Some(level) = self.levels.get(&folder) else { return false };
        let path = folder.join(name);
        // All patterns are tried, so that each one that matches counts as used.
        let of_folders = level.up().filter(|level| self.counts(level)).flat_map(|level| &level.excluded);
        let all = self.excluded.iter().chain(of_folders);
        let excluded = all.filter(|exclude| exclude.leaves_out(&path, is_folder)).count() > 0;
        let ignored = !excluded && !self.unignored && level.ignores(self.files, &path, is_folder);
        if ignored {
            self.skipped.borrow_mut().push((shown, is_folder));
        }
        excluded || ignored
    }

    /// The entries that this search skipped because git ignores them, and whether each is a folder.
    pub(crate) fn skipped(&self) -> Vec<(PathBuf, bool)> {
        self.skipped.borrow().clone()
    }

    /// Warns of each `exclude` pattern that matched nothing although everything below its folder was searched.
    pub(crate) fn report(&self, problems: &mut Diagnostics) {
        let mut levels: Vec<&Rc<FolderRules>> = self.levels.values().collect();
        levels.sort_by(|one, other| one.folder.cmp(&other.folder));
        let searched = levels.into_iter().filter(|level| level.is_searched.get() && !level.is_suite);
        for exclude in self.excluded.iter().chain(searched.flat_map(|level| &level.excluded)) {
            if !exclude.is_used.get() {
                let message = format!("`{}` excludes nothing", exclude.written.value.escape_debug());
                problems
                    .warning(exclude.written.span, message, "matches no file or folder that was searched")
                    .help("remove it, or write the path relative to this folder; a leading `**/` matches at any depth");
            }
        }
    }

    /// Whether the `exclude` rules of a folder apply to this search.
    fn counts(&self, level: &FolderRules) -> bool {
        self.unexcluded.as_ref().is_none_or(|named| level.folder.starts_with(named))
    }

    /// The rules of a folder, given its absolute path and the path that the user sees.
    fn level(&mut self, folder: &Path, shown: &Path, steps: usize, loading: &mut Loading<'_>) -> Rc<FolderRules> {
        if let Some(known) = self.levels.get(folder) {
            return Rc::clone(known);
        }
        let is_root = self.files.kind(&join(folder, ".git")).is_some();
        let above = folder.parent().and_then(|parent| match self.levels.get(parent) {
            Some(known) => Some(Rc::clone(known)),
            // The settings of a project are inside its work tree.
            None if is_root || steps == 0 => None,
            // Problems in the settings of parent folders are reported by searches there.
            None => Some(self.level(parent, parent, steps - 1, &mut loading.with(&mut Diagnostics::default()))),
        });
        let repository = if is_root {
            Some(Rc::new(Repository { root: folder.to_path_buf(), tracked: OnceCell::new() }))
        } else {
            above.as_ref().and_then(|above| above.repository.clone())
        };
        let mut ignored = Vec::new();
        if is_root {
            ignored.extend(self.ignored(&join(&git_folder(self.files, folder), "info/exclude")));
        }
        if repository.is_some() {
            ignored.extend(self.ignored(&join(folder, ".gitignore")));
        }
        let is_ignored =
            !is_root && above.as_ref().is_some_and(|above| above.is_ignored || above.ignores_by_rule(folder, true));
        let (excluded, is_suite) = self.excluded(folder, shown, loading);
        let level = Rc::new(FolderRules {
            folder: folder.to_path_buf(),
            above,
            repository,
            ignored,
            excluded,
            is_ignored,
            is_suite,
            is_searched: Cell::new(false),
        });
        self.levels.insert(folder.to_path_buf(), Rc::clone(&level));
        level
    }

    fn ignored(&self, path: &Path) -> Vec<Ignore> {
        if self.files.kind(path) != Some(FileKind::File) {
            return Vec::new();
        }
        let bytes = self.files.read(path, IGNORE_LIMIT).unwrap_or_default();
        String::from_utf8_lossy(&bytes).lines().filter_map(Ignore::new).collect()
    }

    /// The `exclude` patterns in the `agentci.yaml` of a folder, and whether that file is a suite.
    fn excluded(&self, folder: &Path, shown: &Path, loading: &mut Loading<'_>) -> (Vec<Exclude>, bool) {
        let mut found = (Vec::new(), false);
        for path in SETTINGS.iter().map(|name| join(shown, name)) {
            if self.files.kind(&path) != Some(FileKind::File) {
                continue;
            }
            let Ok(text) = self.files.read_text(&path, SIZE_LIMIT) else { continue };
            // Few files have the key; this avoids parsing large suites twice.
            if !text.contains(EXCLUDE.key) {
                continue;
            }
            let file = loading.sources.add(&path, text.as_str());
            let Ok(root) = yaml::parse(&text, file) else { continue };
            let Some(node) = root.get(EXCLUDE.key) else { continue };
            found.1 = is_suite(&root);
            // The reader of a suite reports its problems.
            let mut own = Diagnostics::default();
            for written in read_exclude(node, &mut own) {
                if let Ok(glob) = pattern(&written.value, &written) {
                    let base = folder.to_path_buf();
                    found.0.push(Exclude { base, glob, written, is_used: Cell::new(false) });
                }
            }
            if !found.1 {
                loading.problems.append(own);
            }
        }
        found
    }
}

/// Reads the value of `exclude`.
pub(crate) fn read_exclude(node: &Node, problems: &mut Diagnostics) -> Vec<Spanned<String>> {
    if node.is_null() {
        return Vec::new();
    }
    let mut written = read::one_or_more_texts(node, EXCLUDE.key, problems).unwrap_or_default();
    written.retain(|written| pattern(&written.value, written).map_err(|problem| problems.push(problem)).is_ok());
    written
}

/// Parses a pattern of `exclude`.
fn pattern(text: &str, written: &Spanned<String>) -> Result<Glob, Diagnostic> {
    let good = !text.starts_with('!') && !text.split('/').any(|name| name == "..");
    Glob::new(text).filter(|_| good).ok_or_else(|| {
        let message = format!("`{}` is not a valid `exclude` pattern", written.value.escape_debug());
        Diagnostic::error(written.span, message).label("expected a path in this folder").help(
            "write it as in `.gitignore`, such as `old`, `evals/old/` or `*.gen.yaml`; `!` and `..` are not supported",
        )
    })
}

impl FolderRules {
    /// The rules of this folder and of its parents, the nearest first.
    fn up(&self) -> impl Iterator<Item = &FolderRules> {
        std::iter::successors(Some(self), |level| level.above.as_deref())
    }

    /// Whether git ignores an entry of this folder.
    fn ignores(&self, files: &dyn Files, path: &Path, is_folder: bool) -> bool {
        let Some(repository) = &self.repository else { return false };
        (self.is_ignored || self.ignores_by_rule(path, is_folder)) && !repository.tracks(files, path)
    }

    /// The same, by the ignore rules alone. The nearest file takes precedence, and in it the last line that matches.
    fn ignores_by_rule(&self, path: &Path, is_folder: bool) -> bool {
        let root = self.repository.as_ref().map(|repository| repository.root.as_path());
        for level in self.up().take_while(|level| root.is_some_and(|root| level.folder.starts_with(root))) {
            let Some(text) = below(&level.folder, path) else { continue };
            if let Some(last) = level.ignored.iter().rev().find(|ignore| ignore.glob.fits(&text, is_folder)) {
                return !last.is_exception;
            }
        }
        false
    }
}

impl Repository {
    fn tracks(&self, files: &dyn Files, path: &Path) -> bool {
        let tracked = self.tracked.get_or_init(|| TrackedPaths::read(files, &self.root));
        below(&self.root, path).is_some_and(|path| tracked.holds(&path))
    }
}

impl Ignore {
    fn new(line: &str) -> Option<Self> {
        // Trailing spaces are ignored unless escaped.
        let mut text = line.trim_end_matches(' ');
        if text.ends_with('\\') && text.len() < line.len() {
            text = &line[..=text.len()];
        }
        if text.starts_with('#') {
            return None;
        }
        let (text, is_exception) = text.strip_prefix('!').map_or((text, false), |text| (text, true));
        Some(Self { glob: Glob::new(text)?, is_exception })
    }
}

impl Exclude {
    fn fits(&self, path: &Path, is_folder: bool) -> bool {
        below(&self.base, path).is_some_and(|text| self.glob.fits(&text, is_folder))
    }

    fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let fits = self.fits(path, is_folder);
        self.is_used.set(self.is_used.get() || fits);
        fits
    }
}

/// A path relative to a parent folder; `None` for the folder itself and for paths outside it.
fn below(folder: &Path, path: &Path) -> Option<String> {
    let text = path.strip_prefix(folder).ok()?.to_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use agentci_source::{FileError, FolderEntry, MemoryFiles, Severity};

    use crate::{LoadOptions, Loaded, load_with};

    use super::*;

    fn native(name: &str) -> String {
        format!("suite: {name}\ntarget: {{ process: {{ command: [a] }} }}\ncases: [{{ id: x, input: {{}} }}]\n")
    }

    fn load(files: &dyn Files, path: &str, excluded: &[&str]) -> Loaded {
        let exclude = excluded.iter().map(|pattern| (*pattern).to_owned()).collect();
        load_with(files, &[path.into()], &LoadOptions { exclude, ..LoadOptions::default() })
    }

    /// The names of the suites found, and all messages.
    fn found(files: &dyn Files, path: &str, excluded: &[&str]) -> (Vec<String>, Vec<String>) {
        let loaded = load(files, path, excluded);
        let names = loaded.plan.suites.iter().map(|suite| suite.name.clone()).collect();
        (names, loaded.diagnostics.iter().map(|problem| problem.message.clone()).collect())
    }

    fn names(files: &dyn Files, path: &str, excluded: &[&str]) -> Vec<String> {
        let (names, problems) = found(files, path, excluded);
        assert_eq!(problems, Vec::<String>::new());
        names
    }

    fn tree() -> MemoryFiles {
        MemoryFiles::default()
            .with("p/a/agentci.yaml", native("a"))
            .with("p/build/b/agentci.yaml", native("b"))
            .with("p/c/build/agentci.yaml", native("c"))
    }

    #[test]
    fn skips_git_ignored_files_only_within_a_work_tree() {
        let ignored = tree().with("p/.gitignore", "# made\n/build/\n");
        assert_eq!(names(&ignored, "p", &[]), ["a", "b", "c"]);
        let files = ignored.with("p/.git/HEAD", "");
        assert_eq!(names(&files, "p", &[]), ["a", "c"]);
        // The nearest file takes precedence.
        let files = files.with("p/.git/info/exclude", "c\n").with("p/c/.gitignore", "!build\n");
        assert_eq!(names(&files, "p", &[]), ["a"]);
        let files = tree().with("p/.git", "").with("p/.gitignore", "build\n").with("p/c/.gitignore", "!build\n");
        assert_eq!(names(&files, "p", &[]), ["a", "c"]);
    }

    #[test]
    fn explicit_path_overrides_gitignore() {
        let files = tree().with("p/.git/HEAD", "").with("p/.gitignore", "build/**\n/build\n");
        assert_eq!(names(&files, "p", &[]), ["a", "c"]);
        for path in ["p/build", "p/build/b", "p/build/b/agentci.yaml"] {
            assert_eq!(names(&files, path, &[]), ["b"], "{path}");
        }
    }

    #[test]
    fn reports_git_ignored_suites_if_none_is_found() {
        let files = MemoryFiles::default()
            .with("p/.git/HEAD", "")
            .with("p/.gitignore", "out\nagentci.yaml\n*.md\n.cache\nnode_modules\n")
            .with("p/out/a/agentci.yaml", native("a"))
            .with("p/b/agentci.yaml", native("b"))
            .with("p/b/notes.md", "")
            .with("p/.cache/agentci.yaml", native("c"))
            .with("p/node_modules/x/agentci.yaml", native("d"));
        let loaded = load(&files, "p", &[]);
        let problem = loaded.diagnostics.iter().next().unwrap();
        assert_eq!(
            problem.message,
            "no suite found in `p`; skipped because git ignores them: `p/b/agentci.yaml`, `p/out`"
        );
        assert!(
            problem
                .help
                .as_ref()
                .unwrap()
                .starts_with("to search ignored files anyway, pass their path, such as `p/b/agentci.yaml`")
        );
        // Explicitly excluded entries are not named as the reason.
        let (_, problems) = found(&files, "p", &["out", "p/b/agentci.yaml"]);
        assert_eq!(problems, ["no suite found in `p`"]);
    }

    #[test]
    fn tracked_files_are_not_ignored() {
        let mut index = b"DIRC\0\0\0\x04\0\0\0\x01".to_vec();
        index.extend([0; 62]);
        index.extend(b"\0build/b/agentci.yaml\0");
        let files = tree().with("p/.gitignore", "build\n").with("p/.git/index", index);
        let files = files.with("p/build/other/agentci.yaml", native("other"));
        assert_eq!(names(&files, "p", &[]), ["a", "b"]);
    }

    #[test]
    fn nested_work_tree_has_separate_ignore_rules() {
        let files = tree().with("p/.git/HEAD", "").with("p/.gitignore", "b\nagentci.yaml\n").with("p/c/.git", "");
        assert_eq!(names(&files, "p", &[]), ["c"]);
    }

    #[test]
    fn settings_exclude_paths_below_their_folder() {
        for exclude in ["exclude: [build]\n", "exclude: ['/build', c/build/]\n", "exclude: '**/build/'\n"] {
            let files = tree().with("p/agentci.yaml", exclude);
            assert_eq!(names(&files, "p", &[]), ["a"], "{exclude}");
        }
        let files = tree().with("p/agentci.yaml", "exclude: [build]\n");
        // The excluded folder itself, and a folder further down.
        assert_eq!(names(&files, "p/build", &[]), ["b"]);
        assert_eq!(found(&files, "p/c", &[]), (vec![], vec!["no suite found in `p/c`".to_owned()]));
        assert_eq!(names(&files, "p/c/build", &[]), ["c"]);
    }

    #[test]
    fn command_line_excludes_are_relative_to_the_working_folder() {
        assert_eq!(names(&tree(), "p", &["build"]), ["a"]);
        assert_eq!(names(&tree(), "p", &["p/build/", "./p/a"]), ["c"]);
        assert_eq!(names(&tree(), "p", &["p/*/build"]), ["a", "b"]);
        let absolute =
            MemoryFiles::default().with("/x/a/agentci.yaml", native("a")).with("/x/b/agentci.yaml", native("b"));
        assert_eq!(names(&absolute, "/x", &["/x/a"]), ["b"]);
    }

    #[test]
    fn unmatched_exclude_is_a_warning() {
        let files = tree().with("p/agentci.yaml", "exclude:\n  - build\n  - c/bild\n");
        let loaded = load(&files, "p", &["old"]);
        let told: Vec<_> = loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(told, ["`old` excludes nothing", "`c/bild` excludes nothing"]);
        assert_eq!(loaded.diagnostics.count(Severity::Warning), 2);
        // The parents of the named folder were not searched.
        assert_eq!(names(&files, "p/a", &[]), ["a"]);
    }

    #[test]
    fn reports_invalid_exclude_once() {
        for wrong in ["exclude: { a: b }\n", "exclude: ['!a']\n", "exclude: [../a]\n", "exclude: ['']\n"] {
            let (names, problems) = found(&tree().with("p/agentci.yaml", wrong), "p", &[]);
            assert_eq!((names.len(), problems.len()), (3, 1), "{wrong} {problems:?}");
            let suite = tree().with("p/a/agentci.yaml", native("a") + wrong);
            assert_eq!(found(&suite, "p", &[]).1.len(), 1, "{wrong}");
        }
    }

    /// Files with a folder `locked` that cannot be listed.
    struct Locked(MemoryFiles);

    impl Files for Locked {
        fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
            self.0.read(path, limit)
        }

        fn list(&self, folder: &Path) -> Result<Vec<FolderEntry>, FileError> {
            if folder.ends_with("locked") {
                return Err(FileError::Other("Permission denied (os error 13)".into()));
            }
            self.0.list(folder)
        }

        fn kind(&self, path: &Path) -> Option<FileKind> {
            self.0.kind(path)
        }
    }

    #[test]
    fn unreadable_folder_is_an_error_unless_excluded() {
        let files = Locked(tree().with("p/locked/agentci.yaml", native("locked")));
        let loaded = load(&files, "p", &[]);
        let problem = loaded.diagnostics.iter().next().unwrap();
        assert_eq!(problem.message, "cannot list the folder `p/locked`: Permission denied (os error 13)");
        assert!(problem.severity == Severity::Error && problem.help.as_ref().unwrap().contains("`exclude:`"));
        assert_eq!((loaded.plan.suites.len(), loaded.diagnostics.iter().count()), (3, 1));
        assert_eq!(names(&files, "p", &["locked"]), ["a", "b", "c"]);
        let files = Locked(files.0.with("p/agentci.yaml", "exclude: [locked]\n"));
        assert_eq!(names(&files, "p", &[]), ["a", "b", "c"]);
    }
}
