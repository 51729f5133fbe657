//! Evaluates tasks in a worker.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::path_cost;
use crate::json_schema::{misfits, validator};
use crate::schema_format::Formats;

pub(super) const SCHEMA: &str = "schema";
pub(super) const PATH: &str = "path";

/// The longest answer, in bytes; the matches of a path may be much larger than the value itself.
const LONGEST_ANSWER: usize = 8 << 20;

/// Evaluates tasks one after another. Keeps the last compiled schema, since most tasks of a run share one.
#[derive(Debug, Default)]
pub struct Evaluator {
    ready: Option<(String, Formats, Validator)>,
}

impl Evaluator {
    /// Answers a task, given as its three lines: `{"misfits": ..}` for a schema, `{"found": [..]}` for a path, or
    /// `{"exceeded": why}` or `{"unusable": why}` if the evaluation failed.
    pub fn answer(&mut self, kind: &str, subject: &str, value: &str) -> String {
        let answer = match catch_unwind(AssertUnwindSafe(|| self.perform(kind, subject, value))) {
            Ok(Ok(answer)) => answer.to_string(),
            Ok(Err(unusable)) => json!({ "unusable": unusable }).to_string(),
            Err(_) => json!({ "unusable": "the evaluation crashed" }).to_string(),
        };
        if answer.len() > LONGEST_ANSWER {
            return json!({ "exceeded": format!("{} MB of matches", LONGEST_ANSWER >> 20) }).to_string();
        }
        answer
    }

    fn perform(&mut self, kind: &str, subject: &str, value: &str) -> Result<Value, String> {
        let read = |line: &str| serde_json::from_str::<Value>(line).map_err(|error| error.to_string());
        let value = read(value)?;
        match kind.split_once(' ') {
            Some((SCHEMA, formats)) => {
                let formats = Formats::of_name(formats).ok_or_else(|| format!("unknown format mode `{formats}`"))?;
                let source = read(subject)?;
                let known = self.ready.take().filter(|(ready, own, _)| ready == subject && *own == formats);
                let ready = match known {
                    Some((.., ready)) => ready,
                    None => validator(&source, formats).map_err(|error| error.to_string())?,
                };
                let found = misfits(&ready, &source, &value);
                self.ready = Some((subject.to_owned(), formats, ready));
                Ok(json!({ "misfits": found }))
            }
            None if kind == PATH => {
                let path: String = serde_json::from_str(subject).map_err(|error| error.to_string())?;
                let path = path_cost::parse(&path)?;
                Ok(json!({ "found": path.query(&value).all() }))
            }
            _ => Err(format!("unknown task `{kind}`")),
        }
    }
}
