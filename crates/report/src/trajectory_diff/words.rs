//! Sentences about steps and changes, the same in every format.

use agentci_text::shorten;
use agentci_trajectory::{
    CaseDiff, CaseResult, DiffRow, PartChange, PartKind, PartValue, RepeatedChange, RowRole, StepKind, TrajectoryStep,
    WordPiece, word_pieces,
};
use agentci_verdict::PromptChange;
use serde_json::Value;

use super::DiffDocument;
use crate::{count_of, duration_of, one_line};

/// The number of characters of a value that are shown.
const VALUE: usize = 80;
/// The number of characters of arguments that are shown after the name of a tool.
const ARGUMENTS: usize = 60;
/// The number of characters that are shown around changed words, and of each changed piece.
const AROUND: usize = 40;
const PIECE: usize = 120;
/// The maximum number of pieces of a changed text.
const PIECES: usize = 24;
/// The maximum number of changes of a step that are shown.
pub(super) const CHANGES: usize = 8;
/// The number of equal steps that are shown before the first divergence and around later ones.
const CONTEXT: usize = 2;

/// `refund(amount=200, order="A-17")`, `turn 1`, `model gpt-4o`.
pub(super) fn title(step: &TrajectoryStep) -> String {
    let title = match step.kind {
        StepKind::Turn => format!("turn {}", step.name),
        StepKind::Model => format!("model {}", step.name),
        StepKind::Text => "text".to_owned(),
        StepKind::Output => "result".to_owned(),
        StepKind::Error => "error".to_owned(),
        StepKind::Call => format!("{}({})", step.name, arguments(step)),
    };
    one_line(&title).into_owned()
}

fn arguments(step: &TrajectoryStep) -> String {
    let text = match step.part(PartKind::Arguments).map(|part| &part.value) {
        Some(PartValue::Known(Value::Object(map))) => {
            map.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(", ")
        }
        Some(PartValue::Known(value)) if !value.is_null() => value.to_string(),
        Some(PartValue::Fingerprint(hash)) => format!("fingerprint {}", shorten(hash, 16)),
        _ => String::new(),
    };
    shorten(&text, ARGUMENTS).into_owned()
}

/// A value on one line.
pub(super) fn value(value: &Value) -> String {
    one_line(&shorten(&value.to_string(), VALUE)).into_owned()
}

/// `arguments /amount`.
pub(super) fn place(change: &PartChange) -> String {
    let name = change.part.name();
    match change.change.path() {
        "" => name.to_owned(),
        path => format!("{name} {}", one_line(path)),
    }
}

/// `arguments /amount: 20 -> 200`.
pub(super) fn change(it: &PartChange) -> String {
    let place = place(it);
    if it.only_fingerprint {
        return format!("{place}: changed; how is unknown, because only a fingerprint was kept");
    }
    match (&it.change.old, &it.change.new) {
        (Some(Value::String(old)), Some(Value::String(new))) if is_prose(it.part, old, new) => {
            format!("{place}: {}", marked_words(old, new))
        }
        (Some(old), Some(new)) => format!("{place}: {} -> {}", value(old), value(new)),
        (None, Some(new)) => format!("{place}: {} is new", value(new)),
        (Some(old), None) => format!("{place}: {} is gone", value(old)),
        (None, None) => place,
    }
}

/// Whether two texts are compared word by word.
fn is_prose(part: PartKind, old: &str, new: &str) -> bool {
    let has_words = |text: &str| text.trim().contains(char::is_whitespace);
    part != PartKind::State && (has_words(old) || has_words(new))
}

/// The pieces of two texts to show: what both have is cut to what is near a change.
pub(super) fn shown_pieces(old: &str, new: &str) -> Vec<(char, String)> {
    let pieces = word_pieces(old, new);
    let last = pieces.len().saturating_sub(1);
    let shown = pieces.iter().enumerate().take(PIECES).map(|(at, piece)| match piece {
        WordPiece::Old(text) => ('-', shorten(text, PIECE).into_owned()),
        WordPiece::New(text) => ('+', shorten(text, PIECE).into_owned()),
        WordPiece::Same(text) => (' ', around(text, at > 0, at < last)),
    });
    let mut shown: Vec<(char, String)> = shown.collect();
    if pieces.len() > PIECES {
        shown.push((' ', format!("... and {}", count_of(pieces.len() - PIECES, "more piece"))));
    }
    shown
}

/// The beginning and the end of a text between changes.
fn around(text: &str, after_change: bool, before_change: bool) -> String {
    let count = text.chars().count();
    if count <= 2 * AROUND + 3 {
        return text.to_owned();
    }
    let head: String = if after_change { shorten(text, AROUND).into_owned() } else { "...".to_owned() };
    let tail: String = text.chars().skip(count - AROUND).collect();
    // A secret that is cut in half would not be recognised, so the end begins with a whole word.
    let tail = tail.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).to_owned();
    if before_change { format!("{head} {tail}") } else { head }
}

/// `"You get [-20 -]{+200 +}euros."`.
fn marked_words(old: &str, new: &str) -> String {
    format!("\"{}\"", one_line(&marked(shown_pieces(old, new))))
}

fn marked(pieces: Vec<(char, String)>) -> String {
    let marked = pieces.into_iter().map(|(sign, text)| match sign {
        '-' => format!("[-{text}-]"),
        '+' => format!("{{+{text}+}}"),
        _ => text,
    });
    marked.collect()
}

/// The old or the new value of a change in pieces: what is gone has the sign `-`, what is new `+`.
pub(super) fn side_pieces(change: &PartChange, is_new: bool) -> Vec<(char, String)> {
    let own = if is_new { '+' } else { '-' };
    if change.only_fingerprint {
        let told = if is_new { "changed; only a fingerprint was kept" } else { "" };
        return vec![(' ', told.to_owned())];
    }
    match (&change.change.old, &change.change.new) {
        (Some(Value::String(old)), Some(Value::String(new))) if is_prose(change.part, old, new) => {
            shown_pieces(old, new).into_iter().filter(|(sign, _)| *sign == own || *sign == ' ').collect()
        }
        (old, new) => {
            let side = if is_new { new } else { old };
            side.as_ref().map_or_else(|| vec![(' ', "none".to_owned())], |side| vec![(own, value(side))])
        }
    }
}

/// The old and the new value of a change, each with its place.
pub(super) fn sides(change: &PartChange) -> (String, String) {
    let shown = |is_new| {
        let pieces = side_pieces(change, is_new);
        let text = match &pieces[..] {
            [(_, one)] => one.clone(),
            _ => format!("\"{}\"", marked(pieces)),
        };
        format!("{}: {}", place(change), one_line(&text))
    };
    (shown(false), shown(true))
}

/// The first divergence in one sentence.
pub(super) fn first(case: &CaseDiff<'_>) -> Option<String> {
    let row = &case.rows[case.first?];
    let title = title(row.step()?);
    Some(match (row.old_number, row.new_number) {
        (Some(old), None) => format!("step {old} of A is gone: {title}"),
        (None, Some(new)) => format!("step {new} is new: {title}"),
        (_, number) => {
            let number = number.expect("a step has a number");
            let first = row.changes.first().expect("a step of both that differs has a change");
            format!("step {number} {title}: {}", change(first))
        }
    })
}

/// What a row means, after its title.
pub(super) fn role(case: &CaseDiff<'_>, row: &DiffRow<'_>) -> String {
    match row.role {
        RowRole::Same | RowRole::After => String::new(),
        RowRole::First => "<- first divergence".to_owned(),
        RowRole::Follows(at) => {
            let earlier = &case.rows[at];
            let number = earlier.new_number.or(earlier.old_number).expect("a step has a number");
            let of = if earlier.new_number.is_some() { "" } else { " of A" };
            format!("(follows from step {number}{of})")
        }
    }
}

pub(super) fn sign(row: &DiffRow<'_>) -> char {
    match (row.old, row.new) {
        (Some(_), None) => '-',
        (None, Some(_)) => '+',
        _ if row.changes.is_empty() => ' ',
        _ => '~',
    }
}

/// The values that the reader of a new or missing step wants to see besides its title: results and answers.
pub(super) fn content(step: &TrajectoryStep) -> Vec<String> {
    let is_told = |kind: PartKind| match kind {
        PartKind::Tools | PartKind::Parameters | PartKind::SystemPrompt | PartKind::Model => false,
        PartKind::Arguments => step.kind != StepKind::Call,
        PartKind::Input
        | PartKind::Messages
        | PartKind::Requested
        | PartKind::Answer
        | PartKind::State
        | PartKind::Result
        | PartKind::Error => true,
    };
    let shown = step.parts.iter().filter(|part| is_told(part.kind));
    let shown = shown.filter_map(|part| match &part.value {
        PartValue::Known(known) => Some(format!("{}: {}", part.kind.name(), value(known))),
        PartValue::Fingerprint(_) => None,
    });
    shown.collect()
}

/// The rows to show; `Err` is a number of equal steps that are left out.
pub(super) fn rows_to_show<'c, 't>(case: &'c CaseDiff<'t>) -> Vec<Result<&'c DiffRow<'t>, usize>> {
    let is_near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        case.rows[from..case.rows.len().min(at + CONTEXT + 1)].iter().any(DiffRow::differs)
    };
    let mut shown: Vec<Result<&DiffRow<'t>, usize>> = Vec::new();
    for (at, row) in case.rows.iter().enumerate() {
        if is_near(at) {
            shown.push(Ok(row));
        } else if let Some(Err(count)) = shown.last_mut() {
            *count += 1;
        } else {
            shown.push(Err(1));
        }
    }
    shown
}

/// `CHANGED`, `ONLY IN A` or `ONLY IN B`.
pub(super) fn word(case: &CaseDiff<'_>) -> &'static str {
    match (&case.old, &case.new) {
        (Some(_), None) => "ONLY IN A",
        (None, _) => "ONLY IN B",
        _ => "CHANGED",
    }
}

/// `pass -> fail (check), 12 ms -> 15 ms, 210 -> 240 tokens, passed 10/10 -> 6/10`.
pub(super) fn headline(case: &CaseDiff<'_>) -> String {
    let (Some(old), Some(new)) = (&case.old, &case.new) else {
        let own = case.old.as_ref().or(case.new.as_ref()).expect("one of the runs has the case");
        let shape = case.shapes.first().map(|it| format!(", {}", one_line(&it.shape))).unwrap_or_default();
        return format!("{}, {}{shape}", status(own), count_of(own.runs, "run"));
    };
    let mut parts = Vec::new();
    if old.status == new.status && old.cause == new.cause {
        parts.push(status(new));
    } else {
        parts.push(format!("{} -> {}", status(old), status(new)));
    }
    if old.runs > 1 || new.runs > 1 {
        parts.push(format!("passed {}/{} -> {}/{}", old.passes, old.runs, new.passes, new.runs));
    }
    if let Some((old, new)) = old.wall_ms.zip(new.wall_ms) {
        let (old, new) = (duration_of(old), duration_of(new));
        parts.push(if old == new { new } else { format!("{old} -> {new}") });
    }
    let tokens = |result: &CaseResult| match (result.usage.tokens_in, result.usage.tokens_out) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or_default().saturating_add(other.unwrap_or_default())),
    };
    if let Some((old, new)) = tokens(old).zip(tokens(new)).filter(|(old, new)| old != new) {
        parts.push(format!("{old} -> {new} tokens"));
    }
    parts.join(", ")
}

fn status(result: &CaseResult) -> String {
    match (result.status, result.cause) {
        (None, _) => "did not end".to_owned(),
        (Some(status), Some(cause)) => format!("{status} ({cause})"),
        (Some(status), None) => status.to_owned(),
    }
}

/// `A: find -> refund 10/10; B: find -> refund 6/10, refund 4/10`, if the case ran several times and not always alike.
pub(super) fn shapes(case: &CaseDiff<'_>) -> Option<String> {
    let runs: usize = case.shapes.iter().map(|it| it.old + it.new).sum();
    if case.shapes.len() < 2 || runs < 3 || case.unknown_steps {
        return None;
    }
    let of = |counts: Vec<(&str, usize)>| {
        let all: usize = counts.iter().map(|(_, count)| count).sum();
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        counts.map(|(shape, count)| format!("{} {count}/{all}", one_line(shape))).collect::<Vec<_>>().join(", ")
    };
    let old = of(case.shapes.iter().map(|it| (it.shape.as_str(), it.old)).collect());
    let new = of(case.shapes.iter().map(|it| (it.shape.as_str(), it.new)).collect());
    Some(format!("calls: A: {old}; B: {new}"))
}

/// Which attempts are shown, if there are several.
pub(super) fn attempts(case: &CaseDiff<'_>) -> Option<String> {
    let (old, new) = (case.old.as_ref()?, case.new.as_ref()?);
    let (one, other) = (old.attempt?, new.attempt?);
    (case.compared > 1 || old.runs > 1).then(|| {
        let runs = count_of(case.compared, "run");
        format!("shown: run {one} of A and run {other} of B; {} of {runs} of B differ", case.differing)
    })
}

/// ``in 14 cases `search_docs` now gets `limit: 5` ``.
pub(super) fn repeated(it: &RepeatedChange<'_>) -> String {
    let cases = count_of(it.cases.len(), "case");
    let tool = || format!("`{}`", one_line(it.name));
    let name = it.path.trim_start_matches('/').replace('/', ".");
    let new = || it.new.as_ref().map(value).unwrap_or_default();
    let what = match (it.part, it.gone, it.changed) {
        (None, true, _) => format!("a call of {} is gone", tool()),
        (None, false, _) => format!("{} is called additionally", tool()),
        (Some(PartKind::Arguments), true, _) => format!("{} no longer gets `{}`", tool(), one_line(&name)),
        (Some(PartKind::Arguments), false, false) => {
            format!("{} now gets `{}: {}`", tool(), one_line(&name), new())
        }
        (Some(PartKind::Arguments), false, true) => {
            let instead = it.old.as_ref().map(|old| format!(" instead of `{}`", value(old))).unwrap_or_default();
            format!("{} gets `{}: {}`{instead}", tool(), one_line(&name), new())
        }
        (Some(part), gone, changed) => {
            let of = match it.step {
                StepKind::Call => format!(" of {}", tool()),
                StepKind::Model => " of a model request".to_owned(),
                _ => String::new(),
            };
            let path = if name.is_empty() { String::new() } else { format!(" `{}`", one_line(&name)) };
            let change = match (&it.old, &it.new) {
                (Some(Value::String(old)), Some(Value::String(new))) if is_prose(part, old, new) => {
                    marked_words(old, new)
                }
                (Some(old), Some(new)) => format!("{} -> {}", value(old), value(new)),
                (_, Some(new)) if changed => format!("now {}", value(new)),
                (_, Some(new)) => format!("{} is new", value(new)),
                _ if gone => "gone".to_owned(),
                _ => "changed".to_owned(),
            };
            format!("{}{path}{of}: {change}", part.name())
        }
    };
    format!("in {cases} {what}")
}

/// A changed prompt, as the gate on prompts words it.
pub(super) fn prompt(change: &PromptChange) -> String {
    let agent = change.agent.as_ref().map(|agent| format!("agent {agent:?}: ")).unwrap_or_default();
    let cases = count_of(change.cases.len(), "case");
    one_line(&format!("in {cases} the prompt changed: {agent}{}", change.change)).into_owned()
}

/// The sentences at the end.
pub(super) fn notes(document: &DiffDocument<'_>) -> Vec<String> {
    let not_compared = document.diff.not_compared.iter().map(|what| format!("not compared: {what}"));
    let mut notes: Vec<String> = not_compared.map(|note| one_line(&note).into_owned()).collect();
    let ignored = document.diff.ignored();
    if ignored > 0 {
        let values = count_of(ignored, "value");
        notes.push(format!("ids and times that vary from run to run count as equal: {values}; `--exact` shows them"));
    }
    notes
}

/// `2 of 5 cases differ`.
pub(super) fn total(document: &DiffDocument<'_>) -> String {
    let all = count_of(document.diff.cases.len(), "case");
    match document.differing() {
        0 if document.prompts.is_empty() => format!("no difference in {all}"),
        0 => format!("prompts changed; no other difference in {all}"),
        1 => format!("1 of {all} differs"),
        some => format!("{some} of {all} differ"),
    }
}
