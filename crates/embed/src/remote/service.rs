//! The client of an embeddings service.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use agentci_wire::http::{HttpError, JsonRequest, post_json, retry_after};
use serde_json::json;
use tokio::time::Instant;

use super::answer::{EmbeddingError, check, read, said};
use super::cache::{Cache, CacheKey};
use super::retry::{RetryLimits, may_pass};

/// The most texts in one request.
const BATCH: usize = 64;
/// The most bytes of text in one request, unless a single text has more.
const BATCH_BYTES: usize = 256 << 10;
const LARGEST_ANSWER: usize = 32 << 20;
/// An upper bound on the total time limit, so that the deadline does not overflow.
const FAR: Duration = Duration::from_hours(24 * 365);

/// The service and the model to use.
#[derive(Clone)]
pub struct Service {
    /// The base URL, without `/embeddings`.
    pub base_url: String,
    /// The name of the model.
    pub model: String,
    /// The API key; a local service may need none.
    pub key: Option<String>,
}

/// Embeddings from a service.
#[derive(Debug)]
pub struct Remote {
    service: Service,
    limits: RetryLimits,
    cache: Cache,
    id: String,
    /// The dimensions of the vectors, once the first one is known.
    dimensions: OnceLock<usize>,
}

/// A service returned no embeddings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{embedder}` returned no embeddings{}: {trouble}\nhelp: {}", after(*tries), help(trouble))]
pub struct RemoteError {
    /// The id of the embedder.
    pub embedder: String,
    /// The number of attempts.
    pub tries: u32,
    /// The last error.
    pub trouble: EmbeddingError,
}

/// What is known about the vector of a text.
enum TextVector {
    /// A blank text has none.
    Blank,
    Known(Arc<[f32]>),
    /// It has to be requested.
    Missing(CacheKey),
}

/// A failed attempt.
struct FailedTry {
    trouble: EmbeddingError,
    again: bool,
    wait: Option<Duration>,
}

impl Remote {
    /// Creates a client; sends nothing yet.
    pub fn new(service: Service, limits: RetryLimits, cache: Cache) -> Self {
        let id = format!("openai:{}", service.model);
        Self { service, limits, cache, id, dimensions: OnceLock::new() }
    }

    /// The id: the protocol and the model. Vectors of different ids cannot be compared.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Embeds texts; returns the vectors in the same order. The vector of a blank text is empty, and no request is sent
    /// for it.
    pub async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, RemoteError> {
        let vectors: Vec<TextVector> = texts.iter().map(|text| self.known(text)).collect();
        let mut asked = HashSet::new();
        let missing = vectors.iter().zip(texts).filter_map(|(vector, text)| match vector {
            TextVector::Missing(key) => asked.insert(*key).then_some((*key, *text)),
            TextVector::Blank | TextVector::Known(_) => None,
        });
        let missing: Vec<(CacheKey, &str)> = missing.collect();
        let answered = self.ask_all(&missing).await?;
        let of_text = |vector: &TextVector| match vector {
            TextVector::Blank => Vec::new(),
            TextVector::Known(vector) => vector.to_vec(),
            TextVector::Missing(key) => answered[key].to_vec(),
        };
        Ok(vectors.iter().map(of_text).collect())
    }

    fn known(&self, text: &str) -> TextVector {
        if text.trim().is_empty() {
            return TextVector::Blank;
        }
        let key = self.key(text);
        self.cache.get(key).map_or(TextVector::Missing(key), TextVector::Known)
    }

    /// Requests the vectors of texts, in batches, and keeps them.
    async fn ask_all(&self, texts: &[(CacheKey, &str)]) -> Result<HashMap<CacheKey, Arc<[f32]>>, RemoteError> {
        let deadline = Instant::now() + self.limits.total.min(FAR);
        let (mut rest, mut answered) = (texts, HashMap::new());
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(batch_length(rest));
            for ((key, _), vector) in batch.iter().zip(self.ask_patiently(batch, deadline).await?) {
                let vector: Arc<[f32]> = vector.into();
                self.cache.put(*key, Arc::clone(&vector));
                answered.insert(*key, vector);
            }
            rest = after;
        }
        Ok(answered)
    }

    fn key(&self, text: &str) -> CacheKey {
        CacheKey::new(&self.service.base_url, &self.service.model, text)
    }

    /// Sends a request, with retries until it succeeds or the attempts or the time are used up.
    async fn ask_patiently(&self, batch: &[(CacheKey, &str)], deadline: Instant) -> Result<Vec<Vec<f32>>, RemoteError> {
        let mut tries = 0;
        let mut last = None;
        let trouble = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break self.too_long(last);
            }
            tries += 1;
            let failure = match self.ask(batch, left.min(self.limits.request)).await {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            if !failure.again || tries > self.limits.retries {
                break failure.trouble;
            }
            let wait = self.limits.wait(tries, failure.wait);
            if wait >= deadline.saturating_duration_since(Instant::now()) {
                break self.too_long(Some(failure.trouble));
            }
            last = Some(failure.trouble);
            tokio::time::sleep(wait).await;
        };
        Err(RemoteError { embedder: self.id.clone(), tries, trouble })
    }

    fn too_long(&self, last: Option<EmbeddingError>) -> EmbeddingError {
        EmbeddingError::TooLong { limit: self.limits.total, last: last.map(Box::new) }
    }

    async fn ask(&self, batch: &[(CacheKey, &str)], timeout: Duration) -> Result<Vec<Vec<f32>>, FailedTry> {
        let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
        let mut headers = Vec::new();
        if let Some(key) = &self.service.key {
            headers.push(("authorization".to_owned(), format!("Bearer {key}")));
        }
        let request = JsonRequest {
            url: format!("{}/embeddings", self.service.base_url.trim_end_matches('/')),
            headers,
            body: json!({ "model": self.service.model, "input": texts }).to_string(),
            timeout,
            limit: LARGEST_ANSWER,
        };
        let answer = post_json(request).await.map_err(|error| match error {
            HttpError::Header(_) => {
                FailedTry::lasting(EmbeddingError::Unsendable("the API key cannot be sent in a header".into()))
            }
            error @ HttpError::Url(_) => FailedTry::lasting(EmbeddingError::Unsendable(error.to_string())),
            error => FailedTry::passing(EmbeddingError::Request(error.to_string())),
        })?;
        if !(200..300).contains(&answer.status) {
            let trouble = EmbeddingError::Status { status: answer.status, said: said(&answer.body) };
            let wait = answer.retry_after.and_then(|value| retry_after(&value, SystemTime::now()));
            return Err(FailedTry { trouble, again: may_pass(answer.status), wait });
        }
        let vectors = read(&answer.body, texts.len()).map_err(FailedTry::passing)?;
        for vector in &vectors {
            let expected = *self.dimensions.get_or_init(|| vector.len());
            check(vector, expected).map_err(FailedTry::lasting)?;
        }
        Ok(vectors)
    }
}

impl FailedTry {
    /// An error that a retry may fix: an error page instead of a response, a broken connection.
    fn passing(trouble: EmbeddingError) -> Self {
        Self { trouble, again: true, wait: None }
    }

    fn lasting(trouble: EmbeddingError) -> Self {
        Self { trouble, again: false, wait: None }
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is a secret.
        f.debug_struct("Service").field("base_url", &self.base_url).field("model", &self.model).finish_non_exhaustive()
    }
}

/// The number of texts for the next request; at least one.
fn batch_length(texts: &[(CacheKey, &str)]) -> usize {
    let mut bytes = 0;
    let fitting = texts.iter().take(BATCH).take_while(|(_, text)| {
        bytes += text.len();
        bytes <= BATCH_BYTES
    });
    fitting.count().max(1)
}

fn after(tries: u32) -> String {
    match tries {
        0 | 1 => String::new(),
        tries => format!(" after {tries} attempts"),
    }
}

fn help(trouble: &EmbeddingError) -> &'static str {
    match trouble {
        EmbeddingError::Unsendable(_) => {
            "check the API key and `OPENAI_BASE_URL`, or use the embedder `builtin`, which needs neither"
        }
        EmbeddingError::Status { status: 401 | 403, .. } => {
            "check the API key, or use the embedder `builtin`, which needs none"
        }
        EmbeddingError::Status { status: 404, .. } => {
            "check the base URL, which usually ends in `/v1`, and the name of the model"
        }
        EmbeddingError::Status { status: 400 | 413 | 422, .. } => {
            "check the name of the model; a text may be too long for it"
        }
        EmbeddingError::Status { status: 429, .. } => {
            "run fewer cases at once, raise the quota, or use the embedder `builtin`"
        }
        EmbeddingError::TooLong { .. } => "allow more time, or use the embedder `builtin`, which needs no network",
        EmbeddingError::Dimensions { .. } => {
            "the service changed the model behind this name; use the full name of one model"
        }
        _ => "check that the base URL points at an OpenAI-compatible API, or use the embedder `builtin`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_limited_in_count_and_bytes() {
        let texts = |length: usize, count: usize| vec![(CacheKey::new("", "", ""), "x".repeat(length)); count];
        let length = |texts: &[(CacheKey, String)]| {
            batch_length(&texts.iter().map(|(key, text)| (*key, text.as_str())).collect::<Vec<_>>())
        };
        assert_eq!(length(&texts(10, 1_000)), BATCH);
        assert_eq!(length(&texts(100 << 10, 10)), 2);
        assert_eq!(length(&texts(1 << 20, 3)), 1);
    }

    #[test]
    fn debug_output_hides_the_api_key() {
        let service = Service { base_url: "http://a".into(), model: "m".into(), key: Some("sk-secret".into()) };
        let remote = Remote::new(service, RetryLimits::default(), Cache::in_memory());
        assert!(!format!("{remote:?}").contains("secret"));
    }
}
