//! # What it checks
//! The agent took at most `max` in total, and at most `idle` at a time without a tool call. The total is the time from
//! the start of the first turn to the end of the last. A call counts at the time of its result, or at its own time if
//! it has none. Idle times are the time before the first call, the times between calls and the time after the last;
//! without any call, the total. One of the two limits may be left out.
//!
//! # Why
//! Users give up on an agent that is slow, and earlier on one that shows no progress. To stop the case instead, use
//! the limit `wall`.
//!
//! # Example
//! ```yaml
//! checks:
//!   - duration: { max: 120s, idle: 60s }
//! ```

use std::sync::Arc;
use std::time::Duration;

use agentci_source::shape::{CheckShape, KeyRule, Kind, Shape, optional};
use agentci_source::{Node, Spanned, read};
use agentci_trace::{Event, EventKind as Happened, Trace};
use agentci_verdict::{Detail, Failure, Outcome};
use serde_json::Value;

use crate::call_words::at_most;
use crate::compiler::{Compiler, spanned};
use crate::evaluate::Evaluate;

/// The most gaps that a message lists.
const LISTED: usize = 10;

#[derive(Debug)]
struct WithinTime {
    max: Option<Spanned<Duration>>,
    idle: Option<Spanned<Duration>>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "duration",
    about: "The agent kept within limits on its total time and on the time without a tool call.",
    arguments: Kind::Shape(&ARGUMENTS),
};

static ARGUMENTS: Shape = Shape::new(
    "`duration`",
    "Time limits.",
    &[
        optional("max", Kind::Duration, "Maximum time from the start of the first turn to the end of the last."),
        optional("idle", Kind::Duration, "Maximum time without a tool call."),
    ],
)
.rules(&[KeyRule::Some(&["max", "idle"])]);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let span = arguments.span;
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let max = arguments.optional("max", spanned(read::duration));
    let idle = arguments.optional("idle", spanned(read::duration));
    arguments.finish()?;
    if max.is_none() && idle.is_none() {
        let help = "write `duration: { max: 120s }`; `idle: 60s` can be added or used instead";
        return compiler.refuse(span, "`duration` needs `max` or `idle`", "no limit", help);
    }
    Some(Arc::new(WithinTime { max, idle }))
}

impl Evaluate for WithinTime {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let span = WorkTime::of(trace);
        let slow = self.max.as_ref().and_then(|max| too_slow(&span, max));
        let idle = self.idle.as_ref().and_then(|idle| too_idle(&span.gaps(trace), idle));
        match (slow, idle) {
            (None, None) => Outcome::Passed,
            (Some(failure), None) | (None, Some(failure)) => Outcome::Failed(failure),
            (Some(mut slow), Some(idle)) => {
                slow.notes.push(idle.message);
                slow.notes.extend(idle.notes);
                slow.details.extend(idle.details);
                Outcome::Failed(slow)
            }
        }
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        if self.evaluate(trace) != Outcome::Passed {
            return Outcome::Passed;
        }
        let span = WorkTime::of(trace);
        let longest = span.gaps(trace).iter().map(|gap| gap.micros).max().unwrap_or_default();
        let (took, longest) = (milliseconds(span.micros()), milliseconds(longest));
        Outcome::Failed(
            Failure::new(format!("the agent took {took} ms, within the limit, which `not` forbids"))
                .note(format!("the longest time without a tool call was {longest} ms")),
        )
    }
}

fn too_slow(span: &WorkTime, max: &Spanned<Duration>) -> Option<Failure> {
    let micros = span.micros();
    if !exceeds(micros, max.value) {
        return None;
    }
    let (took, limit) = (milliseconds(micros), limit(max.value));
    let message = format!("the agent took {took} ms, the limit is {limit} ms");
    let mut failure = Failure::new(message).at(max.span, format!("it took {took} ms"));
    failure.details = vec![detail(micros, max.value)];
    Some(failure)
}

fn too_idle(gaps: &[Gap<'_>], idle: &Spanned<Duration>) -> Option<Failure> {
    let long: Vec<&Gap<'_>> = gaps.iter().filter(|gap| exceeds(gap.micros, idle.value)).collect();
    let longest = long.iter().max_by_key(|gap| gap.micros)?;
    let (took, limit) = (milliseconds(longest.micros), limit(idle.value));
    let message = match long.as_slice() {
        [gap] => format!("no tool call for {took} ms {}, the limit is {limit} ms", gap.words()),
        _ => format!("{} gaps without a tool call are longer than {limit} ms", long.len()),
    };
    let mut failure = Failure::new(message).at(idle.span, format!("{took} ms {}", longest.words()));
    if long.len() > 1 {
        let note = |gap: &&Gap<'_>| format!("{} ms {}", milliseconds(gap.micros), gap.words());
        failure.notes = at_most(LISTED, long.iter().map(note));
    }
    failure.details = long.iter().take(LISTED).map(|gap| detail(gap.micros, idle.value)).collect();
    Some(failure)
}

/// The time in which the agent worked, in microseconds since the start of the attempt.
struct WorkTime {
    start: u64,
    end: u64,
}

impl WorkTime {
    fn of(trace: &Trace) -> Self {
        let events = trace.events();
        let at = |event: Option<&Event>| event.map(|event| event.at.offset_us);
        let start = events.iter().find(|event| matches!(event.kind, Happened::TurnStart(_))).or(events.first());
        // A turn that did not end lasts until the last event.
        let bound = |event: &&Event| matches!(event.kind, Happened::TurnStart(_) | Happened::TurnEnd);
        let end = events.iter().rfind(bound).filter(|event| event.kind == Happened::TurnEnd).or(events.last());
        let start = at(start).unwrap_or_default();
        Self { start, end: at(end).unwrap_or_default().max(start) }
    }

    fn micros(&self) -> u64 {
        self.end - self.start
    }

    /// The times between tool calls, in order.
    fn gaps<'t>(&self, trace: &'t Trace) -> Vec<Gap<'t>> {
        let mut bounds = vec![(self.start, None)];
        bounds.extend(trace.calls().iter().map(|call| {
            let at = call.answered.unwrap_or(call.at).offset_us;
            (at.clamp(self.start, self.end), Some(call.call.name.as_str()))
        }));
        // No call is before the start, so that the start stays first.
        bounds.sort_by_key(|(at, _)| *at);
        bounds.push((self.end, None));
        bounds.windows(2).map(|pair| Gap { micros: pair[1].0 - pair[0].0, from: pair[0].1, to: pair[1].1 }).collect()
    }
}

/// A time without a tool call.
struct Gap<'t> {
    micros: u64,
    /// The call before it.
    from: Option<&'t str>,
    /// The call after it.
    to: Option<&'t str>,
}

impl Gap<'_> {
    fn words(&self) -> String {
        match (self.from, self.to) {
            (None, None) => "from start to end".into(),
            (None, Some(to)) => format!("from the start to `{to}`"),
            (Some(from), Some(to)) => format!("between `{from}` and `{to}`"),
            (Some(from), None) => format!("from `{from}` to the end"),
        }
    }
}

fn exceeds(micros: u64, limit: Duration) -> bool {
    Duration::from_micros(micros) > limit
}

fn detail(micros: u64, limit: Duration) -> Detail {
    let number = |digits: String| Value::Number(digits.parse().expect("milliseconds are a JSON number"));
    Detail { path: String::new(), expected: number(self::limit(limit)), actual: number(milliseconds(micros)) }
}

fn limit(limit: Duration) -> String {
    milliseconds(u64::try_from(limit.as_micros()).unwrap_or(u64::MAX))
}

/// Whole milliseconds if possible, else with microseconds.
fn milliseconds(micros: u64) -> String {
    match micros % 1000 {
        0 => format!("{}", micros / 1000),
        rest => format!("{}.{rest:03}", micros / 1000),
    }
}
