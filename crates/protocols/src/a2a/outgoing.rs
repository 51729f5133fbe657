//! Builds requests to an agent.

use agentci_text::percent_encoded;
use serde_json::{Map, Value, json};

use super::card::{A2aProtocol, A2aVersion, Binding, Interface};
use super::part::A2aPart;

/// A message to an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutgoingMessage {
    /// Its content.
    pub parts: Vec<A2aPart>,
    /// The context, if the agent or the suite named one.
    pub context: Option<String>,
    /// The task that it continues, if one waits for it.
    pub task: Option<String>,
    /// Additional metadata.
    pub metadata: Option<Value>,
    /// The accepted media types of the answer.
    pub accepted: Vec<String>,
}

impl OutgoingMessage {
    /// Combines the user messages of a turn into one message, with a part for each.
    pub fn of_messages(messages: &[Value]) -> Result<Self, String> {
        let mut parts = Vec::with_capacity(messages.len());
        for message in messages {
            let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
            if role != "user" {
                return Err(format!(
                    "an A2A agent accepts only user messages, found one with the role `{}`",
                    role.escape_debug()
                ));
            }
            let Some(content) = message.get("content").and_then(Value::as_str) else {
                return Err("an A2A agent accepts only user messages whose `content` is text".into());
            };
            parts.push(A2aPart::text(content));
        }
        Ok(OutgoingMessage { parts, ..OutgoingMessage::default() })
    }

    /// Reads the arguments of `a2a:send`.
    pub fn of_action(arguments: &Value) -> Result<Self, String> {
        let Some(map) = arguments.as_object() else { return Err("`a2a:send` must be a mapping".into()) };
        let text = |key: &str, value: &Value| {
            value.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` of `a2a:send` must be a string"))
        };
        let mut message = OutgoingMessage::default();
        let mut parts = Vec::new();
        for (key, value) in map {
            match key.as_str() {
                "message" => message.parts.push(A2aPart::text(text(key, value)?)),
                "parts" => {
                    let items = value.as_array().ok_or("`parts` of `a2a:send` must be a list")?;
                    parts = items.iter().map(A2aPart::written).collect::<Result<_, _>>()?;
                }
                "metadata" => {
                    let metadata = Some(value.clone()).filter(Value::is_object);
                    message.metadata = Some(metadata.ok_or("`metadata` of `a2a:send` must be a mapping")?);
                }
                "contextId" => message.context = Some(text(key, value)?),
                "taskId" => message.task = Some(text(key, value)?),
                other => return Err(format!("unknown key `{}` in `a2a:send`", other.escape_debug())),
            }
        }
        message.parts.extend(parts);
        if message.parts.is_empty() {
            return Err("`a2a:send` sends nothing: set `message` or `parts`".into());
        }
        Ok(message)
    }
}

/// A call to an agent.
#[derive(Debug, Clone, Copy)]
pub enum A2aCall<'c> {
    /// Sends a message; the agent answers once, immediately or when the task is done.
    Send {
        message: &'c OutgoingMessage,
        /// Whether the agent answers without waiting for the task.
        immediately: bool,
    },
    /// Sends a message; the agent streams its answer.
    Stream(&'c OutgoingMessage),
    /// Gets a task.
    Get(&'c str),
    /// Streams the updates of a task.
    Subscribe(&'c str),
}

/// The HTTP method of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum A2aMethod {
    Post,
    Get,
}

/// A call as an HTTP request.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedCall {
    pub url: String,
    pub method: A2aMethod,
    /// The headers of the protocol.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: String,
    /// The identity by which a replay finds the call.
    pub identity: Value,
}

impl A2aCall<'_> {
    /// Whether the answer is a stream.
    pub fn streams(self) -> bool {
        matches!(self, A2aCall::Stream(_) | A2aCall::Subscribe(_))
    }

    /// Builds the request for an interface. `fresh` generates ids.
    pub fn prepare(self, interface: &Interface, fresh: &mut dyn FnMut() -> String) -> PreparedCall {
        let A2aProtocol { version, binding } = interface.protocol;
        let accept = if self.streams() { "text/event-stream" } else { "application/json" };
        let mut headers = vec![("accept".to_owned(), accept.to_owned())];
        headers.push(("a2a-version".into(), version.header().into()));
        let identity = self.identity();
        let (url, method, body) = match binding {
            Binding::JsonRpc => {
                let mut params = self.params(interface.protocol, fresh);
                if let Some(tenant) = &interface.tenant {
                    params.insert("tenant".into(), json!(tenant));
                }
                let id = fresh();
                let body = json!({ "jsonrpc": "2.0", "id": id, "method": self.method(version), "params": params });
                (interface.url.clone(), A2aMethod::Post, body.to_string())
            }
            Binding::Rest => {
                let (method, body) = match self {
                    A2aCall::Send { .. } | A2aCall::Stream(_) => {
                        (A2aMethod::Post, Value::Object(self.params(interface.protocol, fresh)).to_string())
                    }
                    A2aCall::Get(_) => (A2aMethod::Get, String::new()),
                    A2aCall::Subscribe(_) => (A2aMethod::Post, String::new()),
                };
                if !body.is_empty() {
                    let media = if version == A2aVersion::V1 { "application/a2a+json" } else { "application/json" };
                    headers.push(("content-type".into(), media.into()));
                }
                (self.address(interface), method, body)
            }
        };
        PreparedCall { url, method, headers, body, identity }
    }

    fn method(self, version: A2aVersion) -> &'static str {
        match (self, version) {
            (A2aCall::Send { .. }, A2aVersion::V1) => "SendMessage",
            (A2aCall::Send { .. }, A2aVersion::V03) => "message/send",
            (A2aCall::Stream(_), A2aVersion::V1) => "SendStreamingMessage",
            (A2aCall::Stream(_), A2aVersion::V03) => "message/stream",
            (A2aCall::Get(_), A2aVersion::V1) => "GetTask",
            (A2aCall::Get(_), A2aVersion::V03) => "tasks/get",
            (A2aCall::Subscribe(_), A2aVersion::V1) => "SubscribeToTask",
            (A2aCall::Subscribe(_), A2aVersion::V03) => "tasks/resubscribe",
        }
    }

    fn params(self, protocol: A2aProtocol, fresh: &mut dyn FnMut() -> String) -> Map<String, Value> {
        let (message, immediately) = match self {
            A2aCall::Send { message, immediately } => (message, immediately),
            A2aCall::Stream(message) => (message, false),
            A2aCall::Get(task) | A2aCall::Subscribe(task) => return Map::from_iter([("id".to_owned(), json!(task))]),
        };
        let mut configuration = Map::new();
        if !message.accepted.is_empty() {
            configuration.insert("acceptedOutputModes".into(), json!(message.accepted));
        }
        match protocol.version {
            A2aVersion::V1 if immediately => {
                configuration.insert("returnImmediately".into(), json!(true));
            }
            // Not all servers of 0.3 wait by default.
            A2aVersion::V03 if !self.streams() => {
                configuration.insert("blocking".into(), json!(!immediately));
            }
            A2aVersion::V1 | A2aVersion::V03 => {}
        }
        let mut params = Map::from_iter([("message".to_owned(), Value::Object(message.write(protocol, fresh)))]);
        if !configuration.is_empty() {
            params.insert("configuration".into(), Value::Object(configuration));
        }
        params
    }

    /// The URL of the call, including the tenant.
    fn address(self, interface: &Interface) -> String {
        let (base, query) = match interface.url.split_once('?') {
            Some((base, query)) => (base, format!("?{query}")),
            None => (interface.url.as_str(), String::new()),
        };
        let mut url = base.trim_end_matches('/').to_owned();
        if interface.protocol.version == A2aVersion::V03 {
            url.push_str("/v1");
        }
        if let Some(tenant) = &interface.tenant {
            url.push('/');
            url.push_str(&percent_encoded(tenant));
        }
        match self {
            A2aCall::Send { .. } => url.push_str("/message:send"),
            A2aCall::Stream(_) => url.push_str("/message:stream"),
            A2aCall::Get(task) => url.extend(["/tasks/", &percent_encoded(task)]),
            A2aCall::Subscribe(task) => url.extend(["/tasks/", &percent_encoded(task), ":subscribe"]),
        }
        url + &query
    }

    fn identity(self) -> Value {
        match self {
            A2aCall::Send { message, immediately } => message.identity("send", immediately),
            A2aCall::Stream(message) => message.identity("stream", false),
            A2aCall::Get(task) => json!({ "call": "get", "task": task }),
            A2aCall::Subscribe(task) => json!({ "call": "subscribe", "task": task }),
        }
    }
}

impl OutgoingMessage {
    fn write(&self, protocol: A2aProtocol, fresh: &mut dyn FnMut() -> String) -> Map<String, Value> {
        let mut message = Map::from_iter([("messageId".to_owned(), json!(fresh()))]);
        let kinded = protocol == A2aProtocol { version: A2aVersion::V03, binding: Binding::JsonRpc };
        if kinded {
            message.insert("kind".into(), json!("message"));
        }
        message.insert("role".into(), json!(if kinded { "user" } else { "ROLE_USER" }));
        let parts: Vec<Value> = self.parts.iter().map(|part| part.write(protocol)).collect();
        let buffered = protocol == A2aProtocol { version: A2aVersion::V03, binding: Binding::Rest };
        message.insert(if buffered { "content" } else { "parts" }.into(), json!(parts));
        for (key, id) in [("contextId", &self.context), ("taskId", &self.task)] {
            if let Some(id) = id {
                message.insert(key.into(), json!(id));
            }
        }
        if let Some(metadata) = &self.metadata {
            message.insert("metadata".into(), metadata.clone());
        }
        message
    }

    /// The message without its generated id, in the same form for every version and binding.
    fn identity(&self, call: &str, immediately: bool) -> Value {
        let modern = A2aProtocol { version: A2aVersion::V1, binding: Binding::JsonRpc };
        let mut message = self.write(modern, &mut String::new);
        message.shift_remove("messageId");
        message.shift_remove("role");
        let mut identity = json!({ "call": call, "message": message });
        if !self.accepted.is_empty() {
            identity["acceptedOutputModes"] = json!(self.accepted);
        }
        if immediately {
            identity["returnImmediately"] = json!(true);
        }
        identity
    }
}
