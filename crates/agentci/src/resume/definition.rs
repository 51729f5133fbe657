//! Identifies what a case is, so that a stored result is only used for the same case.
//!
//! The definition covers the case in native form, the checks with the files they name, and the content of the files that
//! the case uses: programs of its agent, of judges, hooks and tools, scripts of assistants, models and MCP servers, answer
//! files of tools, and what it replays.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_checks::{ReadyCase, ReadyCheck};
use agentci_plan::{Case, FixtureAnswer, McpWorld, Mode, Suite, Target, ToolSource, World};
use agentci_source::Files as _;
use agentci_trace::Redactor;
use serde_json::{Value, json};

use crate::programs::{StartedCommand, agent_command, hook_commands, tool_commands};
use crate::{DiskFiles, recording};

/// The largest file that is compared by its content, in bytes.
const FILE_LIMIT: u64 = 64 << 20;

/// Computes the definitions of the cases of a suite.
#[derive(Debug)]
pub(crate) struct Definitions<'s> {
    suite: &'s Suite,
    mode: Mode,
    secrets: &'s Redactor,
    target: LastDigest<Target>,
    world: LastDigest<World>,
    /// The digest of each file, computed once: cases share their agent.
    files: RefCell<BTreeMap<PathBuf, String>>,
}

/// The digest of what the last case uses: cases that follow each other often share it.
#[derive(Debug)]
struct LastDigest<T>(RefCell<Option<(Arc<T>, Arc<str>)>>);

impl<T> LastDigest<T> {
    fn of(&self, used: &Arc<T>, compute: impl FnOnce() -> Option<Arc<str>>) -> Option<Value> {
        let mut last = self.0.borrow_mut();
        if last.as_ref().is_none_or(|(known, _)| !Arc::ptr_eq(known, used)) {
            *last = Some((Arc::clone(used), compute()?));
        }
        last.as_ref().map(|(_, digest)| Value::from(&**digest))
    }
}

impl<'s> Definitions<'s> {
    pub(crate) fn new(suite: &'s Suite, mode: Mode, secrets: &'s Redactor) -> Self {
        let (target, world) = (LastDigest(RefCell::default()), LastDigest(RefCell::default()));
        Self { suite, mode, secrets, target, world, files: RefCell::default() }
    }

    /// The definition of a case; `None` if it cannot be identified, so that its results are not used again.
    pub(crate) fn of(&self, case: &Case, ready: &ReadyCase) -> Option<Arc<str>> {
        let native = agentci_formats::case_definition(self.suite, case)?;
        let checks = || ready.checks.iter().chain(ready.turns.iter().flatten());
        let of_checks: Vec<Value> = checks().map(|check| check.definition().unwrap_or_default()).collect();
        let mut of_files: Vec<Value> = hook_commands(case).flat_map(|hook| self.named_files(hook)).collect();
        of_files.extend(checks().filter_map(ReadyCheck::script).map(|call| self.file(&call.file.path)));
        if self.mode == Mode::Replay {
            of_files.extend(recording::written(case).map(|(_, path, _)| self.file(path)));
        }
        let target = self.target.of(&case.target, || self.target_digest(&case.target))?;
        let world = self.world.of(&case.world, || self.world_digest(&case.world))?;
        // Not `json!`, which would copy the parts.
        let mut whole = vec![native, target, world, Value::Array(of_checks), Value::Array(of_files)];
        whole.extend(case.row.as_ref().map(|row| Value::Object(row.fields.clone())));
        Some(self.digest(&Value::Array(whole)))
    }

    fn target_digest(&self, target: &Target) -> Option<Arc<str>> {
        let mut parts = vec![agentci_formats::agent_definition(self.suite, target)?, self.of_target(target)];
        parts.extend(self.suite.agents.iter().map(|(_, agent)| self.of_target(agent)));
        Some(self.digest(&Value::Array(parts)))
    }

    fn world_digest(&self, world: &World) -> Option<Arc<str>> {
        let parts = vec![agentci_formats::world_definition(self.suite, world)?, self.of_world(world)];
        Some(self.digest(&Value::Array(parts)))
    }

    /// The content of the files that an agent consists of.
    fn of_target(&self, target: &Target) -> Value {
        let mut used: Vec<Value> =
            agent_command(target).into_iter().flat_map(|agent| self.named_files(agent)).collect();
        if let Target::Chat(chat) = target {
            used.extend(chat.connector.script.iter().map(|path| self.file(path)));
            let script = chat.assistant.script.iter();
            used.extend(script.map(|script| digest(&script.source).into()));
            // With their names, so that secrets are left out.
            let variables = chat.environment.iter().flat_map(|file| &file.values);
            used.extend(variables.map(|(name, value)| json!({ name: value })));
        }
        Value::Array(used)
    }

    /// The content of the files that the world of an agent consists of.
    fn of_world(&self, world: &World) -> Value {
        let mut used: Vec<Value> = tool_commands(world).flat_map(|tool| self.named_files(tool)).collect();
        used.extend(world.model.iter().filter_map(|model| model.source.file()).map(|path| self.file(path)));
        used.extend(world.mcp.iter().map(McpWorld::path).map(|path| self.file(path)));
        // In record mode, the run itself writes the answers.
        if let (ToolSource::Routes(routes), Mode::Replay | Mode::Live) = (&world.tools, self.mode) {
            used.extend(routes.tools.iter().flat_map(|tool| &tool.fixtures).filter_map(
                |fixture| match &fixture.answer {
                    FixtureAnswer::File(file) => Some(self.file(&file.value)),
                    FixtureAnswer::Inline(_) => None,
                },
            ));
        }
        Value::Array(used)
    }

    fn named_files(&self, command: StartedCommand<'_>) -> impl Iterator<Item = Value> {
        command.named_files().map(|path| self.file(&path))
    }

    fn digest(&self, value: &Value) -> Arc<str> {
        digest(&self.secrets.clean(value)).into()
    }

    /// The digest of a file, or why it cannot be read.
    fn file(&self, path: &Path) -> Value {
        if let Some(known) = self.files.borrow().get(path) {
            return known.as_str().into();
        }
        let digest = match DiskFiles.read(path, FILE_LIMIT) {
            Ok(bytes) => digest(&bytes),
            Err(error) => error.to_string(),
        };
        self.files.borrow_mut().insert(path.to_path_buf(), digest.clone());
        digest.into()
    }
}

/// A digest to find accidental changes, in hexadecimal. Every case of every run is digested, so it is not cryptographic.
fn digest(content: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
