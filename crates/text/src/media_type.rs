//! Media types of HTTP bodies, from the values of `content-type` headers.

/// The media type in lower case, without parameters such as `charset`. A value that a proxy joined from two headers has
/// the first one.
pub fn media_type(content_type: &str) -> String {
    without_parameters(content_type).to_ascii_lowercase()
}

/// Whether the body is a stream of server-sent events.
pub fn is_event_stream(content_type: &str) -> bool {
    without_parameters(content_type).eq_ignore_ascii_case("text/event-stream")
}

fn without_parameters(content_type: &str) -> &str {
    content_type.trim_start().split([';', ',', ' ', '\t']).next().expect("a split has a first part")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_case_do_not_count() {
        assert_eq!(media_type(" Application/JSON ; charset=utf-8; x=1"), "application/json");
        assert_eq!(media_type(""), "");
        assert_eq!(media_type("application/json,application/json"), "application/json");
        for stream in [";charset=utf-8", " charset=utf-8", ", text/event-stream", ""] {
            assert!(is_event_stream(&format!("Text/Event-Stream{stream}")), "{stream}");
        }
        assert!(!is_event_stream("text/event-streams") && !is_event_stream("application/json; text/event-stream"));
    }
}
