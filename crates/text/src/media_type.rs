//! Media types of HTTP bodies, from the values of `content-type` headers.

/// The media type in lower case, without parameters such as `charset`.
pub fn media_type(content_type: &str) -> String {
    without_parameters(content_type).to_ascii_lowercase()
}

/// Whether the body is a stream of server-sent events.
pub fn is_event_stream(content_type: &str) -> bool {
    without_parameters(content_type).eq_ignore_ascii_case("text/event-stream")
}

fn without_parameters(content_type: &str) -> &str {
    content_type.split_once(';').map_or(content_type, |(kind, _)| kind).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_case_do_not_count() {
        assert_eq!(media_type(" Application/JSON ; charset=utf-8; x=1"), "application/json");
        assert_eq!(media_type(""), "");
        assert!(is_event_stream("Text/Event-Stream;charset=utf-8"));
        assert!(!is_event_stream("text/event-streams") && !is_event_stream("application/json; text/event-stream"));
    }
}
