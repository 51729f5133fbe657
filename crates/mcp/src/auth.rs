//! Access tokens by OAuth client credentials: fetched once, kept until they expire, and fetched again when the server
//! rejects one.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::discovery::{self, DiscoveredAuth, TokenEndpoint};
use super::error::McpError;
use agentci_protocols::oauth::token_request;
use agentci_wire::FetchedSecrets;
use agentci_wire::http::{HttpMethod, StreamRequest, send};

/// Maximum size of an answer of a token endpoint in bytes.
const ANSWER_LIMIT: usize = 1 << 20;
/// Timeout of a token endpoint.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long before its expiry a token is renewed.
const EARLY: Duration = Duration::from_secs(30);

/// Credentials of a program, exchanged for an access token.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ClientCredentials {
    /// The URL of the token endpoint. If absent, the server names it, and so decides who receives the secret.
    pub token_url: Option<String>,
    pub client_id: String,
    pub client_secret: String,
    /// The scopes of the token. If empty, those that the server names.
    pub scopes: Vec<String>,
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ClientCredentials");
        shown.field("token_url", &self.token_url).field("client_id", &self.client_id).field("scopes", &self.scopes);
        shown.finish_non_exhaustive()
    }
}

pub(super) struct ServerTokens {
    credentials: ClientCredentials,
    /// The server that the tokens are for.
    resource: Url,
    /// Receives each token before it is used, so that it can be redacted.
    fetched: FetchedSecrets,
    state: Mutex<TokenState>,
}

impl fmt::Debug for ServerTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("credentials", &self.credentials).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct TokenState {
    endpoint: Option<TokenEndpoint>,
    /// The value of the header, and when it expires.
    token: Option<(String, Option<Instant>)>,
    /// The scopes that the server requires.
    wanted: Vec<String>,
    /// The resource name of the server, if discovered.
    resource: Option<String>,
}

impl ServerTokens {
    pub(super) fn new(credentials: ClientCredentials, resource: Url, fetched: FetchedSecrets) -> Self {
        let endpoint = credentials.token_url.clone().map(TokenEndpoint::given);
        Self { credentials, resource, fetched, state: Mutex::new(TokenState { endpoint, ..TokenState::default() }) }
    }

    /// The value of the `authorization` header; `None` if no token endpoint is known yet.
    pub(super) async fn current(&self) -> Result<Option<String>, McpError> {
        let mut state = self.state.lock().await;
        match &state.token {
            Some((token, until)) if until.is_none_or(|until| Instant::now() < until) => Ok(Some(token.clone())),
            _ if state.endpoint.is_none() => Ok(None),
            _ => self.fetch(&mut state).await.map(Some),
        }
    }

    /// Fetches a new token after the server rejected a request with a challenge.
    pub(super) async fn renew(&self, challenge: &str, refused: Option<&str>) -> Result<(), McpError> {
        let mut state = self.state.lock().await;
        if state.token.as_ref().is_some_and(|(token, _)| Some(token.as_str()) != refused) {
            // Another request has already renewed the token.
            return Ok(());
        }
        let scopes = discovery::parameter(challenge, "scope");
        if state.endpoint.is_none() {
            let found = timeout(PATIENCE, discovery::discover(&self.resource, challenge)).await;
            let DiscoveredAuth { endpoint, scopes, resource } = found.unwrap_or_else(|_| Err(late()))?;
            state.endpoint = Some(endpoint);
            state.wanted = scopes;
            state.resource = resource;
        }
        if let Some(scopes) = scopes {
            state.wanted = scopes.split_ascii_whitespace().map(str::to_owned).collect();
        }
        self.fetch(&mut state).await.map(drop)
    }

    async fn fetch(&self, state: &mut TokenState) -> Result<String, McpError> {
        state.token = None;
        let Some(endpoint) = state.endpoint.clone() else { return Err(unauthorized("no token endpoint is known")) };
        let mut scopes = self.credentials.scopes.clone();
        let resource = state.resource.clone().unwrap_or_else(|| discovery::canonical(&self.resource));
        // Configured scopes are always requested; those that the server requires are added.
        scopes.extend(state.wanted.iter().filter(|wanted| !self.credentials.scopes.contains(wanted)).cloned());
        let scopes = scopes.join(" ");
        let mut fields = vec![("scope", scopes.as_str()), ("resource", resource.as_str())];
        fields.retain(|(name, value)| *name != "scope" || !value.is_empty());
        let asked = async {
            let (status, answer) = self.ask(&endpoint.url, &fields, endpoint.basic).await?;
            let refused = matches!(status, 400 | 401) && answer["error"] == "invalid_client";
            if refused && endpoint.guessed {
                return self.ask(&endpoint.url, &fields, !endpoint.basic).await;
            }
            Ok((status, answer))
        };
        let (status, answer) = timeout(PATIENCE, asked).await.unwrap_or_else(|_| Err(late()))?;
        let Some(token) = answer["access_token"].as_str() else {
            let said = ["error", "error_description"].map(|name| answer[name].as_str().unwrap_or_default()).join(" ");
            let reason = format!("the token endpoint answered with status {status} {said}");
            return Err(unauthorized(reason.trim_end()));
        };
        self.fetched.add(token);
        let token = format!("Bearer {token}");
        let lifetime = answer["expires_in"].as_u64().map(Duration::from_secs);
        // A token with a shorter lifetime is used for half of it.
        let used = lifetime.map(|lifetime| lifetime.saturating_sub(EARLY).max(lifetime / 2));
        // A lifetime beyond the range of the clock means no expiry.
        let until = used.and_then(|used| Instant::now().checked_add(used));
        state.token = Some((token.clone(), until));
        Ok(token)
    }

    /// Sends the secret in a header if `basic`, else in the form.
    async fn ask(&self, url: &str, fields: &[(&str, &str)], basic: bool) -> Result<(u16, Value), McpError> {
        let client = (self.credentials.client_id.as_str(), self.credentials.client_secret.as_str());
        let (headers, body) = token_request(client, fields, basic);
        let request = StreamRequest { url: url.to_owned(), method: HttpMethod::Post, headers, body: body.into() };
        let failed = |error| unauthorized(&format!("the token endpoint failed: {error}"));
        let mut incoming = send(request).await.map_err(failed)?;
        let body = incoming.body(ANSWER_LIMIT).await.map_err(failed)?;
        Ok((incoming.status, serde_json::from_slice(&body).unwrap_or_default()))
    }
}

pub(super) fn unauthorized(reason: &str) -> McpError {
    McpError::Unauthorized(reason.to_owned())
}

fn late() -> McpError {
    unauthorized("no answer from the token endpoint in time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_hides_the_client_secret() {
        let credentials = ClientCredentials { client_secret: "hidden".into(), ..ClientCredentials::default() };
        assert!(!format!("{credentials:?}").contains("hidden"));
    }
}
