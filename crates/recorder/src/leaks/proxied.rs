//! Whether a process has the environment that routes it to the proxy. A short connection may be missed, but the process
//! shows for its whole life that it was not routed there.

use std::fs;

use super::processes::{ignores_environment, read_most};

/// A variable that every program has that was started with the environment of the session.
const MARK: &str = "AGENTCI_PROXY=";
/// Maximum number of bytes read from an environment.
const LARGEST_ENVIRONMENT: u64 = 1 << 20;

/// Whether a process is routed to the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProxyRouting {
    Yes,
    /// It is starting or exiting, or hides its environment.
    Unclear,
    /// It is not, for this reason: a verb phrase that follows its name.
    No(&'static str),
}

/// Examines a process.
pub(super) fn routing(pid: u32) -> ProxyRouting {
    // A process that has exited has no program, and its environment is empty.
    if fs::read_link(format!("/proc/{pid}/exe")).is_err() {
        return ProxyRouting::Unclear;
    }
    match ignores_environment(pid) {
        Some("-I") => return ProxyRouting::No("was started with -I, which makes Python ignore the recorder's hook"),
        Some("-E") => return ProxyRouting::No("was started with -E, which makes Python ignore the recorder's hook"),
        Some(_) => return ProxyRouting::No("was started with -S, which makes Python skip the recorder's hook"),
        None => {}
    }
    of_environment(&read_most(&format!("/proc/{pid}/environ"), LARGEST_ENVIRONMENT))
}

/// Examines an environment as `/proc` shows it: variables, each followed by a zero byte. Some programs overwrite it.
fn of_environment(text: &str) -> ProxyRouting {
    let variables = || text.split_terminator('\0');
    if variables().any(|variable| variable.starts_with(MARK)) {
        ProxyRouting::Yes
    } else if text.is_empty() || !text.ends_with('\0') || variables().any(|variable| !variable.contains('=')) {
        ProxyRouting::Unclear
    } else {
        ProxyRouting::No("was started without the recorder's environment variables")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_proxy_variable_in_process_environment() {
        assert_eq!(of_environment("HOME=/root\0AGENTCI_PROXY=http://127.0.0.1:1\0"), ProxyRouting::Yes);
        assert!(matches!(of_environment("HOME=/root\0PATH=/bin\0"), ProxyRouting::No(_)));
        // Nothing, a truncated environment, and one that a program has overwritten.
        for unclear in ["", "HOME=/root\0PATH=/b", "nginx: worker process\0", "\0\0\0"] {
            assert_eq!(of_environment(unclear), ProxyRouting::Unclear, "{unclear:?}");
        }
    }
}
