//! Steps, and rules with conditions on the agent.

use agentci_mock_llm::ModelServer;
use serde_json::{Value, json};

use crate::client::{Answer, post, said, serve};

/// A conversation as an agent keeps it.
struct Talk {
    system: &'static str,
    messages: Vec<Value>,
    tools: Vec<&'static str>,
}

impl Talk {
    fn new(system: &'static str, user: &str) -> Self {
        Self { system, messages: vec![json!({ "role": "user", "content": user })], tools: vec!["find", "refund"] }
    }

    fn body(&self) -> Value {
        let system = json!({ "role": "system", "content": self.system });
        let tool = |name: &&str| json!({ "type": "function", "function": { "name": name } });
        let messages: Vec<&Value> = std::iter::once(&system).chain(&self.messages).collect();
        let mut body = json!({ "model": "m", "messages": messages });
        if !self.tools.is_empty() {
            body["tools"] = self.tools.iter().map(tool).collect();
        }
        body
    }

    async fn send(&self, server: &ModelServer) -> Answer {
        post(server, "/v1/chat/completions", &self.body()).await
    }

    /// Sends the conversation, and returns the text of the answer or the names of the called tools. Adds results for
    /// the calls.
    async fn ask(&mut self, server: &ModelServer) -> String {
        let answer = self.send(server).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let message = answer.json()["choices"][0]["message"].clone();
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        self.messages.push(message);
        for call in &calls {
            self.messages.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": "done" }));
        }
        let names: Vec<&str> = calls.iter().map(|call| call["function"]["name"].as_str().unwrap()).collect();
        if names.is_empty() { said(&answer) } else { names.join("+") }
    }

    fn say(&mut self, user: &str) {
        self.messages.push(json!({ "role": "user", "content": user }));
    }
}

/// The message of a refusal.
async fn refused(talk: &Talk, server: &ModelServer) -> String {
    let answer = talk.send(server).await;
    assert_eq!(answer.status, 400, "{}", answer.body);
    answer.json()["error"]["message"].as_str().unwrap().to_owned()
}

const TWO: &str = "steps: [{ tool_calls: [{ name: find }] }, { tool_calls: [{ name: refund }] }, { reply: Done. }]\n";

#[tokio::test]
async fn steps_run_in_order_and_are_used_once() {
    let server = serve(TWO).await;
    let mut talk = Talk::new("s", "refund A-17");
    assert_eq!(talk.ask(&server).await, "find");
    assert_eq!(talk.ask(&server).await, "refund");
    assert_eq!(talk.ask(&server).await, "Done.");
    talk.say("thanks");
    let over = refused(&talk, &server).await;
    assert!(over.contains("it comes after the last of the steps that begin on line 1"), "{over}");
    // Another conversation does not get the steps either: they belong to one.
    let other = refused(&Talk::new("s", "refund A-18"), &server).await;
    assert!(other.contains("the steps that begin on line 1 match, but another conversation uses them"), "{other}");
}

#[tokio::test]
async fn distinguishes_parallel_conversations_with_equal_questions() {
    let server = serve(
        "steps:\n- [{ tool_calls: [{ name: find }] }, { reply: one }]\n- [{ tool_calls: [{ name: refund }] }, { reply: two }]\n",
    )
    .await;
    let (mut first, mut second) = (Talk::new("s", "hi"), Talk::new("s", "hi"));
    assert_eq!((first.ask(&server).await, second.ask(&server).await), ("find".into(), "refund".into()));
    // In reverse order, so that the ids of the calls decide.
    assert_eq!((second.ask(&server).await, first.ask(&server).await), ("two".into(), "one".into()));
}

#[tokio::test]
async fn identifies_conversation_by_text_when_ids_change() {
    let server =
        serve("steps:\n- [{ tool_calls: [{ name: find }] }, { reply: one }]\n- [{ reply: two }, { reply: three }]\n")
            .await;
    let (mut first, mut second) = (Talk::new("s", "hi"), Talk::new("s", "hello"));
    assert_eq!((first.ask(&server).await, second.ask(&server).await), ("find".into(), "two".into()));
    first.messages[1]["tool_calls"][0]["id"] = json!("other");
    first.messages[2]["tool_call_id"] = json!("other");
    second.say("go on");
    assert_eq!((second.ask(&server).await, first.ask(&server).await), ("three".into(), "one".into()));
}

#[tokio::test]
async fn system_prompt_identifies_the_agent() {
    let server = serve(
        "rules:\n- when: { system: You route }\n  steps: [{ tool_calls: [{ name: transfer }] }]\n\
         - when: { system: billing }\n  steps: [{ tool_calls: [{ name: refund }] }, { reply: Refunded. }]\n\
         - when: { system: { regex: ^You ship } }\n  reply: Shipped.\n",
    )
    .await;
    let mut router = Talk { tools: vec!["transfer"], ..Talk::new("You route requests.", "refund A-17") };
    assert_eq!(router.ask(&server).await, "transfer");
    // The specialist gets the history of the router, but not its steps.
    let mut billing = Talk { messages: router.messages.clone(), ..Talk::new("You do billing.", "") };
    assert_eq!(billing.ask(&server).await, "refund");
    assert_eq!(billing.ask(&server).await, "Refunded.");
    assert_eq!(Talk::new("You ship.", "refund A-17").ask(&server).await, "Shipped.");
    let unknown = refused(&Talk::new("You sell.", "refund A-17"), &server).await;
    assert!(unknown.contains("the system prompt does not"), "{unknown}");
}

#[tokio::test]
async fn rules_before_steps_answer_side_requests() {
    let server = serve(&format!("rules: [{{ when: {{ messages: Suggest }}, reply: And now? }}]\n{TWO}")).await;
    let mut talk = Talk::new("s", "refund A-17");
    assert_eq!(talk.ask(&server).await, "find");
    let mut beside = Talk { messages: talk.messages.clone(), ..Talk::new("s", "") };
    beside.say("Suggest a question.");
    assert_eq!(beside.ask(&server).await, "And now?");
    assert_eq!(talk.ask(&server).await, "refund");
}

#[tokio::test]
async fn rules_match_on_tools_and_earlier_messages() {
    let server = serve(
        "rules:\n- when: { tools: { exactly: [] } }\n  reply: none\n- when: { tools: { exactly: [find] } }\n  reply: only\n\
         - when: { tools: [find, refund], messages: A-17 }\n  reply: both\n",
    )
    .await;
    let offering = |tools: Vec<&'static str>| Talk { tools, ..Talk::new("s", "A-17") };
    assert_eq!(offering(vec![]).ask(&server).await, "none");
    assert_eq!(offering(vec!["find"]).ask(&server).await, "only");
    let mut both = offering(vec!["refund", "find"]);
    assert_eq!(both.ask(&server).await, "both");
    both.say("and now?");
    assert_eq!(both.ask(&server).await, "both");
    let lacks = refused(&offering(vec!["refund"]), &server).await;
    assert!(lacks.contains("the request does not offer the tool `find`: it offers `refund`"), "{lacks}");
    let silent = refused(&Talk::new("s", "B-1"), &server).await;
    assert!(silent.contains("no message contains `A-17`"), "{silent}");
}

#[tokio::test]
async fn nth_counts_requests_matching_the_other_conditions() {
    let server = serve(
        "rules:\n- when: { user: a, nth: 2 }\n  reply: second\n- when: { user: a, nth: 1 }\n  reply: first\n\
         - when: { user: b }\n  reply: other\n",
    )
    .await;
    let mut said = Vec::new();
    for user in ["b", "a", "b", "a"] {
        said.push(Talk::new("s", user).ask(&server).await);
    }
    assert_eq!(said, ["other", "first", "other", "second"]);
    let third = refused(&Talk::new("s", "a"), &server).await;
    assert!(third.contains("but it is for request 2 of its kind, and this is request 3"), "{third}");
}

#[tokio::test]
async fn retry_after_injected_failure_keeps_its_request_number() {
    let server = serve(
        "rules:\n- when: { user: a, nth: 1 }\n  reply: first\n  fail: { status: 500, times: 2 }\n- when: { user: a, nth: 2 }\n\
         \x20 reply: second\n",
    )
    .await;
    let mut talk = Talk::new("s", "a");
    assert_eq!((talk.send(&server).await.status, talk.send(&server).await.status), (500, 500));
    assert_eq!(talk.ask(&server).await, "first");
    assert_eq!(Talk::new("s", "a").ask(&server).await, "second");
}

#[tokio::test]
async fn failed_steps_advance_but_cut_steps_repeat() {
    let server = serve("steps: [{ fail: { status: 500 } }, { tool_calls: [{ name: find }], fail: { cut: true, times: 1 } }, { fail: { status: 429 } }, { reply: x }]\n").await;
    let mut talk = Talk::new("s", "a");
    assert_eq!(talk.send(&server).await.status, 500);
    // Half of an answer does not count: the step is repeated.
    talk.send(&server).await;
    assert_eq!(talk.ask(&server).await, "find");
    assert_eq!(talk.send(&server).await.status, 429);
    assert_eq!(talk.ask(&server).await, "x");
}

#[tokio::test]
async fn steps_continue_in_provider_stored_conversations() {
    let server = serve("steps:\n- [{ reply: one }, { reply: two }]\n- [{ reply: three }, { reply: four }]\n").await;
    let ask = async |body: Value| {
        let answer = post(&server, "/v1/responses", &body).await.json();
        let text = answer["output"][0]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (text, answer["id"].clone())
    };
    let (one, first) = ask(json!({ "model": "m", "input": "hi" })).await;
    let (three, second) = ask(json!({ "model": "m", "input": "hi" })).await;
    assert_eq!((one.as_str(), three.as_str()), ("one", "three"));
    let (four, _) = ask(json!({ "model": "m", "input": "hi", "previous_response_id": second })).await;
    let (two, _) = ask(json!({ "model": "m", "input": "hi", "previous_response_id": first })).await;
    assert_eq!((two.as_str(), four.as_str()), ("two", "four"));
}

#[tokio::test]
async fn rules_can_answer_within_a_stored_conversation() {
    let server =
        serve("rules: [{ when: { user: aside }, reply: Yes. }]\nsteps: [{ reply: one }, { reply: two }]\n").await;
    let ask = async |user: &str, previous: Value| {
        let answer =
            post(&server, "/v1/responses", &json!({ "model": "m", "input": user, "previous_response_id": previous }))
                .await;
        let answer = answer.json();
        let text = answer["output"][0]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (text, answer["id"].clone())
    };
    let (one, first) = ask("hi", Value::Null).await;
    let (aside, second) = ask("aside", first).await;
    let (two, _) = ask("go on", second).await;
    assert_eq!((one.as_str(), aside.as_str(), two.as_str()), ("one", "Yes.", "two"));
}

/// The agent sends documents with a question, but keeps only the question.
#[tokio::test]
async fn identifies_conversation_by_last_response_when_questions_change() {
    let server = serve("steps:\n- [{ reply: one }, { reply: two }]\n- [{ reply: three }, { reply: four }]\n").await;
    let mut first = Talk::new("s", "documents and question");
    assert_eq!(first.ask(&server).await, "one");
    let mut second = Talk::new("s", "more documents and question");
    assert_eq!(second.ask(&server).await, "three");
    for talk in [&mut first, &mut second] {
        talk.messages[0] = json!({ "role": "user", "content": "question" });
        talk.say("and then?");
    }
    assert_eq!((second.ask(&server).await, first.ask(&server).await), ("four".into(), "two".into()));
}

#[tokio::test]
async fn earlier_model_text_matches_in_continuations() {
    let server =
        serve("rules:\n- when: { messages: from 9 to 5 }\n  reply: two\n- reply: We are open from 9 to 5.\n").await;
    let first = post(&server, "/v1/responses", &json!({ "model": "m", "input": "hi" })).await.json();
    let body = json!({ "model": "m", "input": "and?", "previous_response_id": first["id"] });
    let then = post(&server, "/v1/responses", &body).await.json();
    assert_eq!(then["output"][0]["content"][0]["text"], "two");
}

#[tokio::test]
async fn miss_shows_user_text_on_one_line() {
    let server = serve("rules: [{ when: { user: hello }, reply: x }]\n").await;
    let told = refused(&Talk::new("s", "first line\n\nsecond line"), &server).await;
    assert!(told.contains("user: `first line second line`"), "{told}");
}
