//! Reads Python files whose functions checks call, before anything runs. They are parsed by the interpreter that will
//! run them; no code of the project runs.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;

use agentci_checks::{ReadyCase, ReadyCheck};
use agentci_plan::ScriptFile;
use agentci_python::{Outline, OutlineSyntaxError, find_python, is_python, outlines};

use crate::LoadedSuite;

/// What Python files define, by path. Files are missing if there is no interpreter that can parse them: a run reports
/// that.
#[derive(Debug, Default)]
pub(crate) struct PythonOutlines(HashMap<PathBuf, Result<Outline, OutlineSyntaxError>>);

impl PythonOutlines {
    /// Reads the files of all suites, with one process for each interpreter.
    pub(crate) fn read(suites: &[LoadedSuite]) -> Self {
        let mut files: BTreeMap<OsString, BTreeMap<PathBuf, &str>> = BTreeMap::new();
        for loaded in suites {
            let scripts: Vec<&ScriptFile> = loaded.ready.cases.iter().flat_map(scripts).collect();
            let Some(python) = (!scripts.is_empty()).then(|| find_python(&loaded.suite.folder)).flatten() else {
                continue;
            };
            let of_python = files.entry(python).or_default();
            of_python.extend(scripts.iter().map(|file| (file.path.clone(), file.source.as_str())));
        }
        let mut found = HashMap::new();
        for (python, files) in files {
            let sources: Vec<&str> = files.values().copied().collect();
            let outlines = outlines(&python, &sources).unwrap_or_default();
            found.extend(files.into_keys().zip(outlines));
        }
        Self(found)
    }

    pub(crate) fn get(&self, file: &ScriptFile) -> Option<&Result<Outline, OutlineSyntaxError>> {
        self.0.get(&file.path)
    }
}

/// The Python files of a case.
fn scripts(case: &ReadyCase) -> impl Iterator<Item = &ScriptFile> {
    let checks = case.checks.iter().chain(case.turns.iter().flatten());
    checks.filter_map(ReadyCheck::script).map(|call| &*call.file).filter(|file| is_python(&file.path))
}
