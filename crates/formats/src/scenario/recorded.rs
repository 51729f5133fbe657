//! Writes recorded fixtures into a scenario file.
//!
//! ```yaml
//! tool_fixtures:
//!   paySlips:
//!     - request:
//!         payDetailsIds: [999999]
//!         region: "US"
//!       response_file: paySlips/4e07408562be.json
//! ```

use std::fmt::Write as _;
use std::ops::Range;

use agentci_plan::{RecordedFixture, RecordedTool};
use agentci_source::Span;
use agentci_source::yaml::{flow, quoted, scalar};
use serde_json::Value;

const KEY: &str = "tool_fixtures";

/// Replaces the fixtures in the text of a scenario, or adds them at the end if it has none. The rest is unchanged.
pub(super) fn with_fixtures(text: &str, place: Option<Span>, tools: &[RecordedTool]) -> Result<String, String> {
    replaced(text, place, &block(tools))
}

/// The `tool_fixtures` block; each line ends with a line feed.
fn block(tools: &[RecordedTool]) -> String {
    let mut text = format!("{KEY}:\n");
    for RecordedTool { id, fixtures } in tools {
        let _ = writeln!(text, "  {}:", scalar(id));
        for written in fixtures {
            fixture(written, &mut text);
        }
    }
    text
}

fn fixture(written: &RecordedFixture, text: &mut String) {
    match &written.request {
        Value::Object(map) if !map.is_empty() => {
            text.push_str("    - request:\n");
            for (key, value) in map {
                let _ = writeln!(text, "        {}: {}", scalar(key), flow(value));
            }
        }
        other => {
            let _ = writeln!(text, "    - request: {}", flow(other));
        }
    }
    if let Some(method) = &written.method {
        let _ = writeln!(text, "      method: {method}");
    }
    let file: Vec<String> = written.file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let _ = writeln!(text, "      response_file: {}", scalar(&file.join("/")));
    if written.status != 200 {
        let _ = writeln!(text, "      status: {}", written.status);
    }
    if !written.headers.is_empty() {
        text.push_str("      headers:\n");
        for (key, value) in &written.headers {
            let _ = writeln!(text, "        {}: {}", scalar(key), quoted(value));
        }
    }
}

fn replaced(text: &str, place: Option<Span>, block: &str) -> Result<String, String> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = block.replace('\n', newline);
    let range = match place {
        Some(span) => existing(text, span)?,
        None => end(text)?,
    };
    let (before, after) = (text.get(..range.start), text.get(range.end..));
    let (Some(before), Some(after)) = (before, after) else { return Err("its fixtures were not found".into()) };
    let ends = before.is_empty() || before.ends_with(['\n', '\r']) || before == "\u{feff}";
    let gap = if ends { "" } else { newline };
    Ok(format!("{before}{gap}{block}{after}"))
}

/// The lines of the fixtures: from their key to the last line that belongs to them.
fn existing(text: &str, span: Span) -> Result<Range<usize>, String> {
    let moved = || format!("`{KEY}` is no longer on line {}; the file has changed since it was read", span.line);
    let lines = lines(text);
    let first = usize::try_from(span.line).ok().and_then(|line| line.checked_sub(1)).ok_or_else(moved)?;
    let start = lines.get(first).ok_or_else(moved)?;
    let written = text[start.clone()].trim_start_matches('\u{feff}');
    let key = [KEY.to_owned(), format!("\"{KEY}\""), format!("'{KEY}'")];
    if !key.iter().any(|key| written.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'))) {
        return Err(if written.trim_start().starts_with(['{', '[']) { flow_style() } else { moved() });
    }
    // Indented lines and closing brackets belong to the block; empty lines and comments do if more of it follows.
    let mut last = first;
    for (at, line) in lines.iter().enumerate().skip(first + 1) {
        let line = &text[line.clone()];
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if !line.starts_with([' ', '\t', '}', ']']) {
            break;
        }
        // An indented comment may be the last line of the block.
        last = at;
    }
    let bom = if first == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    Ok(start.start + bom..lines.get(last).map_or(text.len(), |line| line.end))
}

/// Where fixtures can be added: the end of the only document.
fn end(text: &str) -> Result<Range<usize>, String> {
    let lines = lines(text);
    let mut end = text.len();
    let mut documents = 0;
    let mut content = false;
    for line in &lines {
        let written = &text[line.clone()];
        if written.trim_start_matches('\u{feff}').trim_start().starts_with('{') && !content {
            return Err(flow_style());
        }
        if written.trim_end() == "..." {
            end = line.start;
            break;
        }
        if written.trim_end() == "---" {
            documents += 1;
        }
        content |= !written.trim().is_empty() && !written.starts_with(['#', '-', '%']);
    }
    if documents > 1 { Err("it contains several documents".into()) } else { Ok(end..end) }
}

fn flow_style() -> String {
    format!("it is written in braces; write `{KEY}` as a block on separate lines")
}

/// The byte range of every line, with its line end.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        lines.push(start..start + line.len());
        start += line.len();
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_plan::ToolSource;
    use agentci_source::MemoryFiles;
    use proptest::prelude::*;
    use serde_json::{Number, json};

    use agentci_trace::same_value;

    use super::*;
    use crate::load;

    const HEAD: &str = "test_name: x\nuser_input: y\nexpected_answer: z\n";

    fn written(request: Value) -> RecordedFixture {
        RecordedFixture {
            method: None,
            request,
            file: "t/1.json".into(),
            status: 200,
            headers: vec![("x-odd".into(), "a: #\"b\" 'c'".into())],
        }
    }

    fn tool(fixture: RecordedFixture) -> RecordedTool {
        RecordedTool { id: "t".into(), fixtures: vec![fixture] }
    }

    /// Reads the fixtures of a scenario.
    fn read(text: &str) -> Vec<(String, Vec<agentci_plan::Fixture>)> {
        let files = MemoryFiles::default().with("tests/a/x.yaml", text).with("tests/a/__files/t/1.json", "1");
        let loaded = load(&files, &["tests".into()]);
        let problems: Vec<&str> = loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect();
        assert!(!loaded.diagnostics.has_errors(), "{problems:?}\n{text}");
        let ToolSource::Routes(routes) = &loaded.plan.suites[0].cases[0].world.tools else { panic!("no routes") };
        routes.tools.iter().map(|tool| (tool.id.value.clone(), tool.fixtures.clone())).collect()
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let number = "-?[1-9][0-9]{0,30}(\\.[0-9]{1,5})?".prop_map(|digits| digits.parse::<Number>().unwrap());
        let text = prop_oneof![
            ".{0,8}",
            Just("no".to_owned()),
            Just("12:30".to_owned()),
            Just("\u{85}\u{2028}\u{feff}\u{7f}\t\r\n".to_owned()),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            number.prop_map(Value::Number),
            text.prop_map(Value::String),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
                prop::collection::vec((".{1,6}", inner), 0..3)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn recorded_fixtures_round_trip(request in any_value()) {
            let text = format!("{HEAD}{}", block(&[tool(written(request.clone()))]));
            let read = read(&text);
            let fixture = &read[0].1[0];
            match (&request, &fixture.request) {
                // A null request is written as null, which is read as any request.
                (Value::Null, None) => {}
                (_, Some(found)) => prop_assert!(same_value(&request, found), "{found}\n{text}"),
                _ => prop_assert!(false, "{text}"),
            }
            prop_assert_eq!(&fixture.headers, &written(Value::Null).headers);
        }
    }

    #[test]
    fn replaces_only_the_fixtures_block() {
        let block = block(&[tool(written(json!({"n": 1})))]);
        let span = |text: &str| {
            let line = text.lines().position(|line| line.contains("tool_fixtures")).unwrap() + 1;
            let file = agentci_source::Sources::default().add(Path::new("x"), "");
            Some(Span { file, line: u32::try_from(line).unwrap(), column: 1, width: 1 })
        };
        for (before, inside, after) in [
            (HEAD, "tool_fixtures:\n  a:\n\n  # about b\n  b: []\n", "\n# the end\ntags: [x]\n"),
            ("", "\"tool_fixtures\": {}\n", HEAD),
            ("\u{feff}", "tool_fixtures : {\n  a: []\n}\n", HEAD),
            (HEAD, "tool_fixtures:\n# left\n  a: []", ""),
            (HEAD, "tool_fixtures:\n", "...\n"),
        ] {
            let text = format!("{before}{inside}{after}");
            assert_eq!(replaced(&text, span(&text), &block), Ok(format!("{before}{block}{after}")), "{text}");
        }
    }
}
