//! Compares a recorded answer with the current answer of the live world.

use std::collections::HashMap;

use super::answer::values;
use super::bad_answers::said;
use super::compare::{ShapeChange, Shapes, compare};
use crate::{EndKind, Exchange, RecordedResponse, Recording, model_answer};

/// The shapes of all answers of a recording. Answers of one endpoint differ from each other; such differences are not
/// drift.
#[derive(Debug)]
pub struct KnownShapes {
    by_place: HashMap<AnswerPlace, Shapes>,
}

/// Method, origin, path without its query, status class and content type.
type AnswerPlace = (String, String, String, u16, String);

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drift {
    /// The changes of the answer; empty if there are none.
    Changes(Vec<ShapeChange>),
    /// The current answer does not show its shape, for this reason.
    Unknown(String),
}

/// Statuses for a missing or wrong key.
const DENIED: [u16; 3] = [401, 403, 407];
/// Temporary error statuses below 500.
const MOMENTARY: [u16; 3] = [408, 425, 429];

impl KnownShapes {
    /// Collects the shapes of the answers of a recording.
    pub fn of(recording: &Recording) -> Self {
        let mut by_place: HashMap<AnswerPlace, Shapes> = HashMap::new();
        for exchange in recording.exchanges.iter().filter(|exchange| exchange.end.how == EndKind::Closed) {
            if let Some(response) = &exchange.response {
                let of_model = exchange.request.api().is_some();
                add(by_place.entry(place(exchange, response)).or_default(), response, of_model);
            }
        }
        Self { by_place }
    }

    /// Compares the recorded answer of a call with the current one.
    pub fn drift(&self, exchange: &Exchange, now: &RecordedResponse) -> Drift {
        let Some(recorded) = &exchange.response else {
            return Drift::Unknown("the recording has no answer to compare with".into());
        };
        if let Some(drift) = of_status(recorded.status, now.status) {
            return drift;
        }
        if let Some(why) = failed(exchange, recorded, now) {
            return Drift::Unknown(why);
        }
        let (was, is) = (recorded.media_type(), now.media_type());
        if was != is {
            return Drift::Changes(vec![ShapeChange::ContentType { was, now: is }]);
        }
        let of_model = exchange.request.api().is_some();
        let mut shapes = Shapes::new();
        add(&mut shapes, now, of_model);
        let nothing = Shapes::new();
        let known = self.by_place.get(&place(exchange, recorded)).unwrap_or(&nothing);
        if shapes.is_empty() && !known.is_empty() && !values(recorded).is_empty() {
            return Drift::Changes(vec![ShapeChange::NotJson]);
        }
        Drift::Changes(compare(known, &shapes, of_model))
    }
}

/// The drift that a different status implies. A rejected request is not drift: there is no answer to compare.
fn of_status(was: u16, now: u16) -> Option<Drift> {
    match now {
        _ if now == was => None,
        _ if DENIED.contains(&now) => {
            Some(Drift::Unknown(format!("the answer is status {now}: a key is missing or wrong")))
        }
        _ if now >= 500 || MOMENTARY.contains(&now) => {
            Some(Drift::Unknown(format!("the answer is status {now}; try again later")))
        }
        _ if now / 100 == was / 100 => None,
        _ => Some(Drift::Changes(vec![ShapeChange::Status { was, now }])),
    }
}

/// The reason why an answer with a successful status cannot be compared: it contains an error, or the answer of a model
/// is truncated.
fn failed(exchange: &Exchange, recorded: &RecordedResponse, now: &RecordedResponse) -> Option<String> {
    let today = Exchange { response: Some(now.clone()), ..exchange.clone() };
    if let Some(error) = said(&today, now).filter(|_| said(exchange, recorded).is_none()) {
        return Some(format!("the answer is an error: {error}"));
    }
    let is_complete = |exchange: &Exchange| model_answer(exchange).is_none_or(|(_, answer)| answer.complete);
    (is_complete(exchange) && !is_complete(&today)).then(|| "the answer of the model broke off".to_owned())
}

fn add(shapes: &mut Shapes, response: &RecordedResponse, of_model: bool) {
    for (kind, value) in values(response) {
        shapes.entry(kind).or_default().add(&value, of_model);
    }
}

fn place(exchange: &Exchange, response: &RecordedResponse) -> AnswerPlace {
    let request = &exchange.request;
    let path = request.path.split(['?', '#']).next().expect("a split has a first part").to_owned();
    (request.method.clone(), request.origin.clone(), path, response.status / 100, response.media_type())
}
