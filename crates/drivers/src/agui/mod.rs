//! Drives agents that are AG-UI servers. The protocol itself is in [`agentci_protocols::agui`]; this module sends the
//! requests and handles answers that are not event streams.

mod driver;
mod refusal;

pub(crate) use driver::AguiDriver;
