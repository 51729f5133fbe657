//! What a server does wrong without anything failing because of it.

use std::fmt;

/// How much of an offending line is shown.
const QUOTED: usize = 200;

/// Something that the protocol does not allow, which was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// What it is.
    pub fault: McpFault,
    /// Why it is one.
    pub reason: String,
    /// The beginning of what was sent.
    pub quote: String,
}

/// The kinds of defects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpFault {
    /// A line on the server's standard output, or an event of its stream, is no message.
    Noise,
    /// An answer to nothing that was asked.
    UnknownReply,
    /// The server asked for something when no call was under way, or for something it may not ask for.
    UnwantedRequest,
    /// A tool's definition breaks the rules, so the tool is left out of the list.
    InvalidTool,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.fault {
            McpFault::Noise => "the server wrote something that is no message",
            McpFault::UnknownReply => "the server answered what was not asked",
            McpFault::UnwantedRequest => "the server asked for what it can not have",
            McpFault::InvalidTool => "the server has a tool whose definition is not allowed",
        };
        write!(f, "{what} ({}): `{}`", self.reason, self.quote)
    }
}

/// The beginning of some bytes as text on one line.
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
