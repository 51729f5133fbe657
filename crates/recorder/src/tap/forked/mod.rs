//! A server that is replayed from the beginning of a recording, and started when its fork continues live.
//!
//! ```text
//! replayed ─▶ opening: the new server gets the handshake that the recording answered ─▶ live
//!         └─▶ live, if the host opens the conversation only after the fork
//! ```
//!
//! Calls of the beginning are not sent again: they may have refunded something.

mod server;
#[cfg(test)]
mod tests;

pub(super) use server::ForkedServer;
