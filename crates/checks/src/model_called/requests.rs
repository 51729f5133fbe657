//! Evaluates `model_called`: which requests meet the conditions, and how many.

use agentci_source::{Span, Spanned};
use agentci_trace::{Continued, ModelRequest, Trace};
use agentci_verdict::{Failure, Outcome};

use super::condition::RequestCondition;
use super::tools::offered;
use crate::call_words::at_most;
use crate::evaluate::Evaluate;
use crate::tool_called::{Count, times};
use crate::wanted_text::quoted;

/// The most requests that a message lists, one per line.
const LINES: usize = 10;

/// Which requests must meet the conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestScope {
    Any,
    All,
    First,
    Last,
}

#[derive(Debug)]
pub(super) struct RequestConditions {
    pub(super) conditions: Vec<RequestCondition>,
    /// How many requests must meet the conditions, if the suite says so.
    pub(super) count: Option<Count>,
    pub(super) of: Spanned<RequestScope>,
    /// The place of the check in the suite.
    pub(super) span: Span,
}

/// The requests of a trace, and which conditions each of them meets.
struct SeenRequests<'t> {
    requests: Vec<ModelRequest<'t>>,
    /// By condition, then by request.
    met: Vec<Vec<bool>>,
}

impl Evaluate for RequestConditions {
    fn weight(&self) -> u64 {
        self.conditions.iter().map(RequestCondition::weight).fold(64, u64::saturating_add)
    }

    fn evaluate(&self, trace: &Trace) -> Outcome {
        let seen = self.seen(trace);
        self.misplaced(&seen).or_else(|| self.miscounted(&seen)).map_or(Outcome::Passed, Outcome::Failed)
    }

    /// Without `count` and `of`, no request may meet the conditions; otherwise the count or the place must not be met.
    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let seen = self.seen(trace);
        if self.misplaced(&seen).or_else(|| self.miscounted(&seen)).is_some() {
            return Outcome::Passed;
        }
        let all = seen.requests.len();
        let fitting: Vec<usize> = (0..all).filter(|at| seen.fits(*at)).collect();
        let has = self.conditions.iter().map(|condition| condition.words(true)).collect::<Vec<_>>().join(" and ");
        let message = match (&self.count, self.of.value) {
            (Some(count), _) => {
                let (number, wanted, like) = (times(fitting.len()), count.words(), self.like());
                format!("the model was called {number}{like}, but `not` forbids that it is called {wanted}")
            }
            _ if self.conditions.is_empty() => format!("the model was called {}, which `not` forbids", times(all)),
            (None, RequestScope::Any) => {
                let which = fitting.first().map_or_else(|| "a request".into(), |at| which(*at, all));
                format!("{which} to the model {has}, which `not` forbids")
            }
            (None, RequestScope::All) => format!("every request to the model {has}, which `not` forbids"),
            (None, RequestScope::First) => format!("the first request to the model {has}, which `not` forbids"),
            (None, RequestScope::Last) => format!("the last request to the model {has}, which `not` forbids"),
        };
        let span = self.conditions.first().map_or(self.span, RequestCondition::span);
        Outcome::Failed(Failure::new(message).at(span, "the agent sent this").notes(seen.listed(&fitting)))
    }
}

impl RequestConditions {
    fn seen<'t>(&self, trace: &'t Trace) -> SeenRequests<'t> {
        let requests = trace.model_requests();
        let met = self.conditions.iter().map(|condition| condition.met(&requests)).collect();
        SeenRequests { requests, met }
    }

    /// A short description of the requests that count.
    fn like(&self) -> &'static str {
        if self.conditions.is_empty() { "" } else { " with a request that meets the conditions" }
    }

    /// The failure of the requests that `of` names, if they do not meet the conditions.
    fn misplaced(&self, seen: &SeenRequests<'_>) -> Option<Failure> {
        let all = seen.requests.len();
        let wrong = match self.of.value {
            RequestScope::Any => return None,
            _ if all == 0 => return Some(self.never_asked()),
            RequestScope::First => Some(0),
            RequestScope::Last => Some(all - 1),
            RequestScope::All => (0..all).find(|at| !seen.fits(*at)),
        };
        let at = wrong.filter(|at| !seen.fits(*at))?;
        let condition = self.conditions.iter().zip(&seen.met).find(|(_, met)| !met[at])?.0;
        let name = match self.of.value {
            RequestScope::First => "the first request".into(),
            RequestScope::Last => "the last request".into(),
            RequestScope::Any | RequestScope::All => which(at, all),
        };
        Some(seen.unmet(format!("{name} to the model {}", condition.words(false)), condition, at))
    }

    /// The failure of the count, if the wrong number of requests meets the conditions.
    fn miscounted(&self, seen: &SeenRequests<'_>) -> Option<Failure> {
        let all = seen.requests.len();
        let fitting: Vec<usize> = (0..all).filter(|at| seen.fits(*at)).collect();
        let count = self.count.as_ref().unwrap_or(&Count::AT_LEAST_ONE);
        if count.allows(fitting.len()) {
            return None;
        }
        if all == 0 {
            return Some(self.never_asked());
        }
        let nearest = seen.nearest().filter(|_| count.is_more_than(fitting.len()));
        if let Some((index, at)) = nearest.filter(|_| fitting.is_empty()) {
            let condition = &self.conditions[index];
            // Another request may meet this condition but not the others.
            let message = if seen.met[index].iter().any(|met| *met) {
                "no request to the model meets all conditions".into()
            } else {
                format!("no request to the model {}", condition.words(true))
            };
            return Some(seen.unmet(message, condition, at));
        }
        let (number, like, wanted) = (times(fitting.len()), self.like(), count.words());
        let message = if count.is_none() {
            format!("the model was called {number}{like}, but must not be")
        } else {
            format!("the model was called {number}{like}, expected {wanted}")
        };
        let span = count.span.unwrap_or(self.span);
        let mut failure = Failure::new(message).at(span, format!("called {number}")).detail("", wanted, fitting.len());
        if let Some((index, at)) = nearest {
            let told = self.conditions[index].seen(&which(at, all), &seen.requests[at]);
            failure.notes.push(format!("{} comes closest: {told}", which(at, all)));
        }
        let every: Vec<usize> = (0..all).collect();
        Some(failure.notes(seen.listed(if nearest.is_none() && !fitting.is_empty() { &fitting } else { &every })))
    }

    fn never_asked(&self) -> Failure {
        let span = self.conditions.first().map_or(self.span, RequestCondition::span);
        Failure::new("the model was never called")
            .at(span, "no request to a model was seen")
            .note("does the agent read the address of its model from `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`, `GOOGLE_GEMINI_BASE_URL` or `OLLAMA_HOST`?")
    }
}

impl SeenRequests<'_> {
    /// Whether a request meets all conditions.
    fn fits(&self, at: usize) -> bool {
        self.met.iter().all(|met| met[at])
    }

    /// The first condition that is not met by the request that meets most conditions but not all, and the index of that
    /// request (the first of several).
    fn nearest(&self) -> Option<(usize, usize)> {
        let met = |at: usize| self.met.iter().filter(|met| met[at]).count();
        let missing = (0..self.requests.len()).filter(|at| !self.fits(*at));
        let at = missing.rev().max_by_key(|at| met(*at))?;
        let condition = self.met.iter().position(|met| !met[at])?;
        Some((condition, at))
    }

    fn unmet(&self, message: String, condition: &RequestCondition, at: usize) -> Failure {
        let (request, all) = (&self.requests[at], self.requests.len());
        let mut failure = Failure::new(message).at(condition.span(), condition.seen(&which(at, all), request));
        failure.details = vec![condition.detail(request)];
        if let Some(Continued::Unseen(id)) = request.continues {
            let note = format!("{} continues `{id}`, whose messages are not in this trace", which(at, all));
            failure.notes.push(note);
        }
        let every: Vec<usize> = (0..all).collect();
        failure.notes(self.listed(&every))
    }

    /// Notes with these requests, one line each.
    fn listed(&self, chosen: &[usize]) -> Vec<String> {
        at_most(LINES, chosen.iter().map(|at| self.line(*at)))
    }

    fn line(&self, at: usize) -> String {
        let request = &self.requests[at];
        let (turn, name) = (request.turn + 1, which(at, self.requests.len()));
        let model = request.model.map_or("no model".into(), |model| format!("model {}", quoted(model)));
        let system = if request.system.is_empty() { "no system prompt" } else { "a system prompt" };
        let user =
            request.user.as_deref().map_or("no user message".into(), |text| format!("user {}", quoted(text.trim())));
        let again = if request.attempts > 1 { format!(", {} attempts", request.attempts) } else { String::new() };
        format!("turn {turn}, {}; {model}, {system}, {user}{again}", offered(&name, &request.tools))
    }
}

fn which(at: usize, all: usize) -> String {
    format!("request {} of {all}", at + 1)
}
