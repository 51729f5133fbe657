//! Compares the meaning of two texts, and lists the facts that only one of them states.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use agentci_embed::facts;
use agentci_embed::remote::{Cache, RetryLimits};
use agentci_embed::{Builtin, DEFAULT_BASE_URL, EmbedError, Embedder, EmbedderChoice, Remote, Service, choose, cosine};
use agentci_plan::Suite;
use agentci_verdict::{Cause, DifferingFacts, Finding};
use futures_util::TryFutureExt as _;
use serde_json::{Value, json};

use super::{Unanswered, in_time};
use crate::{job::CaseJob, options::RunOptions};

/// The maximum number of facts that are kept per kind of difference.
const FACTS: usize = 50;
/// The maximum number of vectors of expected texts that are cached.
const KNOWN: usize = 512;

/// The embedder for semantic checks, for a whole run of a suite.
#[derive(Debug)]
pub(super) struct Meanings {
    embedder: Result<Embedder, Unanswered>,
    /// Cached vectors of expected texts, which many cases use, shared by all lanes on one thread. A remote service has
    /// its own cache.
    known: RefCell<HashMap<String, Vec<f32>>>,
}

impl Meanings {
    /// Chooses the embedder: the caller's, else the suite's, else the remote service if this program's environment has
    /// a key for it, else the built-in one. What a case passes to its agent, such as the address of a scripted model,
    /// has no effect.
    pub(super) fn new(suite: &Suite, options: &RunOptions<'_>) -> Self {
        let pinned =
            options.settings.embedder.as_deref().or(suite.embedder.as_ref().map(|embedder| embedder.value.as_str()));
        let variable = |name: &str| (options.environment)(name).filter(|value| !value.trim().is_empty());
        let (key, url) =
            (variable("OPENAI_API_KEY"), variable("OPENAI_BASE_URL").or_else(|| variable("OPENAI_API_BASE")));
        Self { embedder: embedder(pinned, key, url, options.settings.semantic_timeout), known: RefCell::default() }
    }

    /// Compares an expected text with the answer.
    pub(super) async fn compare(&self, job: &CaseJob<'_>, expected: &str, said: &str) -> Result<Value, Unanswered> {
        let embedder = self.embedder.as_ref().map_err(Clone::clone)?;
        let vectors = self.vectors(embedder, expected, said).map_err(|error| trouble(&error));
        let vectors = in_time(job, vectors).await?;
        let similarity = cosine(&vectors.0, &vectors.1).map_err(|error| trouble(&error))?;
        let mut answer =
            json!({ "similarity": similarity, "embedder": embedder.id(), "facts": differing(expected, said) });
        if let Some(threshold) = embedder.default_threshold() {
            answer["default_threshold"] = json!(threshold);
        }
        if embedder.reading(said).is_ok_and(|reading| reading.cut) {
            answer["note"] = json!("the answer is long: only its beginning was compared");
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

fn embedder(
    pinned: Option<&str>,
    key: Option<String>,
    url: Option<String>,
    timeout: Option<Duration>,
) -> Result<Embedder, Unanswered> {
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
fn trouble(error: &dyn std::error::Error) -> Unanswered {
    let text = error.to_string();
    let (message, help) = match text.split_once("\nhelp: ") {
        Some((message, help)) => (message, Some(help.to_owned())),
        None => (text.as_str(), None),
    };
    Finding { help, ..Finding::new(Cause::Embedding, message) }.into()
}

fn differing(expected: &str, said: &str) -> DifferingFacts {
    let mut found = facts::compare(expected, said);
    found.missing.truncate(FACTS);
    found.extra.truncate(FACTS);
    found.unclear.truncate(FACTS);
    found
}
