//! Google's format.

use serde_json::{Value, json};

use crate::client::{get, post, request, send, serve};

const SCRIPT: &str = "model: gemini-test\nrules:\n- when: { user: weather, turn: 2, tool_result: true }\n  reply: It rains.\n\
    - when: { user: weather }\n  reply: Let me see.\n  tool_calls: [{ name: weather, args: { city: Paris } }]\n\
    default: Hello there.\n";
const GENERATE: &str = "/v1beta/models/gemini-2.5-flash:generateContent";

fn user(text: &str) -> Value {
    json!({ "role": "user", "parts": [{ "text": text }] })
}

fn weather() -> Value {
    let parameters = json!({ "type": "OBJECT", "properties": { "city": { "type": "STRING" } }, "required": ["city"] });
    json!([{ "functionDeclarations": [{ "name": "weather", "parameters": parameters }] }])
}

/// The troubles so far.
fn troubles(server: &agentci_mock_llm::ModelServer) -> Vec<String> {
    let journal = server.journal();
    let all = journal["requests"].as_array().unwrap().iter().flat_map(|entry| entry["troubles"].as_array().unwrap());
    all.map(|trouble| format!("{}: {}", trouble["kind"].as_str().unwrap(), trouble["message"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn response_is_complete_and_tool_results_continue_it() {
    let server = serve(SCRIPT).await;
    let mut contents = vec![user("weather")];
    let first = post(&server, GENERATE, &json!({ "contents": contents, "tools": weather() })).await.json();
    let candidate = &first["candidates"][0];
    assert_eq!(candidate["content"]["parts"][0], json!({ "text": "Let me see." }));
    let call = &candidate["content"]["parts"][1]["functionCall"];
    assert_eq!((&call["name"], &call["args"]), (&json!("weather"), &json!({ "city": "Paris" })));
    assert_eq!((&candidate["finishReason"], &candidate["content"]["role"]), (&json!("STOP"), &json!("model")));
    assert_eq!(first["modelVersion"], "gemini-2.5-flash");
    let usage = &first["usageMetadata"];
    let sum = usage["promptTokenCount"].as_u64().unwrap() + usage["candidatesTokenCount"].as_u64().unwrap();
    assert_eq!(usage["totalTokenCount"], sum);
    contents.push(candidate["content"].clone());
    let response = json!({ "id": call["id"], "name": "weather", "response": { "result": "rain" } });
    contents.push(json!({ "role": "user", "parts": [{ "functionResponse": response }] }));
    let second = post(&server, GENERATE, &json!({ "contents": contents, "tools": weather() })).await.json();
    assert_eq!(second["candidates"][0]["content"]["parts"], json!([{ "text": "It rains." }]));
    let entry = &server.journal()["requests"][1];
    let given = json!([{ "id": call["id"], "content": "{\"result\":\"rain\"}", "failed": false }]);
    assert_eq!(
        (&entry["provider"], &entry["model"], &entry["tool_results"]),
        (&json!("gemini"), &json!("gemini-2.5-flash"), &given)
    );
    assert_eq!(troubles(&server), Vec::<String>::new());
}

#[tokio::test]
async fn sse_and_json_streams_have_equal_content() {
    let server = serve(SCRIPT).await;
    let body = json!({ "contents": [user("weather")], "tools": weather() });
    let path = "/v1beta/models/gemini-2.5-flash:streamGenerateContent";
    // Repeated requests get the same answer.
    for _ in 0..3 {
        let sse = post(&server, &format!("{path}?alt=sse"), &body).await;
        let list = post(&server, path, &body).await;
        assert!(sse.header("content-type").unwrap().starts_with("text/event-stream"));
        assert!(list.header("content-type").unwrap().starts_with("application/json"));
        for events in [sse.events(), list.json().as_array().unwrap().clone()] {
            let parts: Vec<&Value> =
                events.iter().map(|event| &event["candidates"][0]["content"]["parts"][0]).collect();
            let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            assert_eq!((text.as_str(), parts.len()), ("Let me see.", 4));
            assert_eq!(parts[3]["functionCall"]["args"], json!({ "city": "Paris" }));
            let reasons: Vec<&Value> = events.iter().map(|event| &event["candidates"][0]["finishReason"]).collect();
            assert_eq!(reasons, [&Value::Null, &Value::Null, &Value::Null, &json!("STOP")]);
        }
    }
    let plain = json!({ "contents": [user("hi")] });
    for _ in 0..3 {
        let text: String = post(&server, path, &plain)
            .await
            .json()
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|event| event["candidates"][0]["content"]["parts"][0]["text"].as_str())
            .collect();
        let streamed = post(&server, &format!("{path}?alt=sse"), &plain).await.events();
        assert_eq!((text.as_str(), streamed.len()), ("Hello there.", 2));
    }
}

#[tokio::test]
async fn reports_calls_that_the_request_does_not_allow() {
    let asks = |more: Value| {
        let mut body = json!({ "contents": [user("weather")], "tools": weather() });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let config = |config: Value| json!({ "toolConfig": { "functionCallingConfig": config } });
    let number = json!({ "type": "OBJECT", "properties": { "city": { "type": "INTEGER" } } });
    let declared = |key: &str| json!({ "tools": [{ "functionDeclarations": [{ "name": "weather", key: number }] }] });
    let plain = json!({ "type": "object", "properties": { "city": { "type": "integer" } } });
    let of_json =
        json!({ "tools": [{ "function_declarations": [{ "name": "weather", "parametersJsonSchema": plain }] }] });
    for (more, complaint) in [
        (json!({}), None),
        (
            json!({ "tools": [{ "functionDeclarations": [{ "name": "time" }] }] }),
            Some("tool_not_offered: the script calls `weather`, which the request does not offer; it offers `time`"),
        ),
        (
            json!({ "tools": [] }),
            Some("tool_not_offered: the script calls `weather`, which the request does not offer; it offers no tools"),
        ),
        (declared("parameters"), Some("arguments_do_not_fit")),
        (of_json, Some("arguments_do_not_fit")),
        (
            config(json!({ "mode": "NONE" })),
            Some("tool_not_offered: the script calls `weather`, but the request has `functionCallingConfig: none`"),
        ),
        (config(json!({ "mode": "ANY", "allowedFunctionNames": ["time"] })), Some("tool_not_offered")),
        (config(json!({ "mode": "ANY", "allowedFunctionNames": ["weather"] })), None),
        (config(json!({ "mode": "AUTO" })), None),
        // Text that accompanies a call need not match the format.
        (json!({ "generationConfig": { "responseMimeType": "application/json" } }), None),
    ] {
        let server = serve(SCRIPT).await;
        assert_eq!(post(&server, GENERATE, &asks(more.clone())).await.status, 200);
        let found = troubles(&server);
        match complaint {
            None => assert_eq!(found, Vec::<String>::new(), "{more}"),
            Some(complaint) => assert!(found[0].starts_with(complaint) && found.len() == 1, "{more} {found:?}"),
        }
    }
}

#[tokio::test]
async fn reports_responses_in_the_wrong_format() {
    let color = json!({ "type": "STRING", "enum": ["red", "blue"] });
    let object =
        json!({ "type": "OBJECT", "properties": { "n": { "type": "INTEGER", "nullable": true } }, "required": ["n"] });
    let plain = json!({ "type": "object", "required": ["n"] });
    let json_of = |key: &str, schema: &Value| json!({ "responseMimeType": "application/json", key: schema });
    for (config, reply, met) in [
        (json!({ "responseMimeType": "application/json" }), "words", false),
        (json!({ "responseMimeType": "application/json" }), "[1]", true),
        (json!({ "responseMimeType": "text/plain" }), "words", true),
        (json_of("responseSchema", &object), "{\"n\":1}", true),
        (json_of("responseSchema", &object), "{\"n\":null}", true),
        (json_of("responseSchema", &object), "{\"n\":\"1\"}", false),
        (json_of("responseJsonSchema", &plain), "{}", false),
        (json_of("responseJsonSchema", &plain), "{\"n\":1}", true),
        (json!({ "responseMimeType": "text/x.enum", "responseSchema": color }), "red", true),
        (json!({ "responseMimeType": "text/x.enum", "responseSchema": color }), "green", false),
    ] {
        let server = serve(&format!("default: '{reply}'\n")).await;
        post(&server, GENERATE, &json!({ "contents": [user("x")], "generationConfig": config })).await;
        let found = troubles(&server);
        assert_eq!(
            found.iter().any(|trouble| trouble.starts_with("format_not_met")),
            !met,
            "{config} {reply} {found:?}"
        );
    }
    let server = serve("default: words\n").await;
    let any = json!({ "functionCallingConfig": { "mode": "ANY" } });
    post(&server, GENERATE, &json!({ "contents": [user("x")], "tools": weather(), "toolConfig": any })).await;
    assert!(troubles(&server)[0].contains("`functionCallingConfig` requires a call of a tool"));
}

#[tokio::test]
async fn errors_have_the_gemini_format() {
    let server = serve("rules:\n- { when: { user: busy }, fail: { status: 503, message: later } }\n- { when: { user: hi }, reply: hi }\n").await;
    let busy = post(&server, GENERATE, &json!({ "contents": [user("busy")] })).await;
    assert_eq!(
        (busy.status, busy.json()),
        (503, json!({ "error": { "code": 503, "message": "later", "status": "UNAVAILABLE" } }))
    );
    let missed = post(&server, GENERATE, &json!({ "contents": [user("what?")] })).await;
    assert_eq!((missed.status, &missed.json()["error"]["status"]), (400, &json!("INVALID_ARGUMENT")));
    let empty = post(&server, GENERATE, &json!({ "contents": [] })).await;
    assert!(empty.json()["error"]["message"].as_str().unwrap().contains("contents is not specified"));
    let list = post(&server, "/v1beta/models/g:streamGenerateContent", &json!({ "contents": [user("busy")] })).await;
    assert_eq!(list.json()[0]["error"]["code"], 503);
    assert_eq!(get(&server, "/v1beta/files").await.json()["error"]["code"], 404);
    let kinds: Vec<String> = troubles(&server).iter().map(|it| it.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["model_miss", "provider_would_refuse", "model_miss"]);
}

#[tokio::test]
async fn candidate_count_is_limited() {
    let server = serve(SCRIPT).await;
    for (wanted, given) in [(0, 1), (3, 3), (8, 8), (9, 8), (u64::MAX, 8)] {
        let body = json!({ "contents": [user("hi")], "generationConfig": { "candidateCount": wanted } });
        let answer = post(&server, GENERATE, &body).await.json();
        let indexes: Vec<u64> =
            answer["candidates"].as_array().unwrap().iter().map(|it| it["index"].as_u64().unwrap()).collect();
        assert_eq!(indexes, (0..given).collect::<Vec<_>>(), "{wanted}");
    }
}

#[tokio::test]
async fn auxiliary_endpoints_never_cause_a_miss() {
    let server = serve("rules:\n- { when: { model: gemini-a }, reply: hi }\n").await;
    let model = "/v1beta/models/gemini-a";
    assert!(
        post(&server, &format!("{model}:countTokens"), &json!({ "contents": [user("x")] })).await.json()["totalTokens"]
            .is_u64()
    );
    let content = json!({ "parts": [{ "text": "x" }] });
    let one =
        post(&server, &format!("{model}:embedContent"), &json!({ "content": content, "outputDimensionality": 3 }))
            .await
            .json();
    let batch = json!({ "requests": [{ "content": content, "outputDimensionality": 3 }, { "content": content }] });
    let both = post(&server, &format!("{model}:batchEmbedContents"), &batch).await.json();
    assert_eq!(one["embedding"], both["embeddings"][0]);
    assert_eq!(both["embeddings"][1]["values"].as_array().unwrap().len(), 3072);
    assert_eq!(get(&server, "/v1beta/models").await.json()["models"][0]["name"], "models/gemini-a");
    assert_eq!(get(&server, model).await.json()["displayName"], "gemini-a");
    let listed = send(&server, &request("GET", "/v1/models?key=k", "", b"")).await;
    assert_eq!(listed.json()["models"][0]["version"], "001");
    assert_eq!(troubles(&server), Vec::<String>::new());
}

#[tokio::test]
async fn accepts_key_in_header_or_query() {
    let server = serve("api_key: sk-test\ndefault: hi\n").await;
    let body = json!({ "contents": [user("x")] }).to_string();
    for (query, headers, status) in [
        ("", "", 403),
        ("?key=wrong", "", 400),
        ("?key=sk-test", "", 200),
        ("?key=sk%2Dtest", "", 200),
        ("", "x-goog-api-key: sk-test\r\n", 200),
        ("", "x-goog-api-key: wrong\r\n", 400),
    ] {
        let answer = send(&server, &request("POST", &format!("{GENERATE}{query}"), headers, body.as_bytes())).await;
        assert_eq!(answer.status, status, "{query} {headers}");
    }
    assert!(!server.journal().to_string().contains("wrong"), "keys are in no journal");
}
