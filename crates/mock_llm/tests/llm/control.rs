//! Access to the journal and its reset.

use agentci_mock_llm::{ModelServer, ModelServerOptions};

use crate::client::{Answer, chat, said, script, send, serve};

/// Sends a request with a host and a key; an empty key is omitted.
pub(crate) async fn ask(server: &ModelServer, method: &str, path: &str, host: &str, key: &str) -> Answer {
    let key = if key.is_empty() { String::new() } else { format!("authorization: Bearer {key}\r\n") };
    let head =
        format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: 0\r\n{key}\r\n");
    send(server, head.as_bytes()).await
}

const QUESTIONS: [(&str, &str); 2] = [("GET", "/__agentci/journal"), ("POST", "/__agentci/reset")];

#[tokio::test]
async fn journal_requires_token_and_own_host_name() {
    let options = ModelServerOptions { control_token: Some("token-of-a-test".into()), ..ModelServerOptions::default() };
    let rules = script("rules:\n- when: { user: go }\n  reply: [one, two]\n");
    let server = ModelServer::start(rules, options).await.unwrap();
    let (own, secret) = (server.address().to_string(), "token-of-a-test");
    assert_eq!(said(&chat(&server, "go").await), "one");
    for (method, path) in QUESTIONS {
        for (host, key, status) in [(own.as_str(), "", 401), (&own, "other", 401), ("evil.test", secret, 403)] {
            let answer = ask(&server, method, path, host, key).await;
            assert_eq!(answer.status, status, "{host} {key}: {answer:?}");
            assert!(!answer.body.contains("requests"), "{answer:?}");
        }
    }
    assert_eq!(said(&chat(&server, "go").await), "two", "nothing was reset");
    for (method, path) in QUESTIONS {
        for host in [own.as_str(), "localhost:1"] {
            assert_eq!(ask(&server, method, path, host, secret).await.status, 200);
        }
    }
    assert_eq!(said(&chat(&server, "go").await), "one");
}

/// The script's API key is accepted, too. The server of a run has neither, so its journal is not available.
#[tokio::test]
async fn without_token_only_the_script_key_grants_access() {
    let server = serve("api_key: key-of-a-script\ndefault: hello\n").await;
    let shut = serve("default: hello\n").await;
    for (method, path) in QUESTIONS {
        assert_eq!(ask(&server, method, path, "127.0.0.1", "key-of-a-script").await.status, 200);
        assert_eq!(ask(&server, method, path, "127.0.0.1", "other").await.status, 401);
        assert_eq!(ask(&shut, method, path, "127.0.0.1", "").await.status, 401);
        assert_eq!(ask(&shut, method, path, "127.0.0.1", "any").await.status, 401);
    }
}
