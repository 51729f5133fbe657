//! The keys that answers of routed tools have in all dialects: `name`, `method`, `status`, `headers`.

use agentci_source::shape::{Field, Kind, optional};
use agentci_source::{Diagnostics, Node, Pair, Reader, Spanned, read};

use crate::quantity::whole_in;

/// The default status of an answer.
pub(crate) const USUAL_STATUS: u16 = 200;

const LONGEST_DELAY_MS: u64 = 600_000;

/// The keys that all dialects have.
pub(crate) static MANNER: &[Field] = &[
    optional("name", Kind::Text, "The name of the answer in reports."),
    optional("method", Kind::Like("^[A-Za-z-]+$"), "The HTTP method to match. Default: any method."),
    optional("status", Kind::Whole(200, 599), "The status of the answer. Default: 200."),
    optional("headers", Kind::Map(&Kind::Word), "Headers of the answer."),
];

/// The keys of an answer other than its request and its content.
pub(crate) struct FixtureManner {
    pub(crate) name: Option<String>,
    pub(crate) method: Option<String>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

/// Reads the keys that all dialects have.
pub(crate) fn read_manner(fields: &mut Reader<'_, '_>) -> FixtureManner {
    FixtureManner {
        name: fields.text("name"),
        method: fields.optional("method", method),
        status: fields.optional("status", status).unwrap_or(USUAL_STATUS),
        headers: fields.or_default("headers", headers),
    }
}

/// Reads a tool's name, which is also the path of its requests.
pub(crate) fn read_tool_id(pair: &Pair, problems: &mut Diagnostics) -> Option<Spanned<String>> {
    let id = pair.key.text.as_str();
    let reason = if id.is_empty() {
        "it is empty"
    } else if id.starts_with('/') || id.ends_with('/') {
        "it begins or ends with a slash"
    } else if id.starts_with("__") {
        "paths that begin with `__` are reserved for the server"
    } else if id.contains(char::is_control) || id.split('/').any(|part| matches!(part, "" | "." | "..")) {
        "it has a control character, or a segment that is empty, `.` or `..`"
    } else {
        return Some(Spanned::new(id.to_owned(), pair.key.span));
    };
    let message = format!("`{}` cannot be the name of a tool: {reason}", id.escape_debug());
    let help = "write the tool's id as the agent is configured with it, such as `paySlips` for `/paySlips`";
    problems.error(pair.key.span, message, "becomes a URL path").help(help);
    None
}

/// Refuses a delay above the limit.
pub(crate) fn check_delay(milliseconds: u64, node: &Node, name: &str, problems: &mut Diagnostics) -> Option<u64> {
    if milliseconds <= LONGEST_DELAY_MS {
        return Some(milliseconds);
    }
    problems.mismatch(node, format_args!("`{name}` must be ten minutes or less"), "too long");
    None
}

fn method(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<String> {
    let method = read::text(node, name, problems)?;
    if !method.is_empty() && method.chars().all(|c| c.is_ascii_alphabetic() || c == '-') {
        return Some(method.to_ascii_uppercase());
    }
    let help = "write a method such as `GET` or `POST`";
    problems.mismatch(node, "`method` must be an HTTP method", "not an HTTP method").help(help);
    None
}

fn status(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<u16> {
    whole_in(200..=599, node, name, "not a response status", problems)
}

fn headers(node: &Node, problems: &mut Diagnostics) -> Vec<(String, String)> {
    let pairs = read::pairs(node, "`headers`", "`Name: text`", problems);
    pairs.iter().filter_map(|pair| header(pair, problems)).collect()
}

fn header(pair: &Pair, problems: &mut Diagnostics) -> Option<(String, String)> {
    let name = pair.key.text.as_str();
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        let message = format!("`{}` cannot be the name of a header", name.escape_debug());
        problems.error(pair.key.span, message, "cannot be sent").help("header names have letters, digits and `-`");
        return None;
    }
    let value = pair.value.scalar().filter(|scalar| !scalar.is_null()).map(|scalar| scalar.text.to_string());
    let sendable = value.filter(|value| !value.chars().any(|c| c.is_control() && c != '\t'));
    if sendable.is_none() {
        let message = format!("the header `{name}` must be a string on one line, found {}", pair.value.describe());
        problems.error(pair.value.span, message, "cannot be sent");
    }
    Some((name.to_owned(), sendable?))
}
