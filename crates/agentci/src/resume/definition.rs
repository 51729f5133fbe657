//! Identifies what a case is, so that a stored result is only used for the same case.
//!
//! The definition covers the case in native form, the checks with the files they name, and the content of the files that
//! the case uses: programs of its agent, its hooks and tools, scripts of models and MCP servers, and what it replays.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_checks::{ReadyCase, ReadyCheck};
use agentci_plan::{Case, McpWorld, Mode, Suite, Target, World};
use agentci_source::Files as _;
use agentci_trace::{Redactor, canonical, sha256_beginning};
use serde_json::Value;

use crate::programs::{agent_command, files, helper_commands};
use crate::{DiskFiles, recording};

/// The number of hexadecimal digits of a definition.
const DIGITS: usize = 16;

/// The largest file that is compared by its content, in bytes.
const FILE_LIMIT: u64 = 64 << 20;

/// Computes the definitions of the cases of a suite.
#[derive(Debug)]
pub(crate) struct Definitions<'s> {
    suite: &'s Suite,
    mode: Mode,
    secrets: &'s Redactor,
    /// The surroundings of the last case, with what they are of: cases that follow each other often share them.
    last: RefCell<Option<DefinedSurroundings>>,
    /// The digest of each file, computed once: cases share their agent.
    files: RefCell<BTreeMap<PathBuf, String>>,
}

#[derive(Debug)]
struct DefinedSurroundings {
    target: Arc<Target>,
    world: Arc<World>,
    digest: Arc<str>,
}

impl<'s> Definitions<'s> {
    pub(crate) fn new(suite: &'s Suite, mode: Mode, secrets: &'s Redactor) -> Self {
        Self { suite, mode, secrets, last: RefCell::default(), files: RefCell::default() }
    }

    /// The definition of a case; `None` if it cannot be identified, so that its results are not used again.
    pub(crate) fn of(&self, case: &Case, ready: &ReadyCase) -> Option<Arc<str>> {
        let native = agentci_formats::definition(self.suite, case)?;
        let checks = || ready.checks.iter().chain(ready.turns.iter().flatten());
        let of_checks: Vec<Value> = checks().map(|check| check.definition().unwrap_or_default()).collect();
        let mut used: Vec<&Path> = Vec::new();
        used.extend(agent_command(&case.target).into_iter().flat_map(|started| files(started.command)).map(|f| &**f));
        used.extend(helper_commands(case).flat_map(files).map(|file| &**file));
        used.extend(case.world.model.iter().filter_map(|model| model.source.file()));
        used.extend(case.world.mcp.iter().map(McpWorld::path));
        used.extend(checks().filter_map(ReadyCheck::script).map(|call| call.file.path.as_path()));
        if self.mode == Mode::Replay {
            used.extend(recording::written(case).map(|(_, path, _)| path));
        }
        let of_files = used.into_iter().map(|path| self.file(path).into()).collect();
        let surroundings = Value::from(&*self.surroundings(case)?);
        // Not `json!`, which would copy the parts.
        let mut whole = vec![native, surroundings, Value::Array(of_checks), Value::Array(of_files)];
        whole.extend(case.row.as_ref().map(|row| Value::Object(row.fields.clone())));
        Some(self.digest(&Value::Array(whole)))
    }

    fn surroundings(&self, case: &Case) -> Option<Arc<str>> {
        let mut last = self.last.borrow_mut();
        let same = |last: &&DefinedSurroundings| {
            Arc::ptr_eq(&last.target, &case.target) && Arc::ptr_eq(&last.world, &case.world)
        };
        if let Some(last) = last.as_ref().filter(same) {
            return Some(Arc::clone(&last.digest));
        }
        let digest = self.digest(&agentci_formats::surroundings(self.suite, case)?);
        let (target, world) = (Arc::clone(&case.target), Arc::clone(&case.world));
        *last = Some(DefinedSurroundings { target, world, digest: Arc::clone(&digest) });
        Some(digest)
    }

    fn digest(&self, value: &Value) -> Arc<str> {
        sha256_beginning(canonical(&self.secrets.clean(value)).as_bytes(), DIGITS).into()
    }

    fn file(&self, path: &Path) -> String {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let digest = match DiskFiles.read(path, FILE_LIMIT) {
            Ok(bytes) => sha256_beginning(&bytes, DIGITS),
            Err(error) => error.to_string(),
        };
        self.files.borrow_mut().insert(path.to_path_buf(), digest.clone());
        digest
    }
}
