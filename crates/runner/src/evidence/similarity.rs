//! Compares the meaning of two texts, and lists the facts that only one of them states.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::Duration;

use agentci_embed::remote::{Cache, RetryLimits};
use agentci_embed::{
    Builtin, DEFAULT_BASE_URL, EmbedError, Embedder, EmbedderChoice, Remote, Service, choose, contradictions, cosine,
    facts,
};
use agentci_plan::Suite;
use agentci_verdict::{Cause, DifferingFacts, Finding};
use futures_util::TryFutureExt as _;
use serde_json::{Value, json};

use super::{EvidenceError, in_time};
use crate::{job::CaseJob, options::RunOptions};

/// The maximum number of facts that are kept per kind of difference.
const FACTS: usize = 50;
/// Reported once per run.
const UNJUDGED: &str = "contradictions are judged in English, and partly in German, Spanish and French; this answer and \
                        others like it were not judged";
/// The maximum number of vectors of expected texts that are cached.
const KNOWN: usize = 512;

/// The name of the built-in embedder in suites.
pub(crate) const BUILTIN: &str = "builtin";
/// The variable with the key of the remote service.
const KEY: &str = "OPENAI_API_KEY";

/// The embedder for semantic checks, for a whole run of a suite.
#[derive(Debug)]
pub(super) struct Meanings {
    embedder: Result<Embedder, EvidenceError>,
    /// Cached vectors of expected texts, which many cases use, shared by all lanes on one thread. A remote service has
    /// its own cache.
    known: RefCell<HashMap<String, Vec<f32>>>,
    /// Whether the run already reports that contradictions are not judged in some language.
    unjudged: Cell<bool>,
}

impl Meanings {
    /// Chooses the embedder: the caller's, else the suite's, else the remote service if this program's environment has
    /// a key for it, else the built-in one. What a case passes to its agent, such as the address of a scripted model,
    /// has no effect.
    pub(super) fn new(suite: &Suite, options: &RunOptions<'_>) -> Self {
        let variable = |name: &str| variable(options, name);
        let (key, url) = (variable(KEY), variable("OPENAI_BASE_URL").or_else(|| variable("OPENAI_API_BASE")));
        Self {
            embedder: embedder(pinned(suite, options), key, url, options.settings.semantic_timeout),
            known: RefCell::default(),
            unjudged: Cell::default(),
        }
    }

    /// Compares an expected text with the answer.
    pub(super) async fn compare(
        &self,
        job: &CaseJob<'_>,
        expected: &str,
        said: &str,
        contradictions: bool,
    ) -> Result<Value, EvidenceError> {
        let embedder = self.embedder.as_ref().map_err(Clone::clone)?;
        let vectors = self.vectors(embedder, expected, said).map_err(|error| trouble(&error));
        let vectors = in_time(job, vectors).await?;
        let similarity = cosine(&vectors.0, &vectors.1).map_err(|error| trouble(&error))?;
        let differing = differing(expected, said, contradictions);
        let mut answer = json!({ "similarity": similarity, "embedder": embedder.id(), "facts": differing });
        if let Some(threshold) = embedder.default_threshold() {
            answer["default_threshold"] = json!(threshold);
        }
        let mut notes = Vec::new();
        if embedder.reading(said).is_ok_and(|reading| reading.cut) {
            notes.push("the answer is long: only its beginning was compared");
        }
        if contradictions && contradictions::unjudged(expected, said) && !self.unjudged.replace(true) {
            notes.push(UNJUDGED);
        }
        if !notes.is_empty() {
            answer["note"] = json!(notes.join("; "));
        }
        Ok(answer)
    }

    async fn vectors(
        &self,
        embedder: &Embedder,
        expected: &str,
        said: &str,
    ) -> Result<(Vec<f32>, Vec<f32>), EmbedError> {
        let known = self.known.borrow().get(expected).cloned();
        if let Some(expected) = known {
            let said = embedder.embed(&[said]).await?.pop().expect("a vector for each text");
            return Ok((expected, said));
        }
        let mut both = embedder.embed(&[expected, said]).await?.into_iter();
        let mut vector = || both.next().expect("a vector for each text");
        let (of_expected, of_said) = (vector(), vector());
        let mut known = self.known.borrow_mut();
        if known.len() < KNOWN {
            known.insert(expected.to_owned(), of_expected.clone());
        }
        Ok((of_expected, of_said))
    }
}

/// The numbers of an answer.
pub(super) fn numbers(said: &str) -> Value {
    json!({ "numbers": facts::numbers(said) })
}

/// The embedder that answers are compared with, by its name in suites; `None` if it is invalid.
pub fn chosen_embedder(suite: &Suite, options: &RunOptions<'_>) -> Option<String> {
    match choose(pinned(suite, options), variable(options, KEY).as_deref()).ok()? {
        EmbedderChoice::Builtin => Some(BUILTIN.into()),
        EmbedderChoice::Remote { model } => Some(format!("openai:{model}")),
    }
}

fn pinned<'o>(suite: &'o Suite, options: &'o RunOptions<'_>) -> Option<&'o str> {
    options.settings.embedder.as_deref().or(suite.embedder.as_ref().map(|embedder| embedder.value.as_str()))
}

fn variable(options: &RunOptions<'_>, name: &str) -> Option<String> {
    (options.environment)(name).filter(|value| !value.trim().is_empty())
}

fn embedder(
    pinned: Option<&str>,
    key: Option<String>,
    url: Option<String>,
    timeout: Option<Duration>,
) -> Result<Embedder, EvidenceError> {
    let choice =
        choose(pinned, key.as_deref()).map_err(|error| Finding { cause: Cause::Config, ..*trouble(&error) })?;
    let model = match choice {
        EmbedderChoice::Builtin => return Ok(Embedder::Builtin(Builtin)),
        EmbedderChoice::Remote { model } => model,
    };
    if key.is_none() && url.is_none() {
        let message = format!("`openai:{model}` needs an API key, but `OPENAI_API_KEY` is not set");
        let help = "set it, set `OPENAI_BASE_URL` to a service that needs no key, or use the embedder `builtin`";
        return Err(Finding::new(Cause::Embedding, message).help(help).into());
    }
    let mut limits = RetryLimits::default();
    if let Some(timeout) = timeout {
        limits.request = timeout;
        // Every try may take this long.
        limits.total = limits.total.max(timeout.saturating_mul(limits.retries + 1));
    }
    let service = Service { base_url: url.unwrap_or_else(|| DEFAULT_BASE_URL.into()), model, key };
    Ok(Embedder::Remote(Box::new(Remote::new(service, limits, Cache::in_memory()))))
}

/// Splits an error of the embedder into its message and the help on a line of its own.
fn trouble(error: &dyn std::error::Error) -> EvidenceError {
    let text = error.to_string();
    let (message, help) = match text.split_once("\nhelp: ") {
        Some((message, help)) => (message, Some(help.to_owned())),
        None => (text.as_str(), None),
    };
    Finding { help, ..Finding::new(Cause::Embedding, message) }.into()
}

/// The facts that only one of two texts states, and what contradicts.
pub(crate) fn differing(expected: &str, said: &str, contradictions: bool) -> DifferingFacts {
    let mut found = facts::compare(expected, said);
    found.contradiction = contradictions.then(|| contradictions::find(expected, said)).flatten();
    found.missing.truncate(FACTS);
    found.extra.truncate(FACTS);
    found.unclear.truncate(FACTS);
    found
}
