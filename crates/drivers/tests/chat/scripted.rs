//! A scripted model in this process.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_drivers::DriveError;
use agentci_plan::{ChatApi, ChatTarget, ModelScript};
use agentci_protocols::chat::{AnswerCall, AnswerUsage, ModelAnswer, ModelReply, PacedAnswer, ScriptedModel};
use serde_json::{Value, json};

use crate::agent::{Turned, Way, agent, turn};

/// Returns its replies in order.
#[derive(Debug)]
struct Replies(RefCell<Vec<ModelReply>>);

impl ScriptedModel for Replies {
    fn ask(&self, request: &str) -> ModelReply {
        let request: Value = serde_json::from_str(request).unwrap();
        assert_eq!(request["messages"][0]["content"], "Be brief.");
        self.0.borrow_mut().remove(0)
    }
}

fn scripted() -> ChatTarget {
    agent(ChatApi::Scripted(Arc::new(ModelScript::default())), String::new())
}

async fn met(mut target: ChatTarget, replies: Vec<ModelReply>) -> Turned {
    target.timeout = Duration::from_millis(50);
    let model: Rc<dyn ScriptedModel> = Rc::new(Replies(RefCell::new(replies)));
    let way = Way { model: Some(model), tools: Some(json!(1)), ..Way::default() };
    turn(target, json!([{"role": "user", "content": "Hi"}]), way).await
}

fn answer(text: &str) -> PacedAnswer {
    let usage = Some(AnswerUsage { output: Some(1), ..AnswerUsage::default() });
    let answer = ModelAnswer { text: text.into(), finish: Some("stop".into()), usage, ..ModelAnswer::default() };
    PacedAnswer { answer, pieces: vec![(Duration::ZERO, text.into())], ..PacedAnswer::default() }
}

fn said(text: &str) -> ModelReply {
    ModelReply::Said(Box::new(answer(text)))
}

fn busy(retry_after: Option<Duration>) -> ModelReply {
    ModelReply::Refused { status: 503, message: "busy".into(), retry_after, after: Duration::ZERO }
}

#[tokio::test]
async fn sends_tool_results_back_to_scripted_model() {
    let mut calling = PacedAnswer { pieces: Vec::new(), ..answer("") };
    calling.answer.calls = vec![AnswerCall { id: "c1".into(), name: "find".into(), arguments: "{\"q\":".into() }];
    let turned = met(scripted(), vec![ModelReply::Said(Box::new(calling)), said("Done.")]).await;
    assert_eq!(turned.output(), "Done.");
    // The host does not receive calls whose arguments are not JSON.
    assert!(turned.asked.is_empty());
    assert_eq!(turned.trace.calls()[0].result.unwrap().error.as_deref(), Some("the arguments are not JSON"));
    assert_eq!(turned.trace.usage().tokens_out, Some(2));
}

#[tokio::test]
async fn retries_busy_scripted_model_twice() {
    let turned = met(scripted(), vec![busy(None), busy(None), said("At last.")]).await;
    assert_eq!(turned.output(), "At last.");
    let turned = met(scripted(), vec![busy(None), busy(None), busy(None)]).await;
    assert_eq!(turned.error(), "the model's server answered with status 503: busy");
    let turned = met(scripted(), vec![busy(Some(Duration::from_secs(9)))]).await;
    assert!(turned.error().contains("503"));
}

#[tokio::test]
async fn simulates_scripted_failures() {
    let hung = met(scripted(), vec![ModelReply::Hang]).await;
    assert!(matches!(hung.result, Err(DriveError::Timeout { after }) if after == Duration::from_millis(50)));
    assert!(met(scripted(), vec![ModelReply::Cut]).await.error().contains("broke off"));
    assert!(met(scripted(), vec![ModelReply::Malformed]).await.error().contains("is not JSON"));
    let late = PacedAnswer { latency: Duration::from_secs(1), ..answer("late") };
    let slow = met(scripted(), vec![ModelReply::Said(Box::new(late))]).await;
    assert!(matches!(slow.result, Err(DriveError::Timeout { .. })));
}
