//! Finds the settings of an agent.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use agentci_source::{Diagnostics, FileKind, join};

use super::settings::{ProjectSettings, settings};
use crate::document::Loading;
use crate::native;

/// Maximum number of folders to search upwards for settings.
const MOST_STEPS: usize = 64;

/// Marks the top folder of a project; folders above it are not searched.
pub(super) const TOP: &str = ".git";

/// Settings files, each read once.
#[derive(Default)]
pub(crate) struct ScenarioProjects {
    /// By file; `None` if it is invalid, which has been reported.
    read: HashMap<PathBuf, Option<Rc<ProjectSettings>>>,
}

impl ScenarioProjects {
    /// The settings of the agent in a folder: the nearest `agentci.yaml` without `cases:`, in the folder or a parent
    /// folder. `None` if they are invalid.
    pub(super) fn settings(&mut self, folder: &Path, loading: &mut Loading<'_>) -> Option<Rc<ProjectSettings>> {
        let files = loading.files;
        let mut folder = join(folder, "");
        for _ in 0..MOST_STEPS {
            for path in native::NAMES
                .map(|name| join(&folder, name))
                .into_iter()
                .filter(|path| files.kind(path) == Some(FileKind::File))
            {
                if let Some(known) = self.read.get(&path) {
                    return known.clone();
                }
                let mut problems = Diagnostics::default();
                let read = match loading.open(&path) {
                    Ok(root) if native::is_settings(&root) => Some(settings(&root, files, &folder, &mut problems)),
                    // A native suite has no settings for other suites.
                    Ok(_) => continue,
                    Err(problem) => {
                        problems.push(problem);
                        None
                    }
                };
                let read = read.filter(|_| !problems.has_errors()).map(Rc::new);
                loading.problems.append(problems);
                self.read.insert(path, read.clone());
                return read;
            }
            let above = files.parent(&folder).filter(|_| files.kind(&join(&folder, TOP)).is_none());
            let Some(above) = above else { break };
            folder = above;
        }
        Some(Rc::default())
    }
}
