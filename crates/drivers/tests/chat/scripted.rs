//! A scripted model in this process.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_drivers::chat::{ScriptedReply, ScriptedSpeech, ScriptedToolCall};
use agentci_drivers::{DriveError, ScriptedModel};
use agentci_plan::{AnswerPace, ChatApi, ChatTarget, ModelScript};
use serde_json::{Value, json};

use crate::agent::{Turned, Way, agent, turn};

/// Returns its replies in order.
#[derive(Debug)]
struct Replies(RefCell<Vec<ScriptedReply>>);

impl ScriptedModel for Replies {
    fn ask(&self, request: &str) -> ScriptedReply {
        let request: Value = serde_json::from_str(request).unwrap();
        assert_eq!(request["messages"][0]["content"], "Be brief.");
        self.0.borrow_mut().remove(0)
    }
}

fn scripted() -> ChatTarget {
    agent(ChatApi::Scripted(Arc::new(ModelScript::default())), String::new())
}

async fn met(mut target: ChatTarget, replies: Vec<ScriptedReply>) -> Turned {
    target.timeout = Duration::from_millis(50);
    let model: Rc<dyn ScriptedModel> = Rc::new(Replies(RefCell::new(replies)));
    let way = Way { model: Some(model), tools: Some(json!(1)), ..Way::default() };
    turn(target, json!([{"role": "user", "content": "Hi"}]), way).await
}

fn speech(text: &str) -> ScriptedSpeech {
    ScriptedSpeech { pieces: vec![text.into()], finish: "stop".into(), tokens_out: 1, ..ScriptedSpeech::default() }
}

fn busy(retry_after: Option<Duration>) -> ScriptedReply {
    ScriptedReply::Refused { status: 503, message: "busy".into(), retry_after, after: Duration::ZERO }
}

#[tokio::test]
async fn sends_tool_results_back_to_scripted_model() {
    let call = ScriptedToolCall { id: "c1".into(), name: "find".into(), arguments: "{\"q\":".into() };
    let calling = ScriptedSpeech { calls: vec![call], pieces: Vec::new(), ..speech("") };
    let turned = met(scripted(), vec![ScriptedReply::Said(calling), ScriptedReply::Said(speech("Done."))]).await;
    assert_eq!(turned.output(), "Done.");
    // The host does not receive calls whose arguments are not JSON.
    assert!(turned.asked.is_empty());
    assert_eq!(turned.trace.calls()[0].result.unwrap().error.as_deref(), Some("the arguments are not JSON"));
    assert_eq!(turned.trace.usage().tokens_out, Some(2));
}

#[tokio::test]
async fn retries_busy_scripted_model_twice() {
    let turned = met(scripted(), vec![busy(None), busy(None), ScriptedReply::Said(speech("At last."))]).await;
    assert_eq!(turned.output(), "At last.");
    let turned = met(scripted(), vec![busy(None), busy(None), busy(None)]).await;
    assert_eq!(turned.error(), "the model's server answered with status 503: busy");
    let turned = met(scripted(), vec![busy(Some(Duration::from_secs(9)))]).await;
    assert!(turned.error().contains("503"));
}

#[tokio::test]
async fn simulates_scripted_failures() {
    let hung = met(scripted(), vec![ScriptedReply::Hang]).await;
    assert!(matches!(hung.result, Err(DriveError::Timeout { after }) if after == Duration::from_millis(50)));
    assert!(met(scripted(), vec![ScriptedReply::Cut]).await.error().contains("broke off"));
    assert!(met(scripted(), vec![ScriptedReply::Malformed]).await.error().contains("is not JSON"));
    let pace = AnswerPace { latency: Duration::from_secs(1), ..AnswerPace::default() };
    let slow = met(scripted(), vec![ScriptedReply::Said(ScriptedSpeech { pace, ..speech("late") })]).await;
    assert!(matches!(slow.result, Err(DriveError::Timeout { .. })));
}
