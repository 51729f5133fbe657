//! HTTP requests with limits on time and size: answers are read whole ([`post_json`]) or as they arrive ([`send`]).

mod certificate;
mod client;
mod error;
mod json;
mod retry;
mod stream;

pub use certificate::ClientCertificate;
pub use error::HttpError;
pub use json::{JsonRequest, WholeResponse, post_json};
pub use retry::retry_after;
pub use stream::{HttpMethod, Incoming, StreamRequest, host_and_port, send, send_as};

#[cfg(test)]
mod tests;
