//! Prepares the environment that routes an agent to the proxy: variables, certificates, and hooks for clients that
//! ignore variables.
//!
//! Takes the certificate of the session, the address of the proxy, and the environment that the agent would have
//! without the recorder. Produces a folder with certificates and hooks, and the variables that point at them.

mod certificates;
mod prepared;
mod stale;
#[cfg(test)]
mod tests;
mod variables;

pub(crate) use prepared::Environment;
