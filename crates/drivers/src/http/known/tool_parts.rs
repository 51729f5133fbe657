//! Calls of tools as the streams of the AI SDK tell them: begun, written piece by piece, complete, answered.

use agentci_trace::EventKind;
use serde_json::Value;

use super::called;

/// Calls that are not told yet. A call is told when its result comes or its step ends, since until then its input may come again.
#[derive(Debug, Default)]
pub(super) struct ToolParts {
    open: Vec<OpenToolPart>,
}

#[derive(Debug, Default)]
struct OpenToolPart {
    id: String,
    name: String,
    written: String,
    input: Option<Value>,
}

impl ToolParts {
    pub(super) fn begin(&mut self, id: &str, name: &str) {
        self.named(id, name);
    }

    /// A piece of the input as text.
    pub(super) fn write(&mut self, id: &str, piece: &str) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == id) {
            open.written.push_str(piece);
        }
    }

    /// The whole input.
    pub(super) fn input(&mut self, id: &str, name: &str, input: Value) {
        self.named(id, name).input = Some(input);
    }

    /// A result, after the call it belongs to.
    pub(super) fn result(&mut self, id: &str, result: EventKind, out: &mut Vec<EventKind>) {
        let call = self.open.iter().position(|open| open.id == id).map(|at| self.open.remove(at));
        out.extend(call.and_then(OpenToolPart::told).into_iter().chain([result]));
    }

    /// The calls that nothing more is said about.
    pub(super) fn flush(&mut self, out: &mut Vec<EventKind>) {
        out.extend(self.open.drain(..).filter_map(OpenToolPart::told));
    }

    fn named(&mut self, id: &str, name: &str) -> &mut OpenToolPart {
        let at = self.open.iter().position(|open| open.id == id).unwrap_or_else(|| {
            self.open.push(OpenToolPart { id: id.to_owned(), ..OpenToolPart::default() });
            self.open.len() - 1
        });
        let open = &mut self.open[at];
        if !name.is_empty() {
            name.clone_into(&mut open.name);
        }
        open
    }
}

impl OpenToolPart {
    /// The call, if its input is complete.
    fn told(self) -> Option<EventKind> {
        let input = self.input.or_else(|| serde_json::from_str(&self.written).ok())?;
        Some(called(&self.id, &self.name, input))
    }
}
