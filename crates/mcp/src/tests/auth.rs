use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::LIMIT;
use super::listener::{Listener, http, message, modern, result};
use crate::{ClientCredentials, ConnectOptions, McpClient, McpEndpoint, ServerAddress};

#[tokio::test]
async fn token_is_fetched_once_and_renewed_after_rejection() {
    let issued = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&issued);
    let listener = Listener::start(move |seen| {
        let host = seen.header("host").unwrap();
        let first = seen.head.lines().next().unwrap();
        if first.starts_with("GET /meta ") {
            return message(&json!({ "resource": format!("http://{host}/mcp"), "authorization_servers": [format!("http://{host}/auth")] }));
        }
        if first.starts_with("GET /.well-known/oauth-authorization-server/auth ") {
            return message(&json!({ "issuer": format!("http://{host}/auth"), "token_endpoint": format!("http://{host}/token") }));
        }
        if first.starts_with("POST /token ") {
            let number = counter.fetch_add(1, Ordering::Relaxed) + 1;
            return message(&json!({ "access_token": format!("t{number}"), "expires_in": 3600 }));
        }
        let challenge = format!("www-authenticate: Bearer scope=\"read\", resource_metadata=\"http://{host}/meta\"\r\n");
        match (seen.header("authorization"), seen.method()) {
            (None, _) | (Some("Bearer t1"), "tools/call") => http("401 Unauthorized", &challenge, ""),
            _ => modern(seen).unwrap_or_else(|| result(seen, &json!({}))),
        }
    })
    .await;
    let credentials =
        ClientCredentials { client_id: "me".into(), client_secret: "p:w".into(), ..ClientCredentials::default() };
    let endpoint = McpEndpoint { url: listener.url.clone(), credentials: Some(credentials), ..McpEndpoint::default() };
    let client = McpClient::connect(ServerAddress::Http(endpoint), ConnectOptions::default(), LIMIT).await.unwrap();
    client.list_prompts(LIMIT).await.unwrap();
    assert_eq!(issued.load(Ordering::Relaxed), 1);
    client.call_tool("tool", &json!({}), vec![], LIMIT).await.unwrap();
    assert_eq!(issued.load(Ordering::Relaxed), 2);
    let seen = listener.seen.lock().unwrap();
    let asked = seen.iter().find(|seen| seen.head.starts_with("POST /token")).unwrap();
    // me:p%3Aw
    assert_eq!(asked.header("authorization"), Some("Basic bWU6cCUzQXc="));
    let address = listener.url.replace(':', "%3A").replace('/', "%2F");
    assert_eq!(asked.form, format!("grant_type=client_credentials&scope=read&resource={address}"));
}

#[tokio::test]
async fn stops_requesting_tokens_that_are_always_rejected() {
    let issued = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&issued);
    let listener = Listener::start(move |seen| {
        if seen.head.starts_with("POST /token") {
            counter.fetch_add(1, Ordering::Relaxed);
            return message(&json!({ "access_token": "t" }));
        }
        http("401 Unauthorized", "", "")
    })
    .await;
    let credentials = ClientCredentials {
        token_url: Some(listener.url.replace("/mcp", "/token")),
        scopes: vec!["a".into(), "b".into()],
        ..ClientCredentials::default()
    };
    let endpoint = McpEndpoint { url: listener.url.clone(), credentials: Some(credentials), ..McpEndpoint::default() };
    let error = McpClient::connect(ServerAddress::Http(endpoint), ConnectOptions::default(), LIMIT).await.unwrap_err();
    assert_eq!(error.to_string(), "not authorized: the server answered with status 401");
    assert_eq!(issued.load(Ordering::Relaxed), 2);
    assert!(listener.seen.lock().unwrap()[0].form.contains("scope=a+b"));
}
