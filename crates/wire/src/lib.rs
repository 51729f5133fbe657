//! How bytes travel, with no notion of a test: HTTP on either side.

mod fetched_secrets;
pub mod http;
mod lock;
pub mod serve;

pub use fetched_secrets::FetchedSecrets;
pub use lock::lock;
