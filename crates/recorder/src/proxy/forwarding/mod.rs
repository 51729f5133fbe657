//! How a request goes on to the live world, and its answer comes back.

pub(crate) mod forward;
pub(crate) mod headers;
pub(crate) mod tee;
pub(crate) mod upstream;
pub(crate) mod user_proxy;
