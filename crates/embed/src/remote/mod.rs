//! Embeddings from a service with OpenAI's `POST /embeddings` API, which many services have. Texts are sent in batches,
//! each text once; failed requests are retried within a total time limit, and every response is validated.

mod answer;
mod cache;
mod retry;
mod service;

pub use answer::EmbeddingError;
#[doc(hidden)]
pub use answer::read as read_answer;
pub use cache::Cache;
pub use retry::RetryLimits;
pub use service::{Remote, RemoteError, Service};
