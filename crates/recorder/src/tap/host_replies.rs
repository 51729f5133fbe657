//! The questions of a replayed server to its host, and which of them were answered.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

/// How long to wait for a reply of the host: a person may have to think.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

/// The replies of a host.
#[derive(Debug, Default)]
pub(super) struct Answers(watch::Sender<QuestionIds>);

#[derive(Debug, Default)]
struct QuestionIds {
    /// Questions without a reply.
    asked: HashSet<String>,
    answered: HashSet<String>,
}

impl Answers {
    /// The replayed server asks a question with this id.
    pub(super) fn ask(&self, id: &Value) {
        self.0.send_if_modified(|ids| ids.asked.insert(id.to_string()));
    }

    /// Another server asks a question with this id: the next reply is for that one.
    pub(super) fn forget(&self, id: &Value) -> bool {
        self.0.send_if_modified(|ids| ids.asked.remove(&id.to_string()))
    }

    /// The host replied with this id. Returns whether the replayed server asked.
    pub(super) fn give(&self, id: &Value) -> bool {
        self.0.send_if_modified(|ids| ids.answered.insert(id.to_string()));
        self.forget(id)
    }

    /// Waits for the reply with this id.
    pub(super) async fn wait(&self, id: &Value) {
        let id = id.to_string();
        let mut ids = self.0.subscribe();
        let _ = tokio::time::timeout(ANSWER_TIMEOUT, ids.wait_for(|ids| ids.answered.contains(&id))).await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_response_has_a_timeout() {
        let answers = Answers::default();
        answers.give(&json!(1));
        answers.wait(&json!(1)).await;
        let before = tokio::time::Instant::now();
        answers.wait(&json!("1")).await;
        assert_eq!(before.elapsed().as_secs(), ANSWER_TIMEOUT.as_secs());
    }
}
