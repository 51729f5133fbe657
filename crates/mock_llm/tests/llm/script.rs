//! Which rule answers, how often, and simulated failures.

use agentci_mock_llm::{ModelServer, ModelServerOptions};
use serde_json::json;

use crate::client::{chat, post, said, script, serve};
use crate::control::ask;

#[tokio::test]
async fn last_reply_repeats_and_defaults_cycle() {
    let rules = script("rules:\n- when: { user: go }\n  reply: [one, two]\ndefault: [a, b]\n");
    let options = ModelServerOptions { control_token: Some("token-of-a-test".into()), ..ModelServerOptions::default() };
    let server = ModelServer::start(rules, options).await.unwrap();
    let mut heard = Vec::new();
    for user in ["go", "go", "go", "x", "y", "z"] {
        heard.push(said(&chat(&server, user).await));
    }
    assert_eq!(heard, ["one", "two", "two", "a", "b", "a"]);
    assert_eq!(ask(&server, "POST", "/__agentci/reset", "127.0.0.1", "token-of-a-test").await.status, 200);
    assert_eq!(said(&chat(&server, "go").await), "one");
    let journal = ask(&server, "GET", "/__agentci/journal", "127.0.0.1", "token-of-a-test").await.json();
    assert_eq!(journal["requests"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn failure_stops_after_the_configured_times() {
    let yaml = "rules:\n- when: { user: break }\n  fail: { status: 429, retry_after: 1500ms, message: slow down, times: 2 }\n\
                - when: { user: own }\n  reply: recovered\n  fail: { status: 529, times: 1 }\ndefault: fine\n";
    let server = serve(yaml).await;
    for _ in 0..2 {
        let answer = chat(&server, "break").await;
        assert_eq!(
            (answer.status, answer.header("retry-after"), answer.header("retry-after-ms")),
            (429, Some("2"), Some("1500"))
        );
        let error = &answer.json()["error"];
        assert_eq!((&error["message"], &error["code"]), (&json!("slow down"), &json!("rate_limit_exceeded")));
    }
    assert_eq!(said(&chat(&server, "break").await), "fine");
    assert_eq!(chat(&server, "own").await.status, 529);
    assert_eq!(said(&chat(&server, "own").await), "recovered");
    assert_eq!(server.journal()["requests"][0]["failure"], "status");
}

#[tokio::test]
async fn malformed_and_cut_responses_do_not_affect_others() {
    let yaml = "rules:\n- when: { user: bad }\n  reply: some words here\n  fail: { malformed: true }\n\
                - when: { user: cut }\n  reply: some words here\n  fail: { cut: true }\n\
                - when: { user: hang }\n  fail: { hang: true }\ndefault: fine\n";
    let server = serve(yaml).await;
    let bad = chat(&server, "bad").await;
    assert_eq!(bad.status, 200);
    assert!(serde_json::from_str::<serde_json::Value>(&bad.body).is_err());
    let cut = chat(&server, "cut").await;
    assert!(cut.status == 200 && !cut.whole, "{cut:?}");
    let body = json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "cut" }] });
    let cut = post(&server, "/v1/chat/completions", &body).await;
    assert!(!cut.whole && !cut.body.contains("[DONE]") && !cut.events().is_empty());
    let hanging = chat(&server, "hang");
    tokio::select! {
        biased;
        answer = hanging => panic!("{answer:?}"),
        answer = chat(&server, "x") => assert_eq!(said(&answer), "fine"),
    }
}

#[tokio::test]
async fn the_seed_decides_which_requests_fail() {
    let yaml = "seed: 1\nrules:\n- reply: ok\n  fail: { status: 500, rate: 0.5 }\n";
    let mut runs = Vec::new();
    for seed in [None, None, Some(2)] {
        let options = ModelServerOptions { seed, ..ModelServerOptions::default() };
        let server = ModelServer::start(script(yaml), options).await.unwrap();
        let mut statuses = Vec::new();
        for _ in 0..40 {
            statuses.push(chat(&server, "x").await.status);
        }
        runs.push(statuses);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
    let failed = runs[0].iter().filter(|status| **status == 500).count();
    assert!((10..30).contains(&failed), "{failed}");
}

#[tokio::test]
async fn unmatched_request_error_names_the_closest_rule() {
    let yaml = "rules:\n- when: { user: refund my order, turn: 2 }\n  reply: a\n- when: { model: gpt-4o, user: { regex: 'cancel\\d' } }\n  reply: b\n";
    let server = serve(yaml).await;
    let miss = chat(&server, "refund my order").await;
    assert_eq!(miss.status, 400);
    assert_eq!(
        miss.json()["error"]["message"],
        "no rule of the script matches this request (turn 1, user: `refund my order`); the closest rule is on line 2, \
         but it is for turn 2, and this is turn 1"
    );
    let miss = chat(&server, "cancel").await.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(miss.ends_with("the closest rule is on line 4, but the user's text does not match `cancel\\d`"), "{miss}");
}
