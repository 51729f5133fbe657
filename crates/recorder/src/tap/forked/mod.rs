//! A server that is played from the beginning of a recording, and started where its fork goes on live.
//!
//! ```text
//! played ─▶ opening: the fresh server gets the handshake that the recording answered ─▶ live
//!       └─▶ live, if the host opens the conversation only after the fork
//! ```
//!
//! Calls of the beginning are not sent again: they may have refunded something.

mod server;
#[cfg(test)]
mod tests;

pub(super) use server::ForkedServer;
