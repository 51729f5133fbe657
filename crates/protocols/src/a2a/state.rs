//! The states of a task, with their names in both versions of the protocol.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// The agent has accepted it.
    Submitted,
    /// The agent is working on it.
    Working,
    /// The agent waits for input from the user.
    InputRequired,
    /// The agent waits for authorization.
    AuthRequired,
    /// It is done.
    Completed,
    Failed,
    /// It was canceled.
    Canceled,
    /// The agent rejected it.
    Rejected,
    /// The state is missing or unknown.
    Unknown,
}

/// The names of the states as in 0.3: `input-required` is `TASK_STATE_INPUT_REQUIRED` in 1.0.
const NAMES: [(TaskState, &str); 9] = [
    (TaskState::Submitted, "submitted"),
    (TaskState::Working, "working"),
    (TaskState::InputRequired, "input-required"),
    (TaskState::AuthRequired, "auth-required"),
    (TaskState::Completed, "completed"),
    (TaskState::Failed, "failed"),
    (TaskState::Canceled, "canceled"),
    (TaskState::Rejected, "rejected"),
    (TaskState::Unknown, "unknown"),
];

impl TaskState {
    /// Parses a state of either version.
    pub fn parse(written: &str) -> Option<Self> {
        let plain = written.strip_prefix("TASK_STATE_").unwrap_or(written).to_ascii_lowercase().replace('_', "-");
        match plain.as_str() {
            "cancelled" => Some(TaskState::Canceled),
            "unspecified" => Some(TaskState::Unknown),
            plain => NAMES.into_iter().find(|(_, name)| *name == plain).map(|(state, _)| state),
        }
    }

    /// The name of the state.
    pub fn name(self) -> &'static str {
        NAMES.into_iter().find(|(state, _)| *state == self).map_or("unknown", |(_, name)| name)
    }

    /// Whether the task has ended.
    pub fn is_terminal(self) -> bool {
        matches!(self, TaskState::Completed) || self.is_failure()
    }

    /// Whether the task ended without being completed.
    pub fn is_failure(self) -> bool {
        matches!(self, TaskState::Failed | TaskState::Canceled | TaskState::Rejected)
    }

    /// Whether the task waits for the user.
    pub fn is_interrupted(self) -> bool {
        matches!(self, TaskState::InputRequired | TaskState::AuthRequired)
    }

    /// Whether the state ends a turn.
    pub fn ends_turn(self) -> bool {
        self.is_terminal() || self.is_interrupted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_task_states_of_both_versions() {
        for (one, other, state) in [
            ("TASK_STATE_COMPLETED", "completed", TaskState::Completed),
            ("TASK_STATE_INPUT_REQUIRED", "input-required", TaskState::InputRequired),
            ("TASK_STATE_AUTH_REQUIRED", "auth-required", TaskState::AuthRequired),
            ("TASK_STATE_CANCELED", "canceled", TaskState::Canceled),
            ("TASK_STATE_CANCELLED", "cancelled", TaskState::Canceled),
            ("TASK_STATE_UNSPECIFIED", "unknown", TaskState::Unknown),
        ] {
            assert_eq!(TaskState::parse(one), Some(state), "{one}");
            assert_eq!(TaskState::parse(other), Some(state), "{other}");
        }
        assert_eq!(TaskState::parse("TASK_STATE_DREAMING"), None);
        assert_eq!(TaskState::parse(""), None);
    }
}
