//! Interrupts of an agent, and the answers to them.

use serde_json::{Map, Value, json};

use super::fields::quote;
use super::lint::QuotedName;
use super::message::{self, text};

/// A question that must be answered before the agent continues.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupt {
    /// The id; generated if there is none, as with agents on `LangGraph`.
    pub id: String,
    /// The agent's reason; may be empty.
    pub reason: String,
    /// The whole interrupt.
    pub value: Value,
    /// Whether it is `LangGraph`'s custom event, which is answered in another field.
    pub custom: bool,
}

/// Answers to every open interrupt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resume {
    /// The value of `resume`.
    pub entries: Vec<Value>,
    /// The value of `forwardedProps.command.resume`.
    pub command: Option<Value>,
}

/// Reads interrupts from the outcome of a run; the error is the name of the invalid field.
pub(super) fn interrupts(list: Vec<Value>) -> Result<Vec<Interrupt>, &'static str> {
    let read = |value: Value| {
        let id = value.get("id").and_then(Value::as_str).ok_or("outcome.interrupts[].id")?.to_owned();
        let words = [text(&value, "message"), text(&value, "reason")].into_iter().find(|words| !words.is_empty());
        let reason = words.unwrap_or_default().to_owned();
        Ok(Interrupt { id, reason, value, custom: false })
    };
    list.into_iter().map(read).collect()
}

/// Reads the interrupt in `LangGraph`'s custom event. Its value is often JSON within a string.
pub(super) fn custom(value: Value, raw: Option<&Value>, earlier: usize) -> Interrupt {
    let value = match value {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    let id = raw.map(|raw| text(raw, "id")).filter(|id| !id.is_empty());
    let made_up = if earlier == 0 { "on_interrupt".into() } else { format!("on_interrupt-{}", earlier + 1) };
    let id = id.map_or(made_up, str::to_owned);
    let reason = match &value {
        Value::String(text) => text.clone(),
        other => [text(other, "message"), text(other, "reason")].concat(),
    };
    Interrupt { id, reason, value, custom: true }
}

/// Reads the answers to the open interrupts from the arguments of a turn.
pub(super) fn resume(open: &[Interrupt], arguments: &Value) -> Result<Resume, String> {
    if open.is_empty() {
        return Err("no interrupt is open: resume only after a run that ended with one".into());
    }
    let known = |map: &Map<String, Value>, keys: &[&str], of: &str| match map
        .keys()
        .find(|key| !keys.contains(&key.as_str()))
    {
        Some(key) => Err(format!("unknown key {} in {of}; known keys: `{}`", QuotedName(key), keys.join("`, `"))),
        None => Ok(()),
    };
    let Some(arguments) = arguments.as_object() else {
        return Err("`agui:resume` takes `resume`, a mapping by interrupt id, or one `payload` for all".into());
    };
    known(arguments, &["resume", "payload", "status"], "`agui:resume`")?;
    let Some(answers) = arguments.get("resume") else {
        return collect(open.iter().map(|interrupt| (interrupt, arguments)));
    };
    let Some(answers) = answers.as_object().filter(|_| arguments.len() == 1) else {
        return Err("`resume` must be a mapping by interrupt id, without other keys next to it".into());
    };
    for (id, answer) in answers {
        if !open.iter().any(|interrupt| interrupt.id == *id) {
            return Err(format!("interrupt {} is not open; open: {}", QuotedName(id), names(open)));
        }
        let of = format!("the answer to {}", QuotedName(id));
        let Some(answer) = answer.as_object() else {
            return Err(format!("{of} must be a mapping with `payload` or `status`"));
        };
        known(answer, &["payload", "status"], &of)?;
    }
    let missing: Vec<Interrupt> =
        open.iter().filter(|interrupt| !answers.contains_key(&interrupt.id)).cloned().collect();
    if !missing.is_empty() {
        return Err(format!("every open interrupt needs an answer; missing: {}", names(&missing)));
    }
    collect(open.iter().filter_map(|interrupt| Some((interrupt, answers.get(&interrupt.id)?.as_object()?))))
}

fn collect<'a>(answers: impl Iterator<Item = (&'a Interrupt, &'a Map<String, Value>)>) -> Result<Resume, String> {
    let mut entries = Vec::new();
    let mut commands = Map::new();
    for (interrupt, answer) in answers {
        let name = QuotedName(&interrupt.id);
        let status = match answer.get("status") {
            None => "resolved",
            Some(status) => match status.as_str() {
                Some(status @ ("resolved" | "cancelled")) => status,
                _ => return Err(format!("the status of {name} must be `resolved` or `cancelled`")),
            },
        };
        let payload = answer.get("payload").filter(|payload| !payload.is_null());
        if !interrupt.custom {
            let mut entry = json!({ "interruptId": interrupt.id, "status": status });
            if let (Some(payload), "resolved") = (payload, status) {
                message::set(&mut entry, "payload", Some(payload.clone()));
            }
            entries.push(entry);
        } else if let (Some(payload), "resolved") = (payload, status) {
            commands.insert(interrupt.id.clone(), payload.clone());
        } else {
            return Err(format!("{name} came as a custom event and can only be answered with a `payload`"));
        }
    }
    // LangGraph expects a single answer as it is, and several by interrupt id.
    let command = match commands.len() {
        0 => None,
        1 => commands.into_iter().next().map(|(_, payload)| payload),
        _ => Some(Value::Object(commands)),
    };
    Ok(Resume { entries, command })
}

/// Lists interrupts by id and reason.
pub fn names(open: &[Interrupt]) -> String {
    let name = |interrupt: &Interrupt| match interrupt.reason.as_str() {
        "" => QuotedName(&interrupt.id).to_string(),
        reason => format!("{} ({})", QuotedName(&interrupt.id), quote(reason, 80)),
    };
    open.iter().map(name).collect::<Vec<_>>().join(", ")
}
