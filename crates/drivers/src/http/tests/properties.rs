//! Properties of any answer.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::json;

use super::answers::{stream, strict};

/// A stream and the text in it.
fn streams() -> impl Strategy<Value = (String, String)> {
    let word = "[a-z \u{e9}\u{1F600}\"\\\\]{1,5}".prop_filter("a word of its own", |word| word.trim() == word);
    let event = (word, 0usize..4, prop::sample::select(vec!["\n", "\r\n", "\r"]));
    prop::collection::vec(event, 1..6).prop_map(|events| {
        let mut said = String::new();
        let mut text = String::new();
        for (word, shape, end) in events {
            // Words of plain text must not read as JSON.
            let word = format!("w{word}");
            said.push_str(&word);
            let data = match shape {
                0 => word,
                1 => json!({ "delta": { "content": word } }).to_string(),
                2 => json!({ "choices": [{ "delta": { "content": word } }] }).to_string(),
                _ => json!(word).to_string(),
            };
            let _ = write!(text, ": comment{end}data: {data}{end}{end}");
        }
        (text, said)
    })
}

proptest! {
    #[test]
    fn chunk_boundaries_do_not_change_the_answer((text, said) in streams(), size in 1usize..9) {
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let read = stream(strict(None), &pieces);
        prop_assert_eq!(read.output, Ok(json!(said)));
        prop_assert_eq!(read.trace.conversation().text(), said);
    }

    #[test]
    fn never_panics_on_arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), pointer in "[/a~0-9]{0,6}") {
        let read = stream(strict(Some(&pointer)), &[&bytes]);
        prop_assert!(read.output.is_err() || !read.trace.conversation().text().is_empty());
    }
}
