//! The Streamable HTTP transport: every message is a POST, and its answer is a message or a stream of messages.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::auth::{ClientCredentials, ServerTokens};
use super::error::McpError;
use super::router::{MessageOrigin, Router};
use super::stdio::MESSAGE_LIMIT;
use super::stream::{self, StreamResumption};
use agentci_protocols::jsonrpc::{self, JsonRpcMessage};
use agentci_protocols::mcp::quote;
use agentci_wire::http::{HttpError, HttpMethod, Incoming, StreamRequest, send};
use agentci_wire::{FetchedSecrets, lock};

/// Maximum size of the body of a failed request in bytes.
const FAILURE_LIMIT: usize = 1 << 20;
/// Timeout of ending a session.
const FAREWELL: Duration = Duration::from_secs(2);

/// The address of a server and the credentials for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpEndpoint {
    pub url: String,
    /// Headers for every request.
    pub headers: Vec<(String, String)>,
    /// The credentials for access tokens.
    pub credentials: Option<ClientCredentials>,
}

/// A connection to a server over HTTP.
#[derive(Debug)]
pub(super) struct Http {
    endpoint: McpEndpoint,
    pub(super) router: Arc<Router>,
    tokens: Option<ServerTokens>,
    state: Mutex<HttpState>,
}

#[derive(Debug, Default)]
struct HttpState {
    session: Option<String>,
    /// The version agreed on in a handshake; modern requests carry their own.
    version: Option<String>,
    /// Reads unsolicited messages of the server.
    listener: Option<JoinHandle<()>>,
    /// The URL to post to if answers arrive over the listener's stream, as in the 2024 revision.
    old: Option<String>,
}

/// A request in progress. Dropping it before its answer closes its stream.
#[derive(Debug)]
pub(super) struct Posting {
    pub(super) http: Arc<Http>,
    task: JoinHandle<()>,
    pub(super) answered: bool,
}

impl Drop for Posting {
    fn drop(&mut self) {
        if !self.answered {
            self.task.abort();
        }
    }
}

impl Posting {
    /// Tells a legacy server that the call is cancelled. For a modern one, closing the stream is enough.
    pub(super) fn cancel(&self, message: Vec<u8>) {
        if self.http.state().version.is_some()
            && let Ok(runtime) = Handle::try_current()
        {
            let http = Arc::clone(&self.http);
            runtime.spawn(async move { timeout(FAREWELL, http.tell(message)).await });
        }
    }
}

impl Http {
    pub(super) fn new(endpoint: McpEndpoint, router: Arc<Router>, fetched: FetchedSecrets) -> Result<Self, McpError> {
        let url = reqwest::Url::parse(&endpoint.url)
            .map_err(|error| McpError::Http(HttpError::Url(error.to_string()).to_string()))?;
        let tokens = endpoint.credentials.clone().map(|credentials| ServerTokens::new(credentials, url, fetched));
        Ok(Self { endpoint, router, tokens, state: Mutex::default() })
    }

    /// Sends a request; the router receives the answer.
    pub(super) fn begin(self: &Arc<Self>, id: u64, message: Vec<u8>, headers: Vec<(String, String)>) -> Posting {
        let http = Arc::clone(self);
        let task = tokio::spawn(async move {
            match http.exchange(id, message, headers).await {
                // The answer arrives over the stream of the listener.
                Ok(()) if http.state().old.is_some() => {}
                // Has no effect on a call that has been answered.
                Ok(()) => http.router.fail(id, McpError::Cut),
                Err(error) => http.router.fail(id, error),
            }
        });
        Posting { http: Arc::clone(self), task, answered: false }
    }

    /// Sends a message that has no answer.
    pub(super) async fn tell(&self, message: Vec<u8>) -> Result<(), McpError> {
        self.router.sending(&message);
        let mut incoming = self.post(message, Vec::new()).await?;
        if incoming.status >= 300 {
            return Err(self.failure(&mut incoming).await);
        }
        let _ = incoming.body(FAILURE_LIMIT).await;
        Ok(())
    }

    /// Sets the version of the handshake, which further requests carry.
    pub(super) fn adopt(&self, version: &str) {
        self.state().version = Some(version.to_owned());
    }

    /// Drops a lost session.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        state.session = None;
        state.version = None;
        state.stop_listening();
    }

    pub(super) fn session(&self) -> Option<String> {
        self.state().session.clone()
    }

    /// Listens to unsolicited messages, if the server offers such a stream.
    pub(super) fn listen(self: &Arc<Self>) {
        let mut state = self.state();
        if state.listener.is_none() {
            state.listener = Some(tokio::spawn(stream::listen(Arc::downgrade(self))));
        }
    }

    /// Switches to the two URLs of the 2024 revision: one has the stream with all answers, which names the other.
    pub(super) async fn go_back(self: &Arc<Self>) -> Result<(), McpError> {
        let incoming = self.get(&StreamResumption::default()).await?;
        let (address, rest) = stream::find_address(incoming).await?;
        let base = reqwest::Url::parse(&self.endpoint.url).map_err(|error| McpError::Http(error.to_string()))?;
        let address = base.join(&address).map_err(|error| McpError::Http(error.to_string()))?;
        if address.origin() != base.origin() {
            return Err(McpError::Http("the server's stream names an address on another server".into()));
        }
        let mut state = self.state();
        state.old = Some(address.into());
        state.listener = Some(tokio::spawn(rest.read(Arc::downgrade(self))));
        Ok(())
    }

    /// Ends the session and stops listening.
    pub(super) async fn close(&self) {
        self.state().stop_listening();
        if self.session().is_some() {
            let farewell =
                async { send(self.request(HttpMethod::Delete, Vec::new(), Vec::new()).await?).await.map_err(failed) };
            let _ = timeout(FAREWELL, farewell).await;
        }
    }

    /// Requests the stream of unsolicited messages, or the rest of an interrupted one.
    pub(super) async fn get(&self, resume: &StreamResumption) -> Result<Incoming, McpError> {
        let mut headers = vec![("accept".to_owned(), "text/event-stream".to_owned())];
        headers.extend(resume.last_id.iter().map(|id| ("last-event-id".to_owned(), id.clone())));
        send(self.request(HttpMethod::Get, headers, Vec::new()).await?).await.map_err(failed)
    }

    async fn exchange(&self, id: u64, message: Vec<u8>, headers: Vec<(String, String)>) -> Result<(), McpError> {
        self.router.sending(&message);
        let session = self.session();
        let mut incoming = self.post(message, headers).await?;
        if incoming.status >= 300 {
            let (status, error) = (incoming.status, self.failure(&mut incoming).await);
            let lost = status == 404 || status == 400 && speaks_of_sessions(&error);
            return Err(if lost && session.is_some() { McpError::SessionLost } else { error });
        }
        if let Some(session) = incoming.header("mcp-session-id") {
            self.state().session = Some(session.to_owned());
        }
        match incoming.content_type().as_str() {
            "text/event-stream" => stream::answer(self, incoming, id).await,
            "application/json" => {
                let body = incoming.body(MESSAGE_LIMIT).await.map_err(failed)?;
                self.router.arrive(&body, MessageOrigin::Call(id));
                Ok(())
            }
            _ if self.state().old.is_some() => Ok(()),
            other => Err(McpError::Status { status: incoming.status, body: format!("not a message: `{other}`") }),
        }
    }

    /// Posts a message; if the server requires a new token, again with one.
    async fn post(&self, message: Vec<u8>, extra: Vec<(String, String)>) -> Result<Incoming, McpError> {
        let mut headers = vec![("accept".to_owned(), "application/json, text/event-stream".to_owned())];
        headers.extend(extra);
        let request = self.request(HttpMethod::Post, headers.clone(), message.clone()).await?;
        let used = request.headers.iter().find(|(name, _)| name == "authorization").map(|(_, value)| value.clone());
        let incoming = send(request).await.map_err(failed)?;
        let challenge = incoming.header("www-authenticate").unwrap_or_default().to_owned();
        let wants_scope = incoming.status == 403 && challenge.contains("insufficient_scope");
        if incoming.status != 401 && !wants_scope {
            return Ok(incoming);
        }
        let Some(tokens) = &self.tokens else { return Err(refused(&incoming)) };
        tokens.renew(&challenge, used.as_deref()).await?;
        let incoming = send(self.request(HttpMethod::Post, headers, message).await?).await.map_err(failed)?;
        if incoming.status == 401 { Err(refused(&incoming)) } else { Ok(incoming) }
    }

    async fn request(
        &self,
        method: HttpMethod,
        extra: Vec<(String, String)>,
        message: Vec<u8>,
    ) -> Result<StreamRequest, McpError> {
        let mut headers = Vec::new();
        if let Some(tokens) = &self.tokens
            && let Some(token) = tokens.current().await?
        {
            headers.push(("authorization".to_owned(), token));
        }
        headers.extend(self.endpoint.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
        let state = self.state();
        headers.extend(state.session.iter().map(|session| ("mcp-session-id".to_owned(), session.clone())));
        headers.extend(state.version.iter().map(|version| ("mcp-protocol-version".to_owned(), version.clone())));
        headers.extend(extra);
        let posted_elsewhere = state.old.clone().filter(|_| method == HttpMethod::Post);
        let url = posted_elsewhere.unwrap_or_else(|| self.endpoint.url.clone());
        Ok(StreamRequest { url, method, headers, body: message.into() })
    }

    /// The error of a failed request: that in its body, if it is a JSON-RPC error.
    async fn failure(&self, incoming: &mut Incoming) -> McpError {
        let status = incoming.status;
        let body = incoming.body(FAILURE_LIMIT).await.unwrap_or_default();
        match jsonrpc::read(&body).ok().and_then(|mut messages| messages.pop()) {
            // The id is ignored: some servers send none, or one of their own.
            Some(JsonRpcMessage::Reply { outcome: Err(error), .. }) => {
                self.router.received(&body);
                McpError::Rpc(error)
            }
            _ => McpError::Status { status, body: quote(&body) },
        }
    }

    fn state(&self) -> MutexGuard<'_, HttpState> {
        lock(&self.state)
    }
}

impl HttpState {
    fn stop_listening(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.abort();
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.state().stop_listening();
    }
}

pub(super) fn failed(error: HttpError) -> McpError {
    match error {
        HttpError::TooLarge(limit) => McpError::TooMuch { what: "bytes in one message", limit },
        error => McpError::Http(error.to_string()),
    }
}

/// Whether an error is about sessions. Many servers follow an SDK example that uses the wrong status for a lost
/// session.
fn speaks_of_sessions(error: &McpError) -> bool {
    matches!(error, McpError::Rpc(error) if error.message.to_ascii_lowercase().contains("session"))
}

fn refused(incoming: &Incoming) -> McpError {
    McpError::Unauthorized(format!("the server answered with status {}", incoming.status))
}
