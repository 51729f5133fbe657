//! Azure's addresses for OpenAI's APIs.

use serde_json::json;

use crate::client::{get, post, request, said, send, serve};

const SCRIPT: &str = "rules:\n- { when: { model: our-gpt }, reply: From our deployment. }\ndefault: Another.\n";

#[tokio::test]
async fn deployment_name_is_the_model() {
    let server = serve(SCRIPT).await;
    let messages = json!([{ "role": "user", "content": "hi" }]);
    let path = "/openai/deployments/our-gpt/chat/completions?api-version=2024-10-21";
    // Whether or not the body names a model.
    for body in [
        json!({ "messages": messages }),
        json!({ "model": "", "messages": messages }),
        json!({ "model": "gpt-4o", "messages": messages }),
    ] {
        let answer = post(&server, path, &body).await;
        assert_eq!(
            (said(&answer).as_str(), &answer.json()["model"]),
            ("From our deployment.", &json!("our-gpt")),
            "{body}"
        );
    }
    let v1 = "/openai/v1/chat/completions";
    assert_eq!(
        said(&post(&server, v1, &json!({ "model": "our-gpt", "messages": messages })).await),
        "From our deployment."
    );
    assert_eq!(said(&post(&server, v1, &json!({ "model": "gpt-4o", "messages": messages })).await), "Another.");
    let nameless = post(&server, v1, &json!({ "messages": messages })).await;
    assert_eq!(
        (nameless.status, &nameless.json()["error"]["message"]),
        (400, &json!("you must provide a model parameter"))
    );
    let responses =
        post(&server, "/openai/responses?api-version=1", &json!({ "model": "our-gpt", "input": "hi" })).await;
    assert_eq!(responses.json()["output"][0]["content"][0]["text"], "From our deployment.");
    let vectors = post(&server, "/openai/deployments/e/embeddings", &json!({ "input": "hi" })).await.json();
    assert_eq!((&vectors["model"], vectors["data"][0]["embedding"].as_array().unwrap().len()), (&json!("e"), 1536));
    assert_eq!(get(&server, "/openai/models?api-version=1").await.json()["data"][0]["id"], "our-gpt");
    let entries = server.journal()["requests"].clone();
    assert_eq!((&entries[0]["provider"], &entries[0]["model"]), (&json!("azure"), &json!("our-gpt")));
    assert_eq!(entries[5]["troubles"][0]["kind"], "provider_would_refuse");
    assert!(entries[5]["troubles"][0]["message"].as_str().unwrap().starts_with("Azure OpenAI would refuse"));
}

#[tokio::test]
async fn accepts_the_api_key_header() {
    let server = serve("api_key: sk-test\ndefault: hi\n").await;
    let body = json!({ "messages": [{ "role": "user", "content": "x" }] }).to_string();
    for (headers, status) in [
        ("", 401),
        ("api-key: wrong\r\n", 401),
        ("api-key: sk-test\r\n", 200),
        ("authorization: Bearer sk-test\r\n", 200),
    ] {
        let path = "/openai/deployments/d/chat/completions?api-version=1";
        let answer = send(&server, &request("POST", path, headers, body.as_bytes())).await;
        assert_eq!(answer.status, status, "{headers}");
    }
}
