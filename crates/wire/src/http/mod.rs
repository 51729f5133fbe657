//! HTTP requests with limits on time and size: answers read whole ([`post_json`]) or as they come ([`send`]).

mod client;
mod error;
mod json;
mod stream;

pub use error::HttpError;
pub use json::{JsonRequest, Response, post_json};
pub use stream::{Incoming, Method, StreamRequest, send};

#[cfg(test)]
mod tests;
