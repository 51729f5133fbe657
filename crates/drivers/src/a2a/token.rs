//! Fetches an access token with client credentials (RFC 6749, section 4.4).

use std::time::Duration;

use agentci_protocols::a2a::cut;
use agentci_protocols::oauth::token_request;
use agentci_wire::http::{self, HttpError, HttpMethod, StreamRequest};
use serde_json::Value;

use crate::{DriveError, DriveResult};

/// The size limit of a token response, in bytes.
const LARGEST: usize = 1 << 20;
const HELP: &str = "check the target's `auth`: the token URL, the client ID and the client secret";

/// The client and the token endpoint.
pub(super) struct TokenClient {
    pub(super) token_url: String,
    pub(super) id: String,
    pub(super) secret: String,
    pub(super) scope: String,
}

/// Fetches a token. If the server does not accept the client ID and secret in a header, they are sent in the body.
pub(super) async fn fetch(client: &TokenClient, timeout: Duration) -> DriveResult<String> {
    let both = async {
        match ask(client, true).await? {
            (400 | 401, answer) if answer["error"] == "invalid_client" => ask(client, false).await,
            answered => Ok(answered),
        }
    };
    let answered = tokio::time::timeout(timeout, both).await.unwrap_or(Err(HttpError::Timeout));
    let (status, answer) = answered.map_err(|error| match error {
        HttpError::Connect { .. } | HttpError::Url(_) => {
            DriveError::NoServer(format!("the access token could not be fetched: {error}"))
        }
        error => refused(&error.to_string()),
    })?;
    match answer["access_token"].as_str() {
        Some(token) if (200..300).contains(&status) => Ok(token.to_owned()),
        _ => {
            let said = ["error", "error_description"].iter().filter_map(|key| answer[*key].as_str());
            let said: Vec<String> = said.map(|said| cut(said, 200)).collect();
            let said = if said.is_empty() { "the answer has no `access_token`".into() } else { said.join(": ") };
            Err(refused(&format!("{said} (status {status})")))
        }
    }
}

/// Sends one request; an answer that is not JSON becomes null.
async fn ask(client: &TokenClient, in_header: bool) -> Result<(u16, Value), HttpError> {
    let scope = [("scope", client.scope.as_str())];
    let fields = if client.scope.is_empty() { &[][..] } else { &scope };
    let (headers, body) = token_request((&client.id, &client.secret), fields, in_header);
    let url = client.token_url.clone();
    let mut answer = http::send(StreamRequest { url, method: HttpMethod::Post, headers, body: body.into() }).await?;
    let body = answer.body(LARGEST).await?;
    Ok((answer.status, serde_json::from_slice(&body).unwrap_or_default()))
}

fn refused(why: &str) -> DriveError {
    DriveError::Refused { message: format!("the access token could not be fetched: {why}"), help: HELP.into() }
}
