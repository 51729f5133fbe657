//! The proxy over loopback: real clients on one side, a server that sends exact bytes on the other.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod bad;
mod client;
mod record;
mod replay;
mod upstream;
mod waits;
mod world;
