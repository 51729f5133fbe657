//! Maps exchanges to the lines of a recording.

use serde::Deserialize;

/// The lines of one exchange, from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExchangeLines {
    /// The line of its request.
    pub request: usize,
    /// The line of its response, if it has one.
    pub response: Option<usize>,
    /// The line of its end.
    pub end: usize,
}

/// The fields that identify the exchange of a line.
#[derive(Deserialize)]
struct LineOwner {
    r#type: String,
    id: Option<u64>,
}

/// The lines of all exchanges of a valid recording, in order.
pub fn places(text: &str) -> Vec<ExchangeLines> {
    let mut all: Vec<ExchangeLines> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Ok(LineOwner { r#type, id: Some(id) }) = serde_json::from_str(line) else { continue };
        if r#type == "request" {
            all.push(ExchangeLines { request: number, ..ExchangeLines::default() });
        }
        let position = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        let Some(places) = position.and_then(|position| all.get_mut(position)) else { continue };
        match r#type.as_str() {
            "response" => places.response = Some(number),
            "end" => places.end = number,
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_include_empty_lines() {
        let text = "{\"v\":2,\"type\":\"recording\"}\n\n{\"type\":\"request\",\"id\":1}\n{\"type\":\"request\",\"id\":2}\n\
                    {\"type\":\"response\",\"id\":2}\n{\"type\":\"frame\",\"id\":2}\n{\"type\":\"end\",\"id\":1}\n\
                    {\"type\":\"end\",\"id\":2}\n{\"type\":\"end\",\"id\":7}\n{\"type\":\"exit\"}\n";
        let first = ExchangeLines { request: 3, response: None, end: 7 };
        assert_eq!(places(text), [first, ExchangeLines { request: 4, response: Some(5), end: 8 }]);
    }
}
