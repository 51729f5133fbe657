//! A malicious recording costs no more than its limits allow.

use std::fmt::Write as _;

use bytes::Bytes;

use crate::Recording;

const HEADER: &str = r#"{"v":2,"type":"recording","command":[],"now_ms":1,"roots":{"cwd":"/"},"keys":[]}"#;

fn requests(count: usize, fields: impl Fn(usize) -> String) -> String {
    (1..=count).fold(format!("{HEADER}\n"), |mut text, id| {
        let fields = fields(id);
        let _ =
            writeln!(text, r#"{{"type":"request","id":{id},"at_us":1,"to":"a","method":"GET","path":"/"{fields}}}"#);
        let _ = writeln!(text, r#"{{"type":"end","id":{id},"at_us":1,"how":"closed"}}"#);
        text
    })
}

#[test]
fn number_of_exchanges_is_limited() {
    assert!(Recording::parse(&requests(10_000, |_| String::new())).is_ok());
    let error = Recording::parse(&requests(10_001, |_| String::new())).unwrap_err();
    assert_eq!(error.message, "a recording may have at most 10000 exchanges");
}

#[test]
fn expanded_body_size_is_limited() {
    let large = "x".repeat(1 << 20);
    let text = requests(1_000, |id| match id {
        1 => format!(r#","json":"{large}""#),
        _ => r#","like":1,"patch":[]"#.to_owned(),
    });
    let error = Recording::parse(&text).unwrap_err();
    assert_eq!(error.message, "the bodies of a recording may have at most 536870912 bytes in total");
}

#[test]
fn attached_files_count_towards_the_size_limit() {
    let name = "0".repeat(64);
    let text = requests(1, |_| format!(r#","file":"{name}","holds":"bytes""#));
    let zeros = Bytes::from(vec![0; Recording::LARGEST + 1]);
    let error = Recording::parse_with(&text, &mut |_| Ok(zeros.clone())).unwrap_err();
    assert_eq!(error.to_string(), "line 2: the bodies of a recording may have at most 536870912 bytes in total");
}

#[test]
fn json_depth_is_limited() {
    let deep = "[".repeat(5_000);
    let error = Recording::parse(&requests(1, |_| format!(r#","json":{deep}"#))).unwrap_err();
    assert!(error.message.contains("recursion limit"), "{error}");
    let deep = format!("{deep}{}", "]".repeat(5_000));
    let error = Recording::parse(&requests(1, |_| format!(r#","json_text":"{deep}""#))).unwrap_err();
    assert!(error.message.contains("recursion limit"), "{error}");
}
