//! Finds the Python interpreter of a project.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use agentci_process::find_program;

/// What to do if there is no interpreter.
pub const NO_PYTHON: &str = "install Python 3.8 or newer, or create a virtual environment next to the suite: \
                             `python3 -m venv .venv`";

/// Where a virtual environment is, in a folder of its project.
const ENVIRONMENTS: [&str; 2] = [".venv", "venv"];
/// The programs of a virtual environment.
const PROGRAMS: [&str; 2] = ["bin/python3", "bin/python"];

/// The interpreter for files in this folder: of the active virtual environment, else of the nearest `.venv` or `venv`
/// up to the root of the project, else `python3` on the `PATH`. The root is the first folder with `.git`, else the
/// working folder, else this folder.
pub fn find_python(folder: &Path) -> Option<OsString> {
    let active = env::var_os("VIRTUAL_ENV").filter(|path| !path.is_empty()).map(PathBuf::from);
    let here = env::current_dir().ok();
    let path = env::var_os("PATH").unwrap_or_default();
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    find(&folder, active.as_deref(), here.as_deref(), &path)
}

fn find(folder: &Path, active: Option<&Path>, here: Option<&Path>, path: &OsStr) -> Option<OsString> {
    let root = folder.ancestors().find(|above| above.join(".git").exists());
    let root = root.or(here.filter(|here| folder.starts_with(here))).unwrap_or(folder);
    let above = folder.ancestors().take_while(|above| above.starts_with(root));
    let near = above.flat_map(|above| ENVIRONMENTS.map(|name| above.join(name)));
    // Other folders may have these names.
    let mut near = near.filter(|environment| environment.join("pyvenv.cfg").is_file());
    let program = active.and_then(program_in).or_else(|| near.find_map(|environment| program_in(&environment)));
    program.map(PathBuf::into_os_string).or_else(|| find_program(OsStr::new("python3"), path))
}

/// The interpreter of a virtual environment. Symbolic links are not resolved: Python finds the packages of the
/// environment by the path that it was started with.
fn program_in(environment: &Path) -> Option<PathBuf> {
    PROGRAMS.iter().map(|name| environment.join(name)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn program(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn environment(folder: &Path) -> PathBuf {
        let program_path = folder.join("bin/python3");
        program(&program_path);
        fs::write(folder.join("pyvenv.cfg"), "").unwrap();
        program_path
    }

    #[test]
    fn nearest_environment_of_the_project_precedes_the_path() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let (suite, on_path) = (root.join("project/evals/refunds"), root.join("programs"));
        fs::create_dir_all(&suite).unwrap();
        let found = |active: Option<&Path>| find(&suite, active, Some(&root.join("project")), on_path.as_os_str());
        assert_eq!(found(None), None);
        program(&on_path.join("python3"));
        assert_eq!(found(None), Some(on_path.join("python3").into()));
        // Above the project, and a folder that is no environment.
        environment(&root.join(".venv"));
        program(&root.join("project/evals/venv/bin/python3"));
        assert_eq!(found(None), Some(on_path.join("python3").into()));
        let of_project = environment(&root.join("project/.venv"));
        assert_eq!(found(None), Some(of_project.into()));
        let of_suite = environment(&suite.join("venv"));
        assert_eq!(found(None), Some(of_suite.into()));
        let active = environment(&root.join("elsewhere"));
        assert_eq!(found(Some(&root.join("elsewhere"))), Some(active.into()));
    }

    #[test]
    fn project_ends_at_its_git_folder() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let suite = root.join("outer/repo/evals");
        fs::create_dir_all(&suite).unwrap();
        let of_outer = environment(&root.join("outer/.venv"));
        let found = || find(&suite, None, Some(&root.join("outer")), OsStr::new(""));
        assert_eq!(found(), Some(of_outer.into()));
        // Without a working folder, the folder itself is the root.
        assert_eq!(find(&suite, None, None, OsStr::new("")), None);
        fs::create_dir_all(root.join("outer/repo/.git")).unwrap();
        assert_eq!(found(), None);
        let of_repo = environment(&root.join("outer/repo/.venv"));
        assert_eq!(found(), Some(of_repo.into()));
    }
}
