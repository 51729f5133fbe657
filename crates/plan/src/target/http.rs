//! A server that is asked over plain HTTP and answers with text.

use std::path::PathBuf;
use std::time::Duration;

use crate::{CommandPart, Data, OutputRule, Strictness, Text};
use agentci_source::{Span, Spanned};

/// A server that is asked over plain HTTP and answers with text: whole, as lines of JSON, or as server-sent events.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpTarget {
    /// Where questions are posted.
    pub url: Spanned<Text>,
    /// Headers beside the usual ones, which they override.
    pub headers: Vec<(String, Text)>,
    /// The body of a question; what goes into the turn when absent. A text that is `${INPUT}` or `${INPUT.name}` and nothing
    /// else stands for the value that goes into the turn, or for a part of it, whatever its type.
    pub body: Option<Data>,
    /// Where the text is in each JSON value of an answer, as a JSON pointer; the usual places are looked at when absent.
    pub answer: Option<Spanned<String>>,
    /// Which server-sent events are text.
    pub events: TextEvents,
    /// The outcome of an answer that is not what its `content-type` or its stream format says, where it can be read all the same.
    pub protocol: Strictness,
    /// How long one question may take, from sending it to the end of the answer.
    pub timeout: Duration,
    /// The program that is the server, where the run starts it itself, once for all cases that share it.
    pub server: Option<HttpServer>,
    /// Whether it must put something out.
    pub output: OutputRule,
    /// Where the suite says so.
    pub span: Span,
}

/// Which server-sent events of an answer are text, by their kinds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TextEvents {
    /// Those with a usual name, in a stream of no known format.
    #[default]
    Usual,
    /// All that carry text, in a stream of no known format.
    All,
    /// Those of these kinds, whatever the format of the stream. Events without a kind are of the kind `message`.
    Named(Vec<String>),
}

/// The program that is a server.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpServer {
    /// The program and its arguments, at least one part.
    pub command: Vec<CommandPart>,
    /// Its working folder; the caller's own when absent.
    pub folder: Option<PathBuf>,
    /// Environment variables it gets beside the inherited ones and those that lead it to its tools.
    pub environment: Vec<(String, Text)>,
    /// What answers once it is ready, with any status; a connection to the target's own address will do when absent.
    pub ready: Option<Spanned<Text>>,
    /// How long it may take to be ready.
    pub patience: Duration,
    /// Where the suite says that one program serves all cases although their tools are played. Otherwise it is started for each
    /// of them if its address has a free port, and a call that comes late cannot be taken for one of the next case.
    pub shared: Option<Span>,
    /// Where the suite says so.
    pub span: Span,
}

impl HttpTarget {
    /// Whether each question tells the server where the scripted model of its case is, so that it can serve several cases.
    pub fn tells_of_model(&self) -> bool {
        self.tells_of("MODEL.")
    }

    /// Whether each question tells the server where the MCP servers of its case are.
    pub fn tells_of_mcp(&self) -> bool {
        self.tells_of("MCP.")
    }

    /// Whether each question has a variable of this group.
    fn tells_of(&self, group: &str) -> bool {
        let of_group = |name: &str| name.starts_with(group);
        let in_headers = self.headers.iter().any(|(_, value)| value.variables().any(of_group));
        let in_body = self.body.as_ref().is_some_and(|body| body.variables().iter().any(|name| of_group(name)));
        in_headers || in_body || self.url.value.variables().any(of_group)
    }

    /// How long a question may take where nothing says so.
    pub const TIMEOUT: Duration = Duration::from_mins(1);
    /// The outcome of an answer that is not what it says it is, where nothing says so.
    pub const PROTOCOL: Strictness = Strictness::Fail;
}

impl HttpServer {
    /// How long a server may take to be ready where nothing says so.
    pub const PATIENCE: Duration = Duration::from_secs(30);
}
