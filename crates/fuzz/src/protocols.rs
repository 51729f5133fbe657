//! Messages of agents and servers.

use agentci_drivers::fuzzing;
use agentci_protocols::{a2a, agui};
use agentci_trace::Moment;
use serde_json::Value;

pub(crate) fn process(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        fuzzing::process_line(line);
    }
}

/// Each line is the data of an event.
pub(crate) fn agui(bytes: &[u8]) {
    for method in [agui::AguiMethod::Run, agui::AguiMethod::Connect] {
        let mut conversation = agui::AguiThread::new("thread".into(), None, Vec::new(), None);
        let mut reader = agui::AguiReader::new(method, "run", &mut conversation);
        for line in String::from_utf8_lossy(bytes).lines() {
            if reader.event(line, Moment::default(), &mut conversation).is_err() {
                break;
            }
        }
        reader.end(Moment::default(), &mut conversation);
        conversation.run_input("next", None);
    }
}

/// The first line is a card, the others are items.
pub(crate) fn a2a(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut values = text.lines().map(serde_json::from_str::<Value>);
    if let Some(Ok(card)) = values.next() {
        let _ = a2a::Card::read(&card);
        let _ = a2a::A2aRefusal::of(&card);
    }
    let values: Vec<Value> = values.flatten().collect();
    for interface in ["http://127.0.0.1:1/"].map(a2a::Interface::bare) {
        let mut conversation = a2a::A2aConversation::new(None);
        let mut reader = a2a::A2aReader::default();
        for value in &values {
            if reader.item(value, interface.protocol, &mut conversation).is_err() {
                break;
            }
        }
        reader.ending(&conversation);
        reader.end(&mut conversation);
    }
    a2a::A2aRefusal::http(500, bytes);
}

pub(crate) fn mcp(bytes: &[u8]) {
    agentci_mcp::fuzzing::arrive(bytes);
}

/// The first byte selects the format of the answer, and its API.
pub(crate) fn chat(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    fuzzing::chat_answer(first & 1 == 0, first & 2 == 0, &String::from_utf8_lossy(rest));
    fuzzing::http_answer(rest);
}
