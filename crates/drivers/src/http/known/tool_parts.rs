//! Tool calls in streams of the AI SDK: started, streamed, complete, answered.

use agentci_trace::EventKind;
use serde_json::Value;

use super::called;

/// Pending calls. A call is emitted with its result or at the end of its step, because its input may be sent again
/// until then.
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

    /// Adds a piece of the input.
    pub(super) fn write(&mut self, id: &str, piece: &str) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == id) {
            open.written.push_str(piece);
        }
    }

    /// Sets the whole input.
    pub(super) fn input(&mut self, id: &str, name: &str, input: Value) {
        self.named(id, name).input = Some(input);
    }

    /// Emits a result, after its call.
    pub(super) fn result(&mut self, id: &str, result: EventKind, out: &mut Vec<EventKind>) {
        let call = self.open.iter().position(|open| open.id == id).map(|at| self.open.remove(at));
        out.extend(call.and_then(OpenToolPart::told).into_iter().chain([result]));
    }

    /// Emits all pending calls.
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
