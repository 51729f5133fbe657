//! Accepts the connections and requests of the agent.

pub(crate) mod body_kinds;
pub(crate) mod connection;
pub(crate) mod connection_policy;
pub(crate) mod credentials;
pub(crate) mod listener;
pub(crate) mod program;
pub(crate) mod request_reader;
pub(crate) mod sniff;
pub(crate) mod target;
pub(crate) mod tunnel;
pub(crate) mod websocket;
