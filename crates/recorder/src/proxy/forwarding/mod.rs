//! Forwards requests to the live world, and streams their answers back.

pub(crate) mod forward;
pub(crate) mod headers;
pub(crate) mod tee;
pub(crate) mod upstream;
pub(crate) mod user_proxy;
