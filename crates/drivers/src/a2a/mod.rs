//! Drives agents that support A2A. The protocol itself is in [`agentci_protocols::a2a`]; this module sends the
//! requests, adds credentials, and restricts the hosts that receive them.

mod auth;
mod client;
mod driver;
mod hosts;
mod refusal;
mod stream;
mod token;

#[cfg(test)]
mod tests;

pub(crate) use driver::A2aDriver;
