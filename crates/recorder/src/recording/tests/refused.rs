//! Invalid recordings are rejected, with the line.

use crate::Recording;

const HEADER: &str = r#"{"v":2,"type":"recording","command":[],"now_ms":1,"roots":{"cwd":"/"},"keys":[]}"#;

fn request(id: u64) -> String {
    format!(r#"{{"type":"request","id":{id},"at_us":1,"to":"https://a","method":"GET","path":"/"}}"#)
}

fn end(id: u64) -> String {
    format!(r#"{{"type":"end","id":{id},"at_us":2,"how":"closed"}}"#)
}

fn refused(lines: &[&str]) -> String {
    Recording::parse(&(lines.join("\n") + "\n")).unwrap_err().to_string()
}

#[test]
fn first_line_identifies_the_format() {
    let conversation = r#"{"v":1,"type":"recording","seed":7}"#;
    assert!(Recording::is_world(HEADER) && Recording::is_world(&format!("{HEADER}\nanything")));
    assert!(!Recording::is_world(conversation) && !Recording::is_world("") && !Recording::is_world("{}"));
    let said = "line 1: this is a conversation in version 1 of the format, not the recording of a world";
    assert_eq!(refused(&[conversation]), said);
    let newer = HEADER.replace("\"v\":2", "\"v\":3");
    assert!(Recording::is_world(&newer), "a newer version should be told, not taken for something else");
    assert_eq!(refused(&[&newer]), "line 1: unknown version 3; this program reads version 2");
    assert_eq!(Recording::parse("").unwrap_err().to_string(), "line 1: this is not a recording: it is empty");
    assert!(refused(&[&request(1)]).contains("the first line must be of type `recording`"));
}

#[test]
fn refuses_inconsistent_lines() {
    let (one, two) = (request(1), request(2));
    let response = r#"{"type":"response","id":1,"at_us":1,"status":200}"#;
    let frame = r#"{"type":"frame","id":1,"at_us":1,"text":""}"#;
    let end = end(1);
    for (lines, said) in [
        (vec![r#"{"type":"sock\u001bet"}"#], "line 2: unknown line type `sock\\u{1b}et`"),
        (vec![&two], "line 2: found request 2, expected request 1: requests are numbered from 1"),
        (vec![&one, &one], "line 3: exchange 1 has two requests"),
        (vec![response], "line 2: a line of type `response` of exchange 1, which has no request"),
        (vec![&one, frame], "line 3: a line of type `frame` of exchange 1, which has no response yet"),
        (vec![&one, response, response], "line 4: exchange 1 has two responses"),
        (vec![&one, &response.replace("200", "99")], "line 3: `status` is not an HTTP status"),
        (vec![&one, &end, response], "line 4: a line of type `response` of exchange 1, which has ended"),
        (vec![&one, &end, &end], "line 4: a line of type `end` of exchange 1, which has ended"),
        (vec![&one, response], "line 3: exchange 1 has no end: the file was cut off"),
        (vec![HEADER], "line 2: a second `recording` line: the file contains two recordings"),
        (vec!["[]"], "line 2: this is not a JSON object"),
        (vec![r#"{"type":"exit","at_us":1,"code":0}"#, &one], "line 3: no line may follow the `exit` line"),
        (vec![r#"{"type":"exit","at_us":1,"kode":0}"#], "line 2: unknown field `kode` in this line"),
    ] {
        let lines: Vec<&str> = [HEADER].into_iter().chain(lines).collect();
        assert_eq!(refused(&lines), said);
    }
}

#[test]
fn refuses_invalid_bodies() {
    let with = |fields: &str| request(1).replace("\"path\"", &format!("{fields},\"path\""));
    for (fields, said) in [
        (r#""like":1,"patch":[]"#, "`like` must name an earlier exchange whose body is JSON"),
        (r#""after":1"#, "`after` must name an earlier exchange"),
        (r#""base64":"?""#, "`base64` cannot be decoded"),
        (r#""speaks":"none""#, "unknown API `none`"),
        (r#""file":"../../etc/passwd","holds":"text""#, "`file` must be a SHA-256 in lower case"),
        (r#""json":1,"text":"x""#, "unknown field `text` in this line"),
        (r#""headers":{"a":1}"#, "`headers` must map names to strings"),
    ] {
        let said_instead = refused(&[HEADER, &with(fields), &end(1)]);
        assert!(said_instead.contains(said), "{said_instead}");
    }
}

#[test]
fn reports_truncated_last_line() {
    let text = format!("{HEADER}\n{}\n{}\n", request(1), end(1));
    assert!(Recording::parse(&text).is_ok());
    assert!(Recording::parse(text.trim_end()).is_ok(), "an editor may have removed the last line end");
    let torn = Recording::parse(&text[..text.len() - 5]).unwrap_err();
    assert_eq!(torn.to_string(), "line 3: the file ends in the middle of this line: it was cut off");
}
