//! HTTP clients and servers, independent of tests.

mod fetched_secrets;
pub mod http;
mod lock;
pub mod serve;

pub use fetched_secrets::FetchedSecrets;
pub use lock::lock;
