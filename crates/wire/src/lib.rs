//! How bytes travel, with no notion of a test: HTTP on either side.

mod fetched;
pub mod http;
mod lock;
pub mod serve;

pub use fetched::FetchedSecrets;
pub use lock::lock;
