use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Decodes a stream in pieces: its events, the error if any, and the remaining bytes.
fn read(pieces: &[&[u8]], limit: usize) -> (Vec<SseEvent>, Option<SseError>, Vec<u8>) {
    read_with(Decoder::new(limit), pieces)
}

fn read_with(mut decoder: Decoder, pieces: &[&[u8]]) -> (Vec<SseEvent>, Option<SseError>, Vec<u8>) {
    let mut frames = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => return (frames, Some(error), Vec::new()),
            }
        }
    }
    while let Some(frame) = decoder.finish() {
        frames.push(frame);
    }
    let rest = decoder.rest().to_vec();
    (frames, None, rest)
}

fn frames(stream: &str) -> Vec<SseEvent> {
    read(&[stream.as_bytes()], EVENT_LIMIT).0
}

fn data(stream: &str) -> Vec<String> {
    frames(stream).into_iter().map(|frame| frame.data).collect()
}

#[test]
fn accepts_all_line_endings() {
    for stream in ["data: a\ndata: b\n\ndata: c\n\n", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"] {
        assert_eq!(data(stream), ["a\nb", "c"], "{stream:?}");
    }
    assert_eq!(data("data: a\rdata: b\r\rdata: c\r\r"), ["a\nb", "c"]);
    assert_eq!(data("data: a\r\rdata: b\n\r\ndata: c\r\n\n"), ["a", "b", "c"]);
    // No other character ends a line.
    assert_eq!(data("data: a\u{2028}b\u{85}c\u{c}d\n\n"), ["a\u{2028}b\u{85}c\u{c}d"]);
}

#[test]
fn event_is_emitted_at_final_carriage_return() {
    let mut decoder = Decoder::new(EVENT_LIMIT);
    decoder.push(b"data: a\r\n\r");
    assert_eq!(decoder.next().unwrap().unwrap().data, "a");
    decoder.push(b"\n");
    assert_eq!(decoder.next().unwrap(), None);
    decoder.push(b"data: b\r\r");
    let second = decoder.next().unwrap().unwrap();
    assert_eq!((second.data.as_str(), &second.raw[..]), ("b", &b"\ndata: b\r\r"[..]));
}

#[test]
fn accepts_crlf_split_across_chunks() {
    let (found, error, _) = read(&[b"data: a\r", b"\ndata: b\r", b"\n\r", b"\ndata: c\n\n"], EVENT_LIMIT);
    assert_eq!((found.len(), error), (2, None));
    assert_eq!(found[0].data, "a\nb");
    assert_eq!(found[1].data, "c");
}

#[test]
fn byte_order_mark_is_skipped_only_at_start() {
    assert_eq!(data("\u{feff}data: a\n\n\u{feff}data: b\n\n"), ["a"]);
    assert_eq!(read(&[b"\xEF", b"\xBB", b"\xBFdata", b": a\n\n"], EVENT_LIMIT).0[0].data, "a");
    assert_eq!(data("\u{feff}\u{feff}data: a\n\n"), [""; 0]);
}

#[test]
fn strips_one_space_after_the_colon() {
    assert_eq!(data("data:a\n\ndata: b\n\ndata:  c \n\ndata:\td\n\n"), ["a", "b", " c ", "\td"]);
    assert_eq!(data("data: a: b\n\n"), ["a: b"]);
}

#[test]
fn accepts_empty_data_but_not_missing_data() {
    // The example of the standard: an empty event, and one with a line feed.
    assert_eq!(data("data\n\ndata\ndata\n\n"), ["", "\n"]);
    assert_eq!(data("event: ping\n\n: nothing\n\nid: 1\n\n\n\n"), [""; 0]);
}

#[test]
fn reads_known_fields_and_ignores_others() {
    let stream =
        ": hello\nevent: add\nid: 7\nretry: 250\nnonsense: x\nDATA: x\ndata : x\n data: x\ndata: 1\n\ndata: 2\n\n";
    let found = frames(stream);
    let first = SseEvent {
        event: Some("add".into()),
        id: Some("7".into()),
        retry: Some(250),
        data: "1".into(),
        raw: stream[..stream.len() - "data: 2\n\n".len()].to_owned().into(),
        ..SseEvent::default()
    };
    assert_eq!(found[0], first);
    assert_eq!(found[1], SseEvent { data: "2".into(), raw: "data: 2\n\n".into(), ..SseEvent::default() });
}

#[test]
fn ignores_invalid_ids_and_retry_delays() {
    let found = frames("id: a\0b\nretry: 1s\nretry: \nretry: -1\ndata: x\n\n");
    assert_eq!((found[0].id.as_deref(), found[0].retry), (None, None));
}

#[test]
fn event_without_data_keeps_id_but_not_type() {
    let found = frames("event: ping\nid: 3\n\ndata: x\n\n");
    assert_eq!((found[0].event.as_deref(), found[0].id.as_deref()), (None, Some("3")));
    assert_eq!(found[0].raw, "event: ping\nid: 3\n\ndata: x\n\n");
}

#[test]
fn decodes_characters_split_across_chunks() {
    let stream = "data: ä€😀\n\n".as_bytes();
    for cut in 0..stream.len() {
        let (found, _, _) = read(&[&stream[..cut], &stream[cut..]], EVENT_LIMIT);
        assert_eq!((found[0].data.as_str(), found[0].lossy), ("ä€😀", false));
    }
}

#[test]
fn invalid_utf_8_is_replaced_and_reported() {
    let (found, _, _) = read(&[b"data: a\xFFb\n\n: \xFF\ndata: c\n\n"], EVENT_LIMIT);
    assert_eq!((found[0].data.as_str(), found[0].lossy), ("a\u{fffd}b", true));
    assert_eq!(&found[0].raw[..], b"data: a\xFFb\n\n");
    assert_eq!((found[1].data.as_str(), found[1].lossy), ("c", false));
}

#[test]
fn unterminated_last_event_is_marked_unfinished() {
    for stream in ["data: a\n\ndata: b", "data: a\n\ndata: b\n", "data: a\n\ndata: b\r"] {
        let (found, _, rest) = read(&[stream.as_bytes()], EVENT_LIMIT);
        assert_eq!((found[0].unfinished, found[1].unfinished), (false, true), "{stream:?}");
        assert_eq!(found[1].data, "b");
        assert!(rest.is_empty());
    }
    let (found, _, rest) = read(&[b"data: a\n\nevent: x\n: bye"], EVENT_LIMIT);
    assert_eq!((found.len(), &rest[..]), (1, &b"event: x\n: bye"[..]));
}

#[test]
fn unterminated_line_is_marked_torn() {
    for (stream, torn, line) in [
        ("data: a\n\ndata: b", Some(true), None),
        ("data: a\n\ndata: b\n", Some(false), None),
        ("data: a\n\ndata: b\r", Some(false), None),
        ("data: a\n\ndata: b\n: bye", Some(false), None),
        ("data: a\n\ndata: b\nev", Some(true), None),
        ("data: a\n\nevent: to", None, Some("event: to")),
        ("data: a\n\nda", None, Some("da")),
        ("data: a\n\n: by", None, None),
        ("data: a\n\n  ", None, None),
        ("data: a\n\n", None, None),
    ] {
        let mut decoder = Decoder::new(EVENT_LIMIT);
        decoder.push(stream.as_bytes());
        let frames: Vec<SseEvent> = std::iter::from_fn(|| decoder.finish()).collect();
        assert_eq!(frames.get(1).map(|frame| frame.torn), torn, "{stream:?}");
        assert_eq!(decoder.torn_line(), line.map(str::as_bytes), "{stream:?}");
        assert!(!frames[0].torn, "{stream:?}");
    }
}

#[test]
fn event_beyond_limit_is_refused_with_the_limit() {
    let (found, error, _) = read(&[b"data: 1\n\ndata: 12\n\n"], 9);
    assert_eq!((found.len(), error), (1, Some(SseError::TooLarge { limit: 9 })));
    assert_eq!(error.unwrap().to_string(), "an event of the stream is larger than 9 bytes");
    // The error occurs before the end of the event, and is final.
    let mut decoder = Decoder::new(9);
    decoder.push(b": 90123456");
    assert!(decoder.next().is_err());
    decoder.push(b"\n\ndata: 1\n\n");
    assert!(decoder.next().is_err());
    assert_eq!(decoder.finish(), None);
}

/// Bytes that often look like a stream, and any others.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let parts: Vec<&[u8]> = vec![
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"data:",
        b"data: ",
        b"data",
        b"event: ",
        b"id:",
        b"retry: 12",
        b":",
        b" ",
        b"x",
        b"\xEF\xBB\xBF",
        "ä€".as_bytes(),
        b"\xE2\x82",
        b"\0",
    ];
    let part = prop_oneof![8 => select(parts).prop_map(<[u8]>::to_vec), 1 => vec(any::<u8>(), 0..4)];
    vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn chunk_boundaries_do_not_change_the_events(
        bytes in stream(),
        cuts in vec(any::<prop::sample::Index>(), 0..8),
        limit in prop_oneof![Just(EVENT_LIMIT), 5..40_usize],
    ) {
        let whole = read(&[&bytes], limit);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&read(&single, limit), &whole);
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        ends.extend([0, bytes.len()]);
        ends.sort_unstable();
        let pieces: Vec<&[u8]> = ends.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
        prop_assert_eq!(&read(&pieces, limit), &whole);
        let (frames, error, rest) = whole;
        let without: Vec<SseEvent> = frames.iter().map(|frame| SseEvent { raw: Bytes::new(), ..frame.clone() }).collect();
        prop_assert_eq!(&read_with(Decoder::new(limit).without_raw(), &pieces), &(without, error, rest.clone()));
        if error.is_none() {
            let raws: Vec<u8> = frames.iter().flat_map(|frame| frame.raw.to_vec()).chain(rest).collect();
            prop_assert_eq!(raws, bytes);
        }
    }
}
