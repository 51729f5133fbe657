//! Converts exceptions of the engine into errors with a message and a place in the file.

use agentci_text::excerpt;
use rquickjs::{CaughtError, Ctx, Error, Value};

use crate::ScriptError;
use crate::code::{NAME, ReadyCode};
use crate::surrogates::without_halves;

/// The longest message that is kept, in characters.
const SHOWN: usize = 2_000;

/// Converts an error of the engine; `memory` is the limit to report if it was exceeded.
pub(crate) fn thrown(ctx: &Ctx<'_>, error: Error, code: &ReadyCode, memory: usize) -> ScriptError {
    match CaughtError::from_error(ctx, error) {
        CaughtError::Error(error) => ScriptError::Engine(error.to_string()),
        CaughtError::Exception(exception) => {
            let property = |name| exception.as_object().get(name).ok().and_then(|string| text_of(ctx, string));
            let text = exception.message().or_else(|| property("message")).unwrap_or_default();
            let name = property("name").unwrap_or_default();
            if name == "InternalError" && text == "out of memory" {
                return ScriptError::TooMuchMemory(memory);
            }
            let place = exception.stack().and_then(|stack| place(&stack, code));
            let message = denied(&name, &text).unwrap_or_else(|| match (name.as_str(), text.as_str()) {
                ("", text) => text.to_owned(),
                (name, "") => name.to_owned(),
                (name, text) => format!("{name}: {text}"),
            });
            ScriptError::Thrown { message: excerpt(&message, SHOWN).into_owned(), place }
        }
        // There was not even memory for an exception.
        CaughtError::Value(value) if value.is_null() => ScriptError::TooMuchMemory(memory),
        CaughtError::Value(value) => {
            ScriptError::Thrown { message: excerpt(&say(ctx, value), SHOWN).into_owned(), place: None }
        }
    }
}

/// The text of a thrown value that is not an error.
fn say<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> String {
    if let Some(text) = value.as_string().and_then(|string| text_of(ctx, string.clone())) {
        return text;
    }
    let text = ctx.json_stringify(value).ok().flatten().and_then(|text| text.to_string().ok());
    text.unwrap_or_else(|| "a value that is not an error".into())
}

/// A string of the engine, in which a replacement character is in the place of half a character.
fn text_of<'js>(ctx: &Ctx<'js>, string: rquickjs::String<'js>) -> Option<String> {
    string.to_string().ok().or_else(|| {
        let json = ctx.json_stringify(string).ok()??.to_string().ok()?;
        serde_json::from_str(&without_halves(&json)).ok()
    })
}

/// The first place of a stack that is in the file: `at Check (script:3:7)`.
fn place(stack: &str, code: &ReadyCode) -> Option<(u32, u32)> {
    let mark = format!("{NAME}:");
    stack.lines().find_map(|line| {
        let (_, at) = line.rsplit_once(mark.as_str())?;
        let mut numbers = at.trim_end_matches(')').split(':').map(str::parse);
        let (Some(Ok(line)), column) = (numbers.next(), numbers.next()) else { return None };
        code.original(line, column.and_then(Result::ok).unwrap_or(1))
    })
}

/// The message for a global that scripts have no access to.
fn denied(name: &str, message: &str) -> Option<String> {
    if name != "ReferenceError" {
        return None;
    }
    if message.starts_with("could not load module") {
        return Some("functions cannot import another file: they have no access to files".into());
    }
    let wanted = message.strip_suffix(" is not defined")?;
    let (_, what) = DENIED.iter().find(|(known, _)| *known == wanted)?;
    Some(format!("`{wanted}` is not available: functions have no access to {what}"))
}

const DENIED: [(&str, &str); 23] = [
    ("Bun", "files, network and processes"),
    ("Deno", "files, network and processes"),
    ("EventSource", "the network"),
    ("Exec", "processes"),
    ("FS", "files"),
    ("Plan", "processes"),
    ("Process", "processes"),
    ("Query", "databases"),
    ("Store", "stores"),
    ("WebSocket", "the network"),
    ("Worker", "processes"),
    ("XMLHttpRequest", "the network"),
    ("__dirname", "files"),
    ("__filename", "files"),
    ("fetch", "the network"),
    ("fs", "files"),
    ("http", "the network"),
    ("log", "a log; `console` exists and prints nothing"),
    ("process", "processes and the environment"),
    ("require", "other files"),
    ("setImmediate", "timers"),
    ("setInterval", "timers"),
    ("setTimeout", "timers"),
];
