//! Embeddings from a service that speaks OpenAI's `POST /embeddings`, which many do. Texts go out in batches, each is asked
//! for once, what fails is tried again within a limit on all of it, and nothing that comes back is believed before it was
//! looked at.

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
