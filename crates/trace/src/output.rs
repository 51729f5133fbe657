//! The output of the agent, as text and as data: the only place that defines "the output".
//!
//! A turn's output is its last [`FinalOutput`](EventKind::FinalOutput) and the text that was sent in it. The output of
//! a case is that of its last turn, whatever the target. Checks of data use [`Output::value`], checks of text use
//! [`Output::text`] and [`Output::spellings`], and checks that forbid something use [`Output::everything`] of all
//! turns, so that data cannot hide behind text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::scalars::{DataLeaf, leaves};
use crate::{EventKind, Trace};

/// The output of one turn or of several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output<'t> {
    turns: Vec<TurnOutput<'t>>,
    /// The strings in the agent's input. Additional data that repeats one of them reveals nothing.
    given: BTreeSet<&'t str>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct TurnOutput<'t> {
    words: Option<String>,
    data: Option<&'t Value>,
    beside: Vec<&'t Value>,
}

impl Trace {
    /// The output of the last turn.
    pub fn output(&self) -> Output<'_> {
        let last = self.events().last().map(|event| event.turn);
        self.output_where(|turn| Some(turn) == last)
    }

    /// The output of all turns.
    pub fn conversation(&self) -> Output<'_> {
        self.output_where(|_| true)
    }

    fn output_where(&self, counts: impl Fn(u32) -> bool) -> Output<'_> {
        let mut turns: Vec<TurnOutput<'_>> = Vec::new();
        let mut last = None;
        let inputs = self.events().iter().filter_map(|event| match &event.kind {
            EventKind::TurnStart(input) => Some(input),
            _ => None,
        });
        let given = inputs.flat_map(|input| leaves(input)).filter_map(|leaf| leaf.value.as_str()).collect();
        for event in self.events().iter().filter(|event| counts(event.turn)) {
            if last != Some(event.turn) {
                turns.push(TurnOutput::default());
                last = Some(event.turn);
            }
            let Some(turn) = turns.last_mut() else { continue };
            match &event.kind {
                EventKind::Text(part) => turn.words.get_or_insert_default().push_str(part),
                EventKind::TextTakenBack => turn.words = None,
                EventKind::FinalOutput(data) => turn.data = Some(data),
                EventKind::Beside(data) => turn.beside.push(data),
                _ => {}
            }
        }
        Output { turns, given }
    }
}

impl<'t> Output<'t> {
    /// The output as text: the text that was sent, or else the data (a string as it is, anything else as compact JSON).
    /// Each turn starts a new line.
    pub fn text(&self) -> String {
        let texts: Vec<Cow<'_, str>> = self.turns.iter().filter_map(TurnOutput::text).collect();
        texts.join("\n")
    }

    /// The output as data: the final output of the last turn, or else its text as a string. `None` if there is neither.
    pub fn value(&self) -> Option<Cow<'t, Value>> {
        let turn = self.turns.last()?;
        match (turn.data, &turn.words) {
            (Some(data), _) => Some(Cow::Borrowed(data)),
            (None, Some(words)) if !words.is_empty() => Some(Cow::Owned(Value::String(words.clone()))),
            (None, _) => None,
        }
    }

    /// All spellings of the [text](Self::text) of the turns. JSON is also included with its escapes resolved: first as
    /// compact JSON, then each string in it.
    pub fn spellings(&self) -> Vec<OutputSpelling> {
        self.turns.iter().flat_map(|turn| turn.spellings(false)).collect()
    }

    /// All spellings of the whole output, including data next to text. Of [additional data](EventKind::Beside) only
    /// strings count, each by itself: field names and measurements are not part of the answer.
    pub fn everything(&self) -> Vec<OutputSpelling> {
        let mut found: Vec<OutputSpelling> = self.turns.iter().flat_map(|turn| turn.spellings(true)).collect();
        for text in self.beside().filter_map(|leaf| leaf.value.as_str()) {
            let first = found.len();
            found.push(OutputSpelling { text: text.to_owned(), is_part: true });
            spell_escaped(text, NESTED, &mut found);
            found.iter_mut().skip(first).for_each(|spelling| spelling.is_part = true);
        }
        found
    }

    /// The strings and numbers of the [additional data](EventKind::Beside), each after the name of its field.
    pub fn named_data(&self) -> Vec<String> {
        let named = self.beside().map(|DataLeaf { name, value }| match value.as_str() {
            Some(text) => format!("{name}: {text}"),
            None => format!("{name}: {value}"),
        });
        named.collect()
    }

    fn beside(&self) -> impl Iterator<Item = DataLeaf<'t>> {
        let all = self.turns.iter().flat_map(|turn| turn.beside.iter().flat_map(|data| leaves(data)));
        all.filter(|leaf| leaf.value.as_str().is_none_or(|text| !self.given.contains(text)))
    }

    /// Whether there is neither text nor data.
    pub fn is_empty(&self) -> bool {
        self.turns.iter().all(|turn| {
            let silent = turn.words.as_ref().is_none_or(|words| words.trim().is_empty());
            silent
                && turn
                    .data
                    .is_none_or(|data| data.is_null() || data.as_str().is_some_and(|text| text.trim().is_empty()))
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSpelling {
    pub text: String,
    /// Whether it is a single string of a larger JSON value.
    pub is_part: bool,
}

impl TurnOutput<'_> {
    fn text(&self) -> Option<Cow<'_, str>> {
        match (&self.words, self.data) {
            (Some(words), _) => Some(Cow::Borrowed(words)),
            (None, Some(Value::String(text))) => Some(Cow::Borrowed(text)),
            (None, Some(data)) => Some(Cow::Owned(data.to_string())),
            (None, None) => None,
        }
    }

    fn spellings(&self, with_data_beside_words: bool) -> Vec<OutputSpelling> {
        let mut found = Vec::new();
        if let Some(words) = &self.words {
            found.push(OutputSpelling { text: words.clone(), is_part: false });
            spell_escaped(words, NESTED, &mut found);
        }
        if let Some(data) = self.data.filter(|_| with_data_beside_words || self.words.is_none()) {
            spell(data, NESTED, &mut found);
        }
        found
    }
}

/// The maximum nesting of JSON within strings of JSON.
const NESTED: usize = 4;

/// Adds the JSON in a text that contains escapes: the whole text, or else each line and each fenced block.
fn spell_escaped(text: &str, nested: usize, found: &mut Vec<OutputSpelling>) {
    if !text.contains('\\') {
        return;
    }
    if let Some(value) = json_value(text) {
        spell(&value, nested, found);
        return;
    }
    let fenced =
        text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').map_or(block, |(_, inside)| inside));
    for value in text.lines().chain(fenced).filter_map(json_value) {
        spell(&value, nested, found);
    }
}

/// Parses a text that is a JSON object, list or string.
fn json_value(text: &str) -> Option<Value> {
    let text = text.trim();
    text.starts_with(['{', '[', '"']).then(|| serde_json::from_str(text).ok())?
}

fn spell(value: &Value, nested: usize, found: &mut Vec<OutputSpelling>) {
    let whole = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if found.iter().all(|known| known.text != whole) {
        found.push(OutputSpelling { text: whole, is_part: false });
    }
    if value.is_object() || value.is_array() {
        spell_parts(value, nested, found);
    }
}

/// Adds the strings that JSON spells with escapes.
fn spell_parts(value: &Value, nested: usize, found: &mut Vec<OutputSpelling>) {
    match value {
        Value::String(text) => spell_part(text, nested, found),
        Value::Array(items) => items.iter().for_each(|item| spell_parts(item, nested, found)),
        Value::Object(map) => {
            for (key, value) in map {
                spell_part(key, nested, found);
                spell_parts(value, nested, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn spell_part(text: &str, nested: usize, found: &mut Vec<OutputSpelling>) {
    let differs = text.contains(['"', '\\']) || text.contains(char::is_control);
    if differs && found.iter().all(|known| known.text != text) {
        found.push(OutputSpelling { text: text.to_owned(), is_part: true });
        if let Some(nested) = nested.checked_sub(1) {
            let first = found.len();
            spell_escaped(text, nested, found);
            // JSON within a string is also a part of the answer.
            found.iter_mut().skip(first).for_each(|spelling| spelling.is_part = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Event, Moment};

    fn text(said: &str) -> EventKind {
        EventKind::Text(said.into())
    }

    fn data(value: Value) -> EventKind {
        EventKind::FinalOutput(value.into())
    }

    fn trace(turns: Vec<Vec<EventKind>>) -> Trace {
        let mut trace = Trace::default();
        for (turn, kinds) in (0..).zip(turns) {
            for kind in std::iter::once(EventKind::TurnStart(Value::Null.into())).chain(kinds) {
                trace.push(Event { at: Moment::default(), turn, kind });
            }
        }
        trace
    }

    fn texts(spellings: Vec<OutputSpelling>) -> Vec<String> {
        spellings.into_iter().map(|spelling| spelling.text).collect()
    }

    #[test]
    fn output_prefers_text_over_data() {
        assert_eq!(trace(vec![vec![data("hi".into())]]).output().text(), "hi");
        assert_eq!(trace(vec![vec![data(json!({"a": 1}))]]).output().text(), r#"{"a":1}"#);
        let both = trace(vec![vec![text("a"), text("b"), data(json!({"x": 1}))]]);
        assert_eq!(both.output().text(), "ab");
        assert_eq!(both.output().value().as_deref(), Some(&json!({"x": 1})));
        let words = trace(vec![vec![text("a")]]);
        assert_eq!(words.output().value().as_deref(), Some(&json!("a")));
        let nothing = trace(vec![vec![]]);
        assert_eq!((nothing.output().text(), nothing.output().value()), (String::new(), None));
    }

    #[test]
    fn output_of_case_is_that_of_last_turn() {
        let two = trace(vec![vec![text("first"), data(json!(1))], vec![text("second")]]);
        assert_eq!(two.output().text(), "second");
        assert_eq!(two.output().value().as_deref(), Some(&json!("second")));
        assert_eq!(two.conversation().text(), "first\nsecond");
        let silent = trace(vec![vec![text("first")], vec![]]);
        assert_eq!((silent.output().text(), silent.output().value()), (String::new(), None));
        assert!(silent.output().is_empty() && !silent.conversation().is_empty());
    }

    #[test]
    fn retracted_text_is_not_part_of_output() {
        let mut trace = trace(vec![vec![EventKind::TextTakenBack, text("a")]]);
        for kind in [text("b"), EventKind::TextTakenBack, text("c"), text("d")] {
            trace.push(Event { at: Moment::default(), turn: 1, kind });
        }
        assert_eq!(trace.conversation().text(), "a\ncd");
    }

    #[test]
    fn json_escapes_are_resolved() {
        let raw = r#"{"name": "Caf\u00e9", "said": "\"hi\""}"#;
        let printed = trace(vec![vec![text(raw), data(serde_json::from_str(raw).unwrap())]]);
        assert_eq!(texts(printed.output().everything()), [raw, r#"{"name":"Café","said":"\"hi\""}"#, "\"hi\""]);
        assert_eq!(texts(printed.output().spellings()), [raw, r#"{"name":"Café","said":"\"hi\""}"#, "\"hi\""]);
    }

    #[test]
    fn escapes_are_resolved_in_embedded_json() {
        for printed in [
            r#""Caf\u00e9""#,
            "Here it is:\n```json\n{\"a\":\"Caf\\u00e9\"}\n```",
            "loading\n{\"a\": \"Caf\\u00e9\"}",
            r#"{"a": "{\"b\": \"Caf\\u00e9\"}"}"#,
        ] {
            let said = trace(vec![vec![text(printed)]]);
            let found = texts(said.output().spellings());
            assert!(found.iter().any(|spelling| spelling.contains("Café")), "{printed}: {found:?}");
        }
    }

    #[test]
    fn additional_data_is_visible_only_to_prohibitions() {
        let beside =
            json!({"error": null, "took_ms": 1420, "debug": [{"mail": "ada@example.org"}], "question": "why?"});
        let mut said = trace(vec![vec![text("done"), EventKind::Beside(beside.into())]]);
        assert_eq!(texts(said.output().spellings()), ["done"]);
        assert_eq!((said.output().text(), said.output().value().as_deref()), ("done".into(), Some(&json!("done"))));
        assert_eq!(texts(said.output().everything()), ["done", "ada@example.org", "why?"]);
        assert_eq!(said.output().named_data(), ["took_ms: 1420", "mail: ada@example.org", "question: why?"]);
        // Strings of the agent's input do not count.
        let given = EventKind::TurnStart(json!({"ask": "why?"}).into());
        said.push(Event { at: Moment::default(), turn: 0, kind: given });
        assert_eq!(texts(said.output().everything()), ["done", "ada@example.org"]);
        // Additional data alone is not an answer.
        let only = trace(vec![vec![EventKind::Beside(json!({"mail": "ada@example.org"}).into())]]);
        assert!(only.output().is_empty() && only.output().value().is_none());
    }

    #[test]
    fn prohibitions_see_data_alongside_text() {
        let both = trace(vec![vec![text("done"), data(json!({"mail": "ada@example.org"}))]]);
        assert_eq!(texts(both.output().spellings()), ["done"]);
        assert_eq!(texts(both.output().everything()), ["done", r#"{"mail":"ada@example.org"}"#]);
    }
}
