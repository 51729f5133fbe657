//! How bytes travel, with no notion of a test: HTTP on either side.

mod fetched;
pub mod http;
pub mod serve;

pub use fetched::FetchedSecrets;
