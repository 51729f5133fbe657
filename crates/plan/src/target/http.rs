//! A target that is a server called over plain HTTP, which answers with text.

use std::path::PathBuf;
use std::time::Duration;

use crate::{CommandPart, Data, OutputRule, Strictness, Text};
use agentci_source::{Span, Spanned};

/// A server that is called over plain HTTP and answers with text: whole, as JSON lines, or as server-sent events.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpTarget {
    /// The URL that requests are posted to.
    pub url: Spanned<Text>,
    /// Headers in addition to the usual ones, which they override.
    pub headers: Vec<(String, Text)>,
    /// The request body; the input of the turn when absent. A string that is exactly `${INPUT}` or `${INPUT.name}` is
    /// replaced by the input of the turn or a part of it, with its type.
    pub body: Option<Data>,
    /// The JSON pointer to the text in each JSON value of an answer; the usual places are searched when absent.
    pub answer: Option<Spanned<String>>,
    /// Which server-sent events are text.
    pub events: TextEvents,
    /// How to treat an answer that does not match its `content-type` or its stream format but can still be read.
    pub protocol: Strictness,
    /// The timeout of one request, from sending it to the end of the answer.
    pub timeout: Duration,
    /// The server program, if agentci starts it, once for all cases that share it.
    pub server: Option<HttpServer>,
    /// Whether it must produce output.
    pub output: OutputRule,
    /// Where the suite sets it.
    pub span: Span,
}

/// Which server-sent events of an answer are text, by their kinds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TextEvents {
    /// Those with a usual name, in a stream of unknown format.
    #[default]
    Usual,
    /// All that carry text, in a stream of unknown format.
    All,
    /// Those of these kinds, in a stream of any format. Events without a kind are of the kind `message`.
    Named(Vec<String>),
}

/// A server program.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpServer {
    /// The program and its arguments, at least one part.
    pub command: Vec<CommandPart>,
    /// Its working directory; the caller's own when absent.
    pub folder: Option<PathBuf>,
    /// Environment variables in addition to the inherited ones and those that point it at its tools.
    pub environment: Vec<(String, Text)>,
    /// A URL that answers, with any status, once the program is ready; when absent, the target's own URL must accept
    /// connections.
    pub ready: Option<Spanned<Text>>,
    /// The startup timeout.
    pub patience: Duration,
    /// Where the suite sets that one program serves all cases even if their tools are mocked. By default, a program is
    /// started for each of them if its URL has a free port, so that a late call cannot be mistaken for one of the next
    /// case.
    pub shared: Option<Span>,
    /// Where the suite sets it.
    pub span: Span,
}

impl HttpTarget {
    /// Whether each request carries the URL of its case's scripted model, so that the server can serve several cases.
    pub fn tells_of_model(&self) -> bool {
        self.tells_of("MODEL.")
    }

    /// Whether each request carries the URLs of its case's MCP servers.
    pub fn tells_of_mcp(&self) -> bool {
        self.tells_of("MCP.")
    }

    /// Whether each request contains a variable of this group.
    fn tells_of(&self, group: &str) -> bool {
        let of_group = |name: &str| name.starts_with(group);
        let in_headers = self.headers.iter().any(|(_, value)| value.variables().any(of_group));
        let in_body = self.body.as_ref().is_some_and(|body| body.variables().iter().any(|name| of_group(name)));
        in_headers || in_body || self.url.value.variables().any(of_group)
    }

    /// The default timeout of a request.
    pub const TIMEOUT: Duration = Duration::from_mins(1);
    /// The default treatment of an answer that does not match its declared format.
    pub const PROTOCOL: Strictness = Strictness::Fail;
}

impl HttpServer {
    /// The default startup timeout of a server.
    pub const PATIENCE: Duration = Duration::from_secs(30);
}
