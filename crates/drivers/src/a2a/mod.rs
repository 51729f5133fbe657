//! An agent that speaks A2A as what is tested. The protocol itself is in [`agentci_protocols::a2a`]; here are the requests that
//! carry it, the credentials they show, and the hosts that these may go to.

mod ask;
mod auth;
mod driver;
mod hosts;
mod refusal;
mod stream;
mod token;

#[cfg(test)]
mod tests;

pub(crate) use driver::A2aDriver;
