//! Prints a baseline file: one line per case, per run and per distinct prompt.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::read::VERSION;
use crate::{Baseline, PastRun};

/// The fields of a case that a baseline keeps, in this order. All others differ from run to run, or say nothing that
/// runs are compared by.
const CASE_FIELDS: [&str; 11] = [
    "id",
    "status",
    "cause",
    "assertions",
    "tool_calls",
    "tool_errors",
    "tool_steps",
    "asked",
    "similarity",
    "embedder",
    "deterministic",
];

/// The fields of a suite that a baseline keeps.
const SUITE_FIELDS: [&str; 5] = ["name", "suite_path", "dialect", "tool_mode", "tool_steps_rule"];

/// The first characters of the ids of runs. Each has a list of its own, so that two branches that each add a run seldom
/// change neighbouring lines, which git could not merge.
const DIGITS: &str = "0123456789abcdef";

/// Prints a baseline. The document is a summary or a baseline, whose `cases` and `prompts` are taken over.
pub fn print_baseline(document: &Value, baseline: &Baseline) -> String {
    let mut text =
        format!("{{\n\"schema_version\": {VERSION},\n\"suite\": {},\n", line(&kept(&document["suite"], &SUITE_FIELDS)));
    let cases = document["cases"].as_array().map(Vec::as_slice).unwrap_or_default();
    list(&mut text, "cases", cases.iter().map(|case| line(&case_line(case))));
    let mut runs: Vec<&PastRun> = baseline.history.runs().iter().collect();
    runs.sort_by(|one, other| one.id.cmp(&other.id));
    text += ",\n\"runs\": {\n";
    for (at, digit) in DIGITS.chars().enumerate() {
        text += if at == 0 { "" } else { ",\n" };
        list(&mut text, &digit.to_string(), runs.iter().filter(|run| run.id.starts_with(digit)).map(line));
    }
    text += "\n}";
    if let Some(prompts) = document["prompts"].as_object() {
        text += ",\n";
        print_prompts(&mut text, prompts);
    }
    text += "\n}\n";
    text
}

fn case_line(case: &Value) -> Value {
    let mut fields = kept(case, &CASE_FIELDS);
    if case.get("calls").is_some() || case["seen_by_others"] == json!(true) {
        fields["seen_by_others"] = json!(true);
    }
    fields
}

/// The named fields of an object, in this order, without nulls and empty lists.
fn kept(value: &Value, names: &[&str]) -> Value {
    let field = |name: &&str| {
        let field = value.get(*name)?;
        let empty = field.is_null() || *field == json!([]) && *name != "tool_steps" && *name != "asked";
        (!empty && *field != json!(false)).then(|| ((*name).to_owned(), sorted(field)))
    };
    Value::Object(names.iter().filter_map(field).collect::<Map<_, _>>())
}

fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

/// The prompts: each distinct one, and each system prompt and tool, has a line.
fn print_prompts(text: &mut String, prompts: &Map<String, Value>) {
    *text += "\"prompts\": {\n";
    for (at, (name, value)) in prompts.iter().enumerate() {
        *text += if at == 0 { "" } else { ",\n" };
        match value.as_object() {
            Some(entries) => {
                let _ = writeln!(text, "{}: {{", line(name));
                join(text, entries.iter().map(|(key, value)| format!("{}: {}", line(key), line(&sorted(value)))));
                *text += "}";
            }
            None => {
                let _ = write!(text, "{}: {}", line(name), line(value));
            }
        }
    }
    *text += "\n}";
}

fn list(text: &mut String, name: &str, lines: impl Iterator<Item = String>) {
    let _ = writeln!(text, "{}: [", line(name));
    join(text, lines);
    *text += "]";
}

fn join(text: &mut String, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        *text += &lines.join(",\n");
        text.push('\n');
    }
}

fn line(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("results of a run have a form in JSON")
}
