//! The names that the pages may use: those of the binary and its schemas, and names from elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use agentci::formats::schemas;
use regex::Regex;
use serde_json::Value;

use crate::docs_page::{files_below, project, text_of};
use crate::suite::Suite;

/// Names that neither the binary nor a schema lists, grouped by origin. A name that no page uses any more is an error.
pub(crate) const ELSEWHERE: [(&str, &str); 10] = [
    (
        "fields, values and events of the APIs of models",
        "additionalProperties allowed_tools budget_tokens cache_control completed computer_call \
         custom_tool_call disable_parallel_tool_use done encoding_format function_call function_call_output \
         incomplete input_required input_schema is_error max_completion_tokens mcp_tool_use message_stop nullable object \
         parallel_tool_calls previous_response_id response_format server_tool_use shell_call stop_reason \
         stream stream_options text_delta tool_choice tool_use tool_use_id top_p web_search web_search_call",
    ),
    ("prefixes of the lines of the AI SDK's stream", "d e f"),
    (
        "functions and settings of agent frameworks",
        "create_agent default_tool_error_function final_result stop_on_first_tool tool_not_found_behavior with_structured_output",
    ),
    ("what a script of the yao format gets and returns", "assistant_id chat_id delegate prompt_preset team_id user_id"),
    ("embedders, which are keys of a threshold", "builtin openai"),
    ("names in what a run prints or stores as text", "control_token gate max_model_calls model_wire sse_url"),
    (
        "keys that are taken for secrets, and one that is not",
        "--api-key access_key access_token auth_token authorization private_key refresh_token secret_key \
         token_count",
    ),
    (
        "names that an example made up",
        "area employeeId get_token land mock_search_docs need_search paid refund_order refunded \
         refuses_unknown_check search_docs",
    ),
    ("flags of other tools", "--locked --replay"),
    ("folders, libraries and system calls", "epoll_wait libgcc_s node_modules posix_spawn"),
];

/// What a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Check,
    /// A key of a file that agentci reads or writes. Checks are keys, too.
    Key,
    Flag,
    /// A check, a key, a possible value of a key, a function of the library, or a crate.
    Any,
}

impl Kind {
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Kind::Check => "check",
            Kind::Key => "key",
            Kind::Flag => "flag",
            Kind::Any => "check, key or value",
        }
    }
}

/// All existing names.
pub(crate) struct Vocabulary {
    checks: BTreeSet<String>,
    keys: BTreeSet<String>,
    flags: BTreeSet<String>,
    any: BTreeSet<String>,
}

impl Vocabulary {
    /// Collects the names from the binary and from the schemas of its output files.
    pub(crate) fn read() -> Self {
        let suite = Suite::empty();
        let checks: BTreeSet<String> = agentci::checks::names().map(str::to_owned).collect();
        let mut keys = checks.clone();
        let mut any = code();
        for file in schemas() {
            let printed = suite.agentci(&["schema", file.name]).stdout;
            gather(&serde_json::from_str(&printed).unwrap(), &mut keys, &mut any);
        }
        for path in files_below("docs/reference/schemas", "json") {
            gather(&serde_json::from_str(&text_of(&path)).unwrap(), &mut keys, &mut any);
        }
        any.extend(keys.iter().cloned());
        let mut flags = BTreeSet::new();
        flags_of(&suite, &[], &mut flags);
        Self { checks, keys, flags, any }
    }

    pub(crate) fn has(&self, kind: Kind, name: &str) -> bool {
        self.of(kind).contains(name)
    }

    pub(crate) fn names(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.of(kind).iter().map(String::as_str)
    }

    fn of(&self, kind: Kind) -> &BTreeSet<String> {
        match kind {
            Kind::Check => &self.checks,
            Kind::Key => &self.keys,
            Kind::Flag => &self.flags,
            Kind::Any => &self.any,
        }
    }
}

/// Collects the property names of a schema, and the values that it lists.
fn gather(schema: &Value, keys: &mut BTreeSet<String>, values: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            let listed = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
            values.extend(listed.chain(fields.get("const")).filter_map(Value::as_str).map(str::to_owned));
            fields.values().for_each(|inner| gather(inner, keys, values));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, keys, values)),
        _ => {}
    }
}

/// Collects the flags of a command and of its subcommands from their help.
fn flags_of(suite: &Suite, command: &[&str], flags: &mut BTreeSet<String>) {
    static FLAG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"--[a-z][a-z-]*|\s-[a-zA-Z]\b").unwrap());
    let help = suite.agentci(&[command, &["--help"]].concat()).stdout;
    let named = help.lines().filter(|line| line.trim_start().starts_with('-') || line.contains("[alias"));
    for line in named {
        flags.extend(FLAG.find_iter(line).map(|found| found.as_str().trim().to_owned()));
    }
    let below = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for name in below.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        flags_of(suite, &[command, &[name]].concat(), flags);
    }
}

/// Public functions of the library, workspace crates and external crates.
fn code() -> BTreeSet<String> {
    static FUNCTION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"pub fn (\w+)").unwrap());
    let mut names = BTreeSet::new();
    for path in files_below("crates/agentci/src", "rs") {
        names.extend(FUNCTION.captures_iter(&text_of(&path)).map(|found| found[1].to_owned()));
    }
    let folders = fs::read_dir(project().join("crates")).unwrap();
    names.extend(folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()));
    let manifest = text_of("Cargo.toml");
    names.extend(manifest.lines().filter_map(|line| Some(line.split_once(" = ")?.0.to_owned())));
    names
}
