//! The answers of models, within reach of the fuzz targets.

use serde_json::Value;

use super::{anthropic, openai};

/// Whether the data of these events come to an answer.
pub(crate) fn streamed<'l>(of_openai: bool, events: impl Iterator<Item = &'l str>) -> bool {
    let (mut one, mut other) = (openai::Reader::default(), anthropic::Reader::default());
    for data in events {
        let taken = if of_openai { one.event(data) } else { other.event(data) };
        if taken.is_err() || one.is_over() || other.is_over() {
            break;
        }
    }
    if of_openai { one.finish().is_ok() } else { other.finish().is_ok() }
}

/// Whether this comes to an answer.
pub(crate) fn whole(of_openai: bool, answer: &Value) -> bool {
    let (mut one, mut other) = (openai::Reader::default(), anthropic::Reader::default());
    if of_openai {
        one.whole(answer).is_ok() && one.finish().is_ok()
    } else {
        other.whole(answer).is_ok() && other.finish().is_ok()
    }
}
