//! Whether a process has what leads it to the proxy. A connection that lasts a moment may be missed; the process that makes it
//! shows that it was not led there for as long as it lives.

use std::fs;

use super::processes::{ignores_environment, read_most};

/// The variable that every program has that was started with the environment of the session.
const MARK: &str = "AGENTCI_PROXY=";
/// An environment is read up to here.
const LARGEST_ENVIRONMENT: u64 = 1 << 20;

/// Whether a process is led to the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Led {
    Yes,
    /// It begins or ends, or hides its environment.
    Unclear,
    /// It is not, for this reason: words that follow its name.
    No(&'static str),
}

/// Looks at a process.
pub(super) fn led(pid: u32) -> Led {
    // One that has ended has no program any more, and its environment is empty.
    if fs::read_link(format!("/proc/{pid}/exe")).is_err() {
        return Led::Unclear;
    }
    match ignores_environment(pid) {
        Some("-I") => return Led::No("was started with -I, which makes Python ignore the recorder's hook"),
        Some("-E") => return Led::No("was started with -E, which makes Python ignore the recorder's hook"),
        Some(_) => return Led::No("was started with -S, which makes Python leave out the recorder's hook"),
        None => {}
    }
    of_environment(&read_most(&format!("/proc/{pid}/environ"), LARGEST_ENVIRONMENT))
}

/// What an environment tells, as `/proc` shows it: variables, each with a zero after it. Some programs write other things there.
fn of_environment(text: &str) -> Led {
    let variables = || text.split_terminator('\0');
    if variables().any(|variable| variable.starts_with(MARK)) {
        Led::Yes
    } else if text.is_empty() || !text.ends_with('\0') || variables().any(|variable| !variable.contains('=')) {
        Led::Unclear
    } else {
        Led::No("was started without the variables that lead to the recorder")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_tells_whether_it_is_ours() {
        assert_eq!(of_environment("HOME=/root\0AGENTCI_PROXY=http://127.0.0.1:1\0"), Led::Yes);
        assert!(matches!(of_environment("HOME=/root\0PATH=/bin\0"), Led::No(_)));
        // Nothing, what was cut, and what a program wrote over it.
        for unclear in ["", "HOME=/root\0PATH=/b", "nginx: worker process\0", "\0\0\0"] {
            assert_eq!(of_environment(unclear), Led::Unclear, "{unclear:?}");
        }
    }
}
