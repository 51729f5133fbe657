//! A server that speaks AG-UI as what is tested. The protocol itself is in [`agentci_protocols::agui`]; here are the requests
//! that carry it and the answers that are no stream of events.

mod driver;
mod refusal;

pub(crate) use driver::AguiDriver;
