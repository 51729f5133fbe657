//! What is said of a miss.

use super::*;

#[test]
fn a_line_of_a_long_prompt_is_named() {
    let lines = |goal: &str| {
        let mut lines: Vec<String> = (1..300).map(|line| format!("- rule {line} of {A}, since Monday")).collect();
        lines[207] = format!("- Today's goal is {goal}");
        lines.join("\n")
    };
    let of = |goal: &str| Request {
        path: "/v1/messages".into(),
        speaks: Some(Api::AnthropicMessages),
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
help: if the change is meant, `agentci record -- claude` records it again";
    assert_eq!(told, expected);
}

#[test]
fn an_excerpt_shows_the_difference_and_not_the_beginning() {
    let of = |word: &str| prompt(&format!("{} {word} {}", "é lorem".repeat(100), "ipsum".repeat(100)));
    let nearest = missed(after(of("refund"), &of("return"), here(NOW))).nearest.unwrap();
    assert!(nearest.recorded.contains("refund") && nearest.recorded.len() < 200, "{}", nearest.recorded);
    assert!(nearest.sent.contains("return"), "{}", nearest.sent);
}

#[test]
fn a_place_that_was_never_asked_is_told_with_the_nearest() {
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
fn the_reason_says_what_changed() {
    let of_system = |system: &str, model: &str, text: &str, tool: &str| {
        let messages = json!([{ "role": "system", "content": system }, { "role": "user", "content": text }]);
        chat(json!({ "messages": messages, "tools": [{ "name": tool }], "model": model }))
    };
    let of = |model: &str, text: &str, tool: &str| of_system("be kind", model, text, tool);
    let reason = |sent: Request| missed(after(of("m", "x", "t"), &sent, here(NOW))).reason;
    assert_eq!(reason(of("n", "x", "t")), "the model changed");
    assert_eq!(reason(of("m", "y", "t")), "a message changed");
    assert_eq!(reason(of("m", "y", "u")), "the tools changed");
    assert_eq!(reason(of_system("be quick", "n", "y", "u")), "the system prompt changed");
}
