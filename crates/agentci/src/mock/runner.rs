//! Loads tests and runs them.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use agentci_checks::latency_ms;
use agentci_drivers::mock::MockAnswer;
use agentci_formats::{LoadOptions, MockSource, aumai};
use agentci_plan::Dialect;
use agentci_report::{Paint, TestSuiteCollector, diagnostic, label};
use agentci_source::{Diagnostic, FileKind as PathKind, Files as _, Severity, Sources};
use agentci_trace::{Event, EventKind, Moment, Trace};
use agentci_verdict::Outcome;
use serde_json::json;

use super::assertions::{nowhere, ready};
use super::{
    AgentTestCase, AgentTestConfig, AgentTestResult, LoadError, MockLlmProvider, MockLlmResponse, TestSuiteResult,
};
use crate::{DiskFiles, Settings, Suites};

/// Loads tests and runs them against scripted models.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentTestRunner {
    seed: u64,
}

impl AgentTestRunner {
    /// Creates a runner.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the seed: which calls of a suite fail depends only on the seed and on their positions.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Loads the tests of all YAML files at or below a folder, in the order of their paths. Model scripts are skipped.
    pub fn load_tests(&self, test_dir: impl AsRef<Path>) -> Result<Vec<AgentTestCase>, LoadError> {
        let folder = agentci_source::join(test_dir.as_ref(), "");
        if DiskFiles.kind(&folder) != Some(PathKind::Folder) {
            return Err(LoadError::NotFound(test_dir.as_ref().to_path_buf()));
        }
        let mut all = Vec::new();
        for path in aumai::files_below(&DiskFiles, &folder) {
            all.extend(load(&path, super::MAX_YAML_SIZE, true)?);
        }
        Ok(all)
    }

    /// Loads the tests of one file of at most `max_size` bytes; [`MAX_YAML_SIZE`](super::MAX_YAML_SIZE) is the usual
    /// limit.
    pub fn load_yaml_file(&self, path: impl AsRef<Path>, max_size: u64) -> Result<Vec<AgentTestCase>, LoadError> {
        let path = path.as_ref();
        if DiskFiles.kind(path).is_none() {
            return Err(LoadError::NotFound(path.to_path_buf()));
        }
        load(path, max_size, false)
    }

    /// Calls the model once, and compares its answer with everything that the test expects.
    pub fn run_test(&self, test_case: &AgentTestCase, mock: &MockLlmProvider) -> AgentTestResult {
        let started = Instant::now();
        let answer = mock.complete(test_case.input_messages(), None);
        let elapsed = started.elapsed();
        let mut result = AgentTestResult {
            test_case_name: test_case.name().to_owned(),
            duration_ms: elapsed.as_secs_f64() * 1000.0,
            ..AgentTestResult::default()
        };
        let response = match answer {
            Ok(response) => response,
            Err(failure) => {
                result.actual_output = format!("ERROR: {failure}");
                result.assertions_failed = vec![format!("provider_error: {failure}")];
                return result;
            }
        };
        let elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let trace = trace(test_case, &response, elapsed_us);
        let latency_ms = latency_ms(&trace);
        for check in test_case.checks(nowhere()) {
            let (name, subject) = (check.name(), check.subject().map(String::from));
            let met = ready(check).is_ok_and(|check| check.evaluate(&trace) == Outcome::Passed);
            let told = label(&name, subject.as_deref(), met, response.tokens_used, latency_ms);
            if met { &mut result.assertions_passed } else { &mut result.assertions_failed }.push(told);
        }
        result.passed = result.assertions_failed.is_empty();
        result.actual_output = response.content;
        result.tokens_used = response.tokens_used;
        result
    }

    /// Runs all tests of a folder (or of a file), as `agentci run` does: the result is the same whether they run one
    /// after another or in parallel. It blocks; inside an async runtime it uses a separate thread.
    pub fn run_suite(
        &self,
        test_dir: impl AsRef<Path>,
        config: &AgentTestConfig,
    ) -> Result<TestSuiteResult, LoadError> {
        let path = test_dir.as_ref();
        if DiskFiles.kind(path).is_none() {
            return Err(LoadError::NotFound(path.to_path_buf()));
        }
        if tokio::runtime::Handle::try_current().is_err() {
            return self.run(path, config);
        }
        // A runtime cannot be started within another one.
        std::thread::scope(|scope| scope.spawn(|| self.run(path, config)).join())
            .unwrap_or_else(|_| Err(LoadError::Run("the thread that ran them ended early".into())))
    }

    fn run(self, path: &Path, config: &AgentTestConfig) -> Result<TestSuiteResult, LoadError> {
        let script = config.mock_config().cloned().map_or_else(Arc::default, super::MockLlmConfig::into_plan);
        let mut options = LoadOptions::default();
        options.mock = MockSource::Script(script);
        let mut suites = Suites::load_with([path], &options);
        if suites.problems().has_errors() {
            return Err(LoadError::Invalid(told(suites.problems(), suites.sources())));
        }
        if suites.loaded().iter().any(|loaded| loaded.suite.dialect != Dialect::Aumai) {
            let message = format!("`{}` contains suites in another format; run them with `Suites`", path.display());
            return Err(LoadError::Invalid(message));
        }
        let mut settings = Settings::default();
        settings.seed = self.seed;
        settings.suite_timeout = Some(config.timeout());
        if !config.parallel() {
            settings.parallel = 1;
        }
        for loaded in suites.loaded_mut() {
            loaded.suite.gates = agentci_plan::Gates::default();
        }
        let mut gathered = TestSuiteCollector::default();
        suites.run(&settings, |event| gathered.add(&event)).map_err(|error| LoadError::Run(error.to_string()))?;
        Ok(gathered.result())
    }
}

/// The trace of an answer that took `elapsed_us` microseconds.
fn trace(test_case: &AgentTestCase, response: &MockLlmResponse, elapsed_us: u64) -> Trace {
    let input = Arc::new(json!({ "messages": test_case.input_messages() }));
    let mut trace = Trace::default();
    let mut push = |offset_us, kind| {
        trace.push(Event { at: Moment { unix_ms: 0, offset_us }, turn: 0, kind });
    };
    push(0, EventKind::TurnStart(Arc::clone(&input)));
    for kind in MockAnswer::new(response.to_plan()).events(input) {
        push(elapsed_us, kind);
    }
    trace
}

/// Loads the tests of a file; with `within_folder`, a model script is skipped.
fn load(path: &Path, max_size: u64, within_folder: bool) -> Result<Vec<AgentTestCase>, LoadError> {
    let mut sources = Sources::default();
    let root = aumai::open(&DiskFiles, &mut sources, path, max_size)
        .map_err(|problem| LoadError::Invalid(told([&problem], &sources)))?;
    if within_folder && aumai::is_mock_config(&root) {
        return Ok(Vec::new());
    }
    let (tests, problems) = aumai::read_all(&root);
    if problems.has_errors() {
        return Err(LoadError::Invalid(told(&problems, &sources)));
    }
    let checked =
        |test| AgentTestCase::checked(test).map_err(|wrong| LoadError::Invalid(format!("{}: {wrong}", path.display())));
    tests.into_iter().map(checked).collect()
}

/// The errors, as they are shown to people.
fn told<'p>(problems: impl IntoIterator<Item = &'p Diagnostic>, sources: &Sources) -> String {
    let errors = problems.into_iter().filter(|problem| problem.severity == Severity::Error);
    let shown: Vec<String> =
        errors.map(|problem| diagnostic(problem, sources, Paint::new(false)).trim_end().to_owned()).collect();
    shown.join("\n\n")
}
