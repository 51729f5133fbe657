//! Protocol violations of a server that do not make anything fail.

use std::fmt;

/// The length of an excerpt of an invalid line, in bytes.
const QUOTED: usize = 200;

/// A protocol violation that was ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// The kind of violation.
    pub fault: McpFault,
    pub reason: String,
    /// An excerpt of the message.
    pub quote: String,
}

/// The kind of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpFault {
    /// A line on the server's standard output, or an event of its stream, is not a message.
    Noise,
    /// An answer to an unknown request.
    UnknownReply,
    /// The server sent a request while no call was in progress, or one that is not allowed.
    UnwantedRequest,
    /// The definition of a tool is invalid, so the tool is left out of the list.
    InvalidTool,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.fault {
            McpFault::Noise => "the server wrote something that is not a message",
            McpFault::UnknownReply => "the server answered a request that was never sent",
            McpFault::UnwantedRequest => "the server sent a request that is not allowed",
            McpFault::InvalidTool => "the server has a tool with an invalid definition",
        };
        write!(f, "{what} ({}): `{}`", self.reason, self.quote)
    }
}

/// An excerpt of bytes as one line of text.
pub fn quote(bytes: &[u8]) -> String {
    let cut = bytes.len() > QUOTED;
    let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(QUOTED)]);
    let mut text: String = beginning.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.truncate(text.trim_end().len());
    if cut {
        text.push_str(" [cut]");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_short_and_on_one_line() {
        assert_eq!(quote(b"\x1b[31mred\r\n"), " [31mred");
        assert_eq!(quote("é".repeat(5_000).as_bytes()).chars().count(), 100 + " [cut]".len());
    }
}
