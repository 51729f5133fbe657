//! The actions of a turn with an MCP server.

use agentci_mcp::{self as mcp, ElicitationAnswer};
use serde_json::{Map, Value, json};

use crate::Input;
use crate::template_parts::as_text;

/// An action of a turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum McpAction {
    /// Calls a tool.
    Call {
        tool: String,
        args: Value,
        answers: Vec<ElicitationAnswer>,
        /// Whether a tool error fails the turn.
        strict: bool,
    },
    /// Reads a resource.
    Read { uri: String, answers: Vec<ElicitationAnswer> },
    /// Fills in a prompt.
    Prompt { name: String, args: Value, answers: Vec<ElicitationAnswer> },
    /// Lists tools, resources and prompts.
    List {
        /// The snapshot file to compare the tools with.
        snapshot: Option<String>,
    },
}

impl McpAction {
    /// Reads the action of a turn; an error is one of the suite.
    pub(super) fn read(input: &Input) -> Result<Self, String> {
        let Input::Action { kind, arguments } = input else {
            return Err("an MCP server does not accept messages: call a tool with `mcp:call`".into());
        };
        let map = match arguments {
            Value::Object(map) => map.clone(),
            Value::Null => Map::new(),
            _ => return Err(format!("`{kind}` must be a mapping")),
        };
        let mut given = ActionArguments { kind, map };
        let action = match kind.as_str() {
            "mcp:call" => McpAction::Call {
                tool: given.required("tool")?,
                args: given.args()?,
                answers: given.answers()?,
                strict: given.strict()?,
            },
            "mcp:read" => McpAction::Read { uri: given.required("uri")?, answers: given.answers()? },
            "mcp:prompt" => {
                McpAction::Prompt { name: given.required("name")?, args: given.args()?, answers: given.answers()? }
            }
            "mcp:list" => McpAction::List { snapshot: given.text("snapshot")? },
            other => return Err(format!("unknown MCP action `{other}`")),
        };
        match given.map.keys().next() {
            Some(unknown) => Err(format!("unknown key `{}` in `{kind}`", unknown.escape_debug())),
            None => Ok(action),
        }
    }

    /// The identity by which a replay finds the action.
    pub(super) fn identity(&self) -> Value {
        let (mut identity, answers) = match self {
            McpAction::Call { tool, args, answers, .. } => {
                (json!({ "method": "tools/call", "tool": tool, "args": args }), answers.as_slice())
            }
            McpAction::Read { uri, answers } => (json!({ "method": "resources/read", "uri": uri }), answers.as_slice()),
            McpAction::Prompt { name, args, answers } => {
                (json!({ "method": "prompts/get", "name": name, "args": args }), answers.as_slice())
            }
            McpAction::List { .. } => (json!({ "method": "list" }), [].as_slice()),
        };
        if !answers.is_empty() {
            let show =
                |answer: &ElicitationAnswer| json!({ "action": answer.action.as_str(), "content": answer.content });
            identity["answers"] = answers.iter().map(show).collect();
        }
        identity
    }
}

/// The arguments of an action that are not read yet.
struct ActionArguments<'k> {
    kind: &'k str,
    map: Map<String, Value>,
}

impl ActionArguments<'_> {
    fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        let text = self.optional(key, "a string", |value| value.as_str().is_some_and(|text| !text.is_empty()))?;
        Ok(text.as_ref().map(as_text))
    }

    fn required(&mut self, key: &str) -> Result<String, String> {
        self.text(key)?.ok_or_else(|| format!("`{}` needs `{key}`", self.kind))
    }

    fn args(&mut self) -> Result<Value, String> {
        Ok(self.optional("args", "a mapping", Value::is_object)?.unwrap_or_else(|| json!({})))
    }

    /// Whether a tool error fails the turn.
    fn strict(&mut self) -> Result<bool, String> {
        match self.text("errors")?.as_deref() {
            None | Some("allow") => Ok(false),
            Some("fail") => Ok(true),
            Some(_) => Err(format!("`errors` of `{}` must be `allow` or `fail`", self.kind)),
        }
    }

    fn answers(&mut self) -> Result<Vec<ElicitationAnswer>, String> {
        let answers = self.optional("answers", "a list", Value::is_array)?;
        let answers = answers.as_ref().and_then(Value::as_array).into_iter().flatten();
        answers.cloned().map(answer).collect()
    }

    fn optional(&mut self, key: &str, wanted: &str, fits: fn(&Value) -> bool) -> Result<Option<Value>, String> {
        match self.map.shift_remove(key).filter(|value| !value.is_null()) {
            Some(value) if !fits(&value) => Err(format!("`{key}` of `{}` must be {wanted}", self.kind)),
            found => Ok(found),
        }
    }
}

fn answer(item: Value) -> Result<ElicitationAnswer, String> {
    const SHAPE: &str =
        "an answer is `{ action: accept, content: {..} }`, `{ action: decline }` or `{ action: cancel }`";
    let Value::Object(mut item) = item else { return Err(SHAPE.into()) };
    let action = match item.shift_remove("action").as_ref().map(Value::as_str) {
        None | Some(Some("accept")) => mcp::ElicitationAction::Accept,
        Some(Some("decline")) => mcp::ElicitationAction::Decline,
        Some(Some("cancel")) => mcp::ElicitationAction::Cancel,
        Some(_) => return Err(SHAPE.into()),
    };
    let content = item.shift_remove("content").filter(|content| !content.is_null());
    if item.is_empty() { Ok(ElicitationAnswer { action, content }) } else { Err(SHAPE.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: &str, arguments: Value) -> Result<McpAction, String> {
        McpAction::read(&Input::Action { kind: kind.into(), arguments })
    }

    #[test]
    fn reads_action_with_all_fields() {
        let accept =
            ElicitationAnswer { action: mcp::ElicitationAction::Accept, content: Some(json!({ "name": "Ann" })) };
        let decline = ElicitationAnswer { action: mcp::ElicitationAction::Decline, content: None };
        let answers = json!([{ "content": { "name": "Ann" } }, { "action": "decline" }]);
        let call = read("mcp:call", json!({ "tool": "t", "args": { "a": 1 }, "answers": answers, "errors": "fail" }));
        assert_eq!(
            call,
            Ok(McpAction::Call {
                tool: "t".into(),
                args: json!({ "a": 1 }),
                answers: vec![accept, decline],
                strict: true
            })
        );
        assert_eq!(read("mcp:list", Value::Null), Ok(McpAction::List { snapshot: None }));
        let prompt = McpAction::Prompt { name: "p".into(), args: json!({}), answers: vec![] };
        assert_eq!(read("mcp:prompt", json!({ "name": "p" })), Ok(prompt));
    }

    #[test]
    fn reports_invalid_actions() {
        for (kind, arguments, words) in [
            ("mcp:call", json!({}), "`mcp:call` needs `tool`"),
            ("mcp:call", json!([1]), "`mcp:call` must be a mapping"),
            ("mcp:call", json!({ "tool": "t", "args": [1] }), "`args` of `mcp:call` must be a mapping"),
            ("mcp:call", json!({ "tool": "t", "errors": "no" }), "`errors` of `mcp:call` must be `allow` or `fail`"),
            ("mcp:call", json!({ "tool": "t", "arg": {} }), "unknown key `arg` in `mcp:call`"),
            ("mcp:read", json!({ "uri": 1 }), "`uri` of `mcp:read` must be a string"),
            ("mcp:ping", json!({}), "unknown MCP action `mcp:ping`"),
        ] {
            assert_eq!(read(kind, arguments), Err(words.into()));
        }
        for wrong in [json!(["yes"]), json!([{ "action": "maybe" }]), json!([{ "contents": {} }])] {
            assert!(
                read("mcp:call", json!({ "tool": "t", "answers": wrong })).unwrap_err().starts_with("an answer is")
            );
        }
    }
}
