//! The states of a task, as both versions of the protocol name them.

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// The agent has it.
    Submitted,
    /// The agent is at it.
    Working,
    /// The agent waits for an answer of the user.
    InputRequired,
    /// The agent waits for leave to do something.
    AuthRequired,
    /// It is done.
    Completed,
    /// It went wrong.
    Failed,
    /// Someone stopped it.
    Canceled,
    /// The agent will not do it.
    Rejected,
    /// The agent does not say, or says something newer than this client.
    Unknown,
}

/// What a state is called here; 1.0 writes `TASK_STATE_INPUT_REQUIRED` where 0.3 writes `input-required`.
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
    /// Reads a state as either version writes it; nothing if neither does.
    pub fn parse(written: &str) -> Option<Self> {
        let plain = written.strip_prefix("TASK_STATE_").unwrap_or(written).to_ascii_lowercase().replace('_', "-");
        match plain.as_str() {
            "cancelled" => Some(TaskState::Canceled),
            "unspecified" => Some(TaskState::Unknown),
            plain => NAMES.into_iter().find(|(_, name)| *name == plain).map(|(state, _)| state),
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        NAMES.into_iter().find(|(state, _)| *state == self).map_or("unknown", |(_, name)| name)
    }

    /// Whether nothing more will happen to the task.
    pub fn is_terminal(self) -> bool {
        matches!(self, TaskState::Completed) || self.is_failure()
    }

    /// Whether the task ended without being done.
    pub fn is_failure(self) -> bool {
        matches!(self, TaskState::Failed | TaskState::Canceled | TaskState::Rejected)
    }

    /// Whether the task waits for the user.
    pub fn is_interrupted(self) -> bool {
        matches!(self, TaskState::InputRequired | TaskState::AuthRequired)
    }

    /// Whether a turn ends with it.
    pub fn ends_turn(self) -> bool {
        self.is_terminal() || self.is_interrupted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_name_the_same_states() {
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
