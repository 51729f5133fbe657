//! The answers of models, within reach of the fuzz targets.

use serde_json::Value;

use super::completion::AnswerReader;
use super::{anthropic, openai};

fn reader(of_openai: bool) -> Box<dyn AnswerReader> {
    if of_openai { Box::<openai::OpenAiReader>::default() } else { Box::<anthropic::AnthropicReader>::default() }
}

pub(crate) fn streamed<'l>(of_openai: bool, events: impl Iterator<Item = &'l str>) -> bool {
    let mut reader = reader(of_openai);
    for data in events {
        if reader.event(data).is_err() || reader.is_over() {
            break;
        }
    }
    reader.finish().is_ok()
}

pub(crate) fn whole(of_openai: bool, answer: &Value) -> bool {
    let mut reader = reader(of_openai);
    reader.whole(answer).is_ok() && reader.finish().is_ok()
}
