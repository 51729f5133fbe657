//! The messages of misses.

use super::*;

#[test]
fn reports_changed_line_of_long_prompt() {
    let lines = |goal: &str| {
        let mut lines: Vec<String> = (1..300).map(|line| format!("- rule {line} of {A}, since Monday")).collect();
        lines[207] = format!("- Today's goal is {goal}");
        lines.join("\n")
    };
    let of = |goal: &str| RecordedRequest {
        path: "/v1/messages".into(),
        speaks: Some(ProviderApi::AnthropicMessages),
        ..chat(
            json!({ "messages": [{ "role": "user", "content": goal }], "system": [{ "text": "x" }, { "text": lines(goal) }] }),
        )
    };
    let miss = missed(after(of("refunds"), &of("returns"), here(NOW)));
    let told = miss.explain("claude.jsonl", Some("agentci record -- claude"));
    let expected = "\
error: call 1 is not in claude.jsonl (replay_miss)
  POST https://api.openai.com/v1/messages: the system prompt changed
  nearest: call 1, 2 of 5 values differ
  /system/1/text line 208: - Today's goal is refunds
                         | - Today's goal is returns
help: if the change is intended, `agentci record -- claude` records it again";
    assert_eq!(told, expected);
}

#[test]
fn excerpt_shows_the_difference() {
    let of = |word: &str| prompt(&format!("{} {word} {}", "é lorem".repeat(100), "ipsum".repeat(100)));
    let nearest = missed(after(of("refund"), &of("return"), here(NOW))).nearest.unwrap();
    assert!(nearest.recorded.contains("refund") && nearest.recorded.len() < 200, "{}", nearest.recorded);
    assert!(nearest.sent.contains("return"), "{}", nearest.sent);
}

#[test]
fn unrecorded_endpoint_is_reported_with_the_nearest() {
    let mut sent = prompt("x");
    sent.path = "/v1/responses?key=1".into();
    let miss = missed(after(prompt("x"), &sent, here(NOW)));
    assert_eq!(
        miss.reason,
        "nothing was recorded for POST https://api.openai.com/v1/responses; the nearest is POST https://api.openai.com/v1/chat/completions"
    );
    let none = missed(after(get("/a"), &prompt("x"), here(NOW)));
    assert_eq!(none.reason, "nothing was recorded for POST https://api.openai.com/v1/chat/completions");
}

#[test]
fn reports_what_changed() {
    let of_system = |system: &str, model: &str, text: &str, tool: &str| {
        let messages = json!([{ "role": "system", "content": system }, { "role": "user", "content": text }]);
        chat(json!({ "messages": messages, "tools": [{ "name": tool }], "model": model }))
    };
    let of = |model: &str, text: &str, tool: &str| of_system("be kind", model, text, tool);
    let reason = |sent: RecordedRequest| missed(after(of("m", "x", "t"), &sent, here(NOW))).reason;
    assert_eq!(reason(of("n", "x", "t")), "the model changed");
    assert_eq!(reason(of("m", "y", "t")), "a message changed");
    assert_eq!(reason(of("m", "y", "u")), "the tools changed");
    assert_eq!(reason(of_system("be quick", "n", "y", "u")), "the system prompt changed");
}

#[test]
fn changed_tool_result_is_reported_as_such() {
    let said = |api: ProviderApi, body: &dyn Fn(&str) -> Value| {
        let of = |result: &str| RecordedRequest { speaks: Some(api), ..chat(body(result)) };
        missed(after(of("paid"), &of("open"), here(NOW))).reason
    };
    let chat_body = |result: &str| {
        let call = json!({ "id": "call_1", "type": "function", "function": { "name": "refund", "arguments": "{}" } });
        json!({ "messages": [
            { "role": "user", "content": "Refund A-17" },
            { "role": "assistant", "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "call_1", "content": format!(r#"{{"state":"{result}"}}"#) },
        ] })
    };
    let responses = |result: &str| {
        json!({ "input": [
            { "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "refund", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "call_1", "output": result },
        ] })
    };
    let anthropic = |result: &str| {
        let text = json!([{ "type": "text", "text": result }]);
        json!({ "messages": [
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "tu_1", "name": "refund", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "tu_1", "content": text }] },
        ] })
    };
    let gemini = |result: &str| {
        let part = json!({ "functionResponse": { "name": "refund", "response": { "result": result } } });
        json!({ "contents": [{ "role": "user", "parts": [{ "text": "Refund A-17" }, part] }] })
    };
    let bedrock = |result: &str| {
        let call = json!({ "toolUse": { "toolUseId": "tooluse_1", "name": "refund", "input": {} } });
        let result = json!({ "toolResult": { "toolUseId": "tooluse_1", "content": [{ "text": result }] } });
        json!({ "messages": [{ "role": "assistant", "content": [call] }, { "role": "user", "content": [result] }] })
    };
    let named = "the result of the tool `refund` changed";
    assert_eq!(said(ProviderApi::OpenAiChat, &chat_body), named);
    assert_eq!(said(ProviderApi::OpenAiResponses, &responses), named);
    assert_eq!(said(ProviderApi::AnthropicMessages, &anthropic), named);
    assert_eq!(said(ProviderApi::Gemini, &gemini), named);
    assert_eq!(said(ProviderApi::Bedrock, &bedrock), named);
    // The call is in an earlier response.
    let without_call = |result: &str| json!({ "input": [responses(result)["input"][1].clone()] });
    assert_eq!(said(ProviderApi::OpenAiResponses, &without_call), "the result of a tool changed");
    // Another call, and a message in place of a result.
    let call = |word: &str| json!({ "input": [{ "type": "function_call", "call_id": "call_1", "name": word }] });
    assert_eq!(said(ProviderApi::OpenAiResponses, &call), "a message changed");
    let role = |word: &str| {
        let role = if word == "paid" { "tool" } else { "user" };
        json!({ "messages": [{ "role": role, "tool_call_id": "call_1", "content": "x" }] })
    };
    assert_eq!(said(ProviderApi::OpenAiChat, &role), "a message changed");
}

#[test]
fn distinguishes_number_from_string() {
    let of = |amount: Value| chat(json!({ "amount": amount }));
    let nearest = |recorded: Value, sent: Value| missed(after(of(recorded), &of(sent), here(NOW))).nearest.unwrap();
    let told = nearest(json!(12.57), json!("12.57"));
    assert_eq!((told.recorded.as_str(), told.sent.as_str()), ("12.57 (a number)", "12.57 (a string)"));
    let told = nearest(json!(null), json!("null"));
    assert_eq!((told.recorded.as_str(), told.sent.as_str()), ("null", "null (a string)"));
    let told = nearest(json!("be kind"), json!("be kind\n"));
    assert_eq!((told.recorded.as_str(), told.sent.as_str()), ("\"be kind\"", "\"be kind\\n\""));
}

fn talk(messages: &[(&str, &str)]) -> RecordedRequest {
    let messages: Vec<Value> =
        messages.iter().map(|(role, content)| json!({ "role": role, "content": content })).collect();
    chat(json!({ "messages": messages }))
}

#[test]
fn reports_missing_system_prompt() {
    let (with, without) = (talk(&[("system", "be kind"), ("user", "x")]), talk(&[("user", "x")]));
    assert_eq!(missed(after(with.clone(), &without, here(NOW))).reason, "the system prompt is missing");
    let added = missed(after(without, &with, here(NOW))).reason;
    assert_eq!(added, "the recorded request has no system prompt");
}

#[test]
fn nearest_request_is_next_call_of_conversation() {
    let all = [
        ("system", "be kind"),
        ("user", "Refund A-17"),
        ("assistant", "Looking it up"),
        ("tool", "17 costs 20"),
        ("assistant", "Shall I?"),
        ("user", "Yes"),
    ];
    let recorded = recording(vec![talk(&all[..2]), talk(&all[..4]), talk(&all)]);
    let sent = |messages: &[(&str, &str)]| {
        let mut replay = matcher(recorded.clone(), here(NOW));
        replay.answer(&talk(&all[..2]));
        replay.answer(&talk(&all[..4]));
        missed(replay.answer(&talk(messages))).nearest.unwrap().id
    };
    let mut swapped = all;
    swapped.swap(2, 5);
    assert_eq!(sent(&swapped), 3);
    swapped = all;
    swapped[3].1 = "17 costs 200";
    assert_eq!(sent(&swapped), 3);
    let cut: Vec<(&str, &str)> = all[..2].iter().chain(&all[4..]).copied().collect();
    assert_eq!(sent(&cut), 3);
}
