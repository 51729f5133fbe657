//! Compares the tools of a server with a snapshot file, to detect changes of their schemas.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use agentci_files::{ReadError, read_bounded, write_whole};
use serde_json::{Map, Value};

use crate::{DriveError, DriveResult};
use agentci_exchange::{first_difference, shown};
use agentci_text::Difference;

/// The size limit of a snapshot, in bytes.
const LARGEST: u64 = 64 << 20;
/// The fields of a tool that are compared.
const KEPT: [&str; 5] = ["name", "description", "inputSchema", "outputSchema", "annotations"];

/// Compares the tools with a snapshot. A missing snapshot is created if `recording`.
pub(super) fn compare(tools: &Value, path: &Path, recording: bool) -> DriveResult {
    let present = kept(tools);
    let shown = path.display();
    let wrong = |what: &str| DriveError::Unsupported(format!("the snapshot `{shown}` {what}"));
    let text = match read_bounded(path, LARGEST) {
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound && recording => {
            return write_whole(path, format!("{present:#}\n"))
                .map_err(|error| wrong(&format!("cannot be written: {error}")));
        }
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => {
            let message = format!("the snapshot `{shown}` does not exist: create it with `agentci record`");
            return Err(DriveError::Unsupported(message));
        }
        read => read.map_err(|error| wrong(&format!("cannot be read: {error}")))?,
    };
    let former: Value = serde_json::from_slice(&text).map_err(|error| wrong(&format!("is not JSON: {error}")))?;
    match drift(&former, &present) {
        None => Ok(()),
        Some(message) => Err(DriveError::Refused {
            message: format!("{message} (snapshot `{shown}`)"),
            help: "if the change is intended, delete the snapshot and create it again with `agentci record`".into(),
        }),
    }
}

/// The first difference between two lists of tools.
fn drift(former: &Value, present: &Value) -> Option<String> {
    let (former, present) = (by_name(former), by_name(present));
    for (name, was) in &former {
        let Some(is) = present.get(name) else { return Some(format!("the tool `{name}` is gone")) };
        if let Some(Difference { path, expected: recorded, actual: sent }) = first_difference(was, is) {
            let path = if path.is_empty() { "the top" } else { &path };
            return Some(format!(
                "the tool `{name}` changed: at {path} the snapshot has {}, the server says {}",
                shown(recorded.as_ref()),
                shown(sent.as_ref())
            ));
        }
    }
    let new = present.keys().find(|name| !former.contains_key(*name))?;
    Some(format!("the tool `{new}` is new"))
}

fn by_name(tools: &Value) -> BTreeMap<&str, &Value> {
    let tools = tools.as_array().into_iter().flatten();
    tools.filter_map(|tool| Some((tool["name"].as_str()?, tool))).collect()
}

/// The tools, reduced to the compared fields.
fn kept(tools: &Value) -> Value {
    let keep = |tool: &Value| -> Value {
        let fields = KEPT.iter().filter_map(|key| Some(((*key).to_owned(), tool.get(*key)?.clone())));
        fields.filter(|(_, value)| !value.is_null()).collect::<Map<String, Value>>().into()
    };
    tools.as_array().into_iter().flatten().map(keep).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools(kind: &str) -> Value {
        let schema = json!({ "type": "object", "properties": { "a": { "type": kind } } });
        json!([{ "name": "add", "description": "Adds", "inputSchema": schema, "icons": [1] }, { "name": "zero" }])
    }

    #[test]
    fn reports_first_change() {
        let former = kept(&tools("integer"));
        assert_eq!(drift(&former, &kept(&tools("integer"))), None);
        assert_eq!(
            drift(&former, &kept(&tools("string"))).unwrap(),
            r#"the tool `add` changed: at /inputSchema/properties/a/type the snapshot has "integer", the server says "string""#
        );
        assert_eq!(drift(&former, &json!([former[0]])).unwrap(), "the tool `zero` is gone");
        assert_eq!(drift(&json!([former[0]]), &former).unwrap(), "the tool `zero` is new");
        let described = json!([{ "name": "add" }, { "name": "zero", "outputSchema": {} }]);
        assert_eq!(
            drift(&json!([{ "name": "add" }, { "name": "zero" }]), &described).unwrap(),
            "the tool `zero` changed: at /outputSchema the snapshot has nothing, the server says {}"
        );
    }

    #[test]
    fn refuses_oversized_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tools.json");
        std::fs::File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        for (path, why) in
            [(path.as_path(), "it is larger than 67108864 bytes"), (folder.path(), "it is not a regular file")]
        {
            assert!(compare(&Value::Null, path, false).unwrap_err().to_string().ends_with(why), "{why}");
        }
    }

    #[test]
    fn drops_irrelevant_fields() {
        assert_eq!(kept(&json!([{ "name": "a", "icons": [], "annotations": null }])), json!([{ "name": "a" }]));
    }
}
