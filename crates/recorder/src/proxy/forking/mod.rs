//! Continues a replay live, or with a scripted model.

pub(crate) mod fork;
pub(crate) mod session;
pub(crate) mod stream;
