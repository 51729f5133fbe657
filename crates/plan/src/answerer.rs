//! Decides what answers a case: its agent, a recording of the agent, or a script. If the recording is of the world
//! around the agent, the agent answers.

use crate::{Case, ChatApi, Mode, RecordingSetting, Target, World};

/// What answers a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy<'c> {
    /// The agent, even if its model and tools are mocked.
    Agent,
    /// A recording of the whole agent, which does not run.
    Recording(&'c RecordingSetting),
    /// A script of the suite; there is no agent.
    Script,
}

impl Case {
    /// What answers the case in this mode.
    pub fn answered_by(&self, mode: Mode) -> AnsweredBy<'_> {
        match &*self.target {
            Target::Mock(_) => return AnsweredBy::Script,
            // The functions of an assistant run in every mode, so they count as an agent.
            Target::Chat(chat) if chat.assistant.script.is_some() => return AnsweredBy::Agent,
            Target::Chat(chat) if matches!(chat.connector.api, ChatApi::Scripted(_)) => return AnsweredBy::Script,
            target if target.has_recordable_world() => return AnsweredBy::Agent,
            Target::Process(_)
            | Target::Agui(_)
            | Target::A2a(_)
            | Target::Mcp(_)
            | Target::Http(_)
            | Target::Chat(_) => {}
        }
        match &self.world.recording {
            Some(recording) if mode == Mode::Replay => AnsweredBy::Recording(recording),
            _ => AnsweredBy::Agent,
        }
    }

    /// Whether the case makes random choices: its scripted model may fail or answer at random.
    pub fn draws(&self) -> bool {
        let by_target = match &*self.target {
            Target::Mock(mock) => mock.script.draws(),
            Target::Chat(chat) => matches!(&chat.connector.api, ChatApi::Scripted(script) if script.draws()),
            Target::Process(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Http(_) => false,
        };
        by_target || self.world.model.as_ref().is_some_and(|model| model.script.draws())
    }

    /// Whether nothing that the agent meets varies from run to run, as far as the suite says: its model is scripted or
    /// recorded. Whether the agent itself makes random choices is not known.
    pub fn is_deterministic(&self, mode: Mode) -> bool {
        let World { model, recording, recorded_model, .. } = &*self.world;
        let closed = match self.answered_by(mode) {
            AnsweredBy::Script | AnsweredBy::Recording(_) => true,
            AnsweredBy::Agent => model.is_some() || recording.is_some() || recorded_model.is_some(),
        };
        mode == Mode::Replay && closed && !self.draws()
    }
}
