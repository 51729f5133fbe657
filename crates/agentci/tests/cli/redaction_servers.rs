//! No secret that is sent to a server appears in the output of a run, whether it is in the suite or fetched at run
//! time.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::http_server::{Answer, Asked, listen};
use crate::leaks::{assert_no_leak, run_with_every_report, texts_below};
use crate::suite::Suite;

/// Prefixes of all secrets that no file may contain.
const PLANTED: [&str; 5] = ["zqFetched", "zqClient", "zqWritten", "zqCookie", "zqFrom"];

const JSON: &str = "content-type: application/json\r\n";

/// A server that issues tokens and echoes the headers of each request. All headers are kept.
fn repeating() -> (String, Arc<Mutex<Vec<String>>>) {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&shown);
    let address = listen(move |asked| {
        if asked.path == "/token" {
            let token = json!({"access_token": "zqFetched-token-1", "token_type": "bearer"});
            return Some(Answer(200, JSON, token.to_string()));
        }
        kept.lock().unwrap().push(asked.head.clone());
        let token = asked.key.rsplit(' ').next().unwrap_or_default();
        Some(Answer(200, JSON, answer(&asked, token).to_string()))
    });
    (address, shown)
}

/// The answer of an agent or server, in the protocol of the request.
fn answer(asked: &Asked, token: &str) -> Value {
    let words = format!("your token is {token}, sent with {}", asked.head.replace("\r\n", " | "));
    let (id, body) = (&asked.body["id"], &asked.body);
    let result = match body["method"].as_str() {
        Some("SendMessage" | "message/send") => {
            json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": words}]}})
        }
        Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}),
        Some("tools/call") => json!({"content": [{"type": "text", "text": words}]}),
        Some("tools/list") => json!({"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]}),
        Some(_) => return json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}}),
        None => return json!({"answer": words}),
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Records a case and runs it live; asserts that no file contains a secret, and that the server received all of them.
fn nothing_leaks(suite: &Suite, address: &str, shown: &Mutex<Vec<String>>, secrets: &[&str]) {
    let variables = [("SERVER", address), ("PLAIN", "zqFrom-a-variable")];
    for mode in ["record", "live"] {
        let (ran, texts) = run_with_every_report(suite, &["run", "suite", "--mode", mode], &variables);
        assert_eq!(ran.verdicts(), [("asks".into(), "fail".into(), "check".into())], "{ran:?}");
        assert_no_leak(&texts, &PLANTED);
        let log = texts.iter().find(|(name, _)| name.ends_with("run.jsonl")).unwrap();
        assert!(log.1.contains("your token is [REDACTED]"), "{}", log.1);
        std::fs::remove_dir_all(suite.path(".agentci")).unwrap();
        let heads = std::mem::take(&mut *shown.lock().unwrap()).concat();
        for secret in secrets {
            assert!(heads.contains(secret), "{secret} was not shown: {heads}");
        }
    }
    let kept = texts_below(&suite.path("suite/kept"));
    assert_no_leak(&kept, &PLANTED);
    assert!(kept.iter().any(|(_, text)| text.contains("your token is [REDACTED]")), "{kept:?}");
}

fn oauth(url: &str) -> String {
    format!("auth: {{ oauth2: {{ token_url: \"{url}/token\", client_id: me, client_secret: zqClient-secret }} }}")
}

#[test]
fn fetched_token_of_a2a_agent_is_redacted() {
    let (address, shown) = repeating();
    let yaml = format!(
        "suite: suite\ntarget: {{ a2a: {{ endpoint: \"${{ENV.SERVER}}/\", {} }} }}\n\
         cases: [{{ id: asks, world: {{ recording: kept/a.jsonl }}, turns: [{{ user: hi, checks: [{{ contains: absent }}] }}] }}]\n",
        oauth("${ENV.SERVER}")
    );
    nothing_leaks(&Suite::empty().file("suite/agentci.yaml", yaml), &address, &shown, &["Bearer zqFetched-token-1"]);
}

#[test]
fn fetched_token_of_mcp_server_is_redacted() {
    let (address, shown) = repeating();
    let yaml = format!(
        "suite: suite\ntarget: {{ mcp: {{ url: \"${{ENV.SERVER}}/mcp\", {} }} }}\n\
         cases: [{{ id: asks, world: {{ recording: kept/a.jsonl }}, turns: [{{ mcp:call: {{ tool: greet, args: {{}} }}, checks: [{{ contains: absent }}] }}] }}]\n",
        oauth("${ENV.SERVER}")
    );
    nothing_leaks(&Suite::empty().file("suite/agentci.yaml", yaml), &address, &shown, &["Bearer zqFetched-token-1"]);
}

#[test]
fn header_values_in_the_suite_are_redacted() {
    let (address, shown) = repeating();
    let yaml = "suite: suite\n\
        target:\n  http:\n    url: \"${ENV.SERVER}/ask\"\n\
        \x20   headers: { Authorization: Bearer zqWritten-token, Cookie: session=zqCookie-value, X-Tenant: \"${ENV.PLAIN}\" }\n\
        cases: [{ id: asks, world: { recording: kept/a.jsonl }, turns: [{ user: hi, checks: [{ contains: absent }] }] }]\n";
    let secrets = ["Bearer zqWritten-token", "session=zqCookie-value", "zqFrom-a-variable"];
    nothing_leaks(&Suite::empty().file("suite/agentci.yaml", yaml), &address, &shown, &secrets);
}

#[test]
fn headers_of_live_tools_are_redacted_in_cassettes() {
    for kind in ["http", "mcp"] {
        let (address, shown) = repeating();
        let headers = "{ Authorization: Bearer zqWritten-token, X-Tenant: \"${ENV.PLAIN}\" }";
        let tool = format!("{kind}: {{ url: \"${{ENV.SERVER}}/{kind}\", headers: {headers} }}");
        let yaml = format!(
            "world:\n  tools: {{ cassette: kept/tape.jsonl, live: {{ greet: {{ {tool} }} }} }}\n\
             cases: [{{ id: asks, input: {{}}, checks: [{{ contains: absent }}] }}]\n"
        );
        let suite = Suite::native(&yaml).agent("asks", "call greet '{}'; finish \"$answer\"");
        nothing_leaks(&suite, &address, &shown, &["Bearer zqWritten-token", "zqFrom-a-variable"]);
    }
}
