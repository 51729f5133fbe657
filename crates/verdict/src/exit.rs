//! The exit status of the process.

/// The exit status of `agentci`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// 0: everything passed.
    Success,
    /// 1: something failed, regressed, or could not be run: an invalid suite, an invalid value, an unreachable agent,
    /// nothing selected.
    Failed,
    /// 2: the command line was invalid: an unknown flag or a missing operand.
    Usage,
    /// 130: interrupted by the user.
    Interrupted,
    /// The exit code of the command that `agentci record -- CMD` or `agentci replay` ran; 128 or more after a signal.
    Command(u8),
}

impl ExitStatus {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Success => 0,
            ExitStatus::Failed => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Interrupted => 130,
            ExitStatus::Command(code) => code,
        }
    }
}
