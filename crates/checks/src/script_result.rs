//! Reads what a function of a suite returned: a verdict, a score, or neither.

use agentci_text::ValueType;
use agentci_verdict::CheckScore;
use serde_json::{Map, Value};

use crate::call_words::cut;

/// What a function said about the output.
#[derive(Debug, PartialEq)]
pub(crate) struct ScriptResult<'v> {
    /// Whether it accepts the output.
    pub(crate) pass: bool,
    /// The score, if it gave one.
    pub(crate) score: Option<f64>,
    /// Its message.
    pub(crate) said: Option<&'v str>,
}

/// Why a returned value says nothing about the output. Such a check fails, also under `not`.
#[derive(Debug, PartialEq)]
pub(crate) struct ScriptResultError {
    /// What was returned and expected.
    pub(crate) message: String,
    /// What the function must do.
    pub(crate) label: &'static str,
    /// How to fix it.
    pub(crate) help: Option<&'static str>,
}

impl<'v> ScriptResult<'v> {
    /// Reads a returned value. A boolean is a verdict, not a score. A score decides only with a threshold; a verdict
    /// with a score must reach it, too.
    pub(crate) fn read(function: &str, returned: &'v Value, threshold: Option<f64>) -> Result<Self, ScriptResultError> {
        let (verdict, score, said) = match returned {
            Value::Bool(pass) => (Some(*pass), None, None),
            Value::Number(number) => (None, Some(number.as_f64()), None),
            Value::Object(map) if is_result(map) => {
                (map.get("pass").and_then(Value::as_bool), map.get("score").map(Value::as_f64), message(map))
            }
            other => return Err(no_verdict(function, other)),
        };
        let score = match score {
            None => None,
            Some(Some(score)) if (0.0..=1.0).contains(&score) => Some(score),
            Some(_) => return Err(out_of_range(function, returned)),
        };
        let pass = match (verdict, score, threshold) {
            (None, Some(_), None) => return Err(no_threshold(function, returned)),
            (verdict, Some(score), Some(least)) => verdict.unwrap_or(true) && CheckScore::passes(score, least),
            (verdict, ..) => verdict.unwrap_or(false),
        };
        Ok(Self { pass, score, said: said.filter(|said| !said.is_empty()) })
    }
}

/// Whether an object has a verdict or a score, and neither of the wrong type.
fn is_result(map: &Map<String, Value>) -> bool {
    let (pass, score) = (map.get("pass"), map.get("score"));
    (pass.is_some() || score.is_some()) && pass.is_none_or(Value::is_boolean) && score.is_none_or(Value::is_number)
}

fn message(map: &Map<String, Value>) -> Option<&str> {
    ["message", "reason"].into_iter().find_map(|key| map.get(key)?.as_str())
}

fn no_verdict(function: &str, returned: &Value) -> ScriptResultError {
    let what = match returned {
        Value::Object(map) if map.get("pass").is_some_and(|pass| !pass.is_boolean()) => {
            "whose `pass` is not a boolean".to_owned()
        }
        Value::Object(map) if map.contains_key("score") => "whose `score` is not a number".to_owned(),
        Value::Object(_) => "which has no `pass` and no `score`".to_owned(),
        other => format!("which is of type `{}`", ValueType::of(other).name()),
    };
    ScriptResultError {
        message: format!(
            "`{function}` returned {}, {what}; expected a boolean, `{{ pass: boolean }}` or a score",
            cut(returned)
        ),
        label: "must return a boolean, an object with a boolean `pass`, or a score",
        help: returned.is_null().then_some("a function without `return` returns nothing"),
    }
}

fn out_of_range(function: &str, returned: &Value) -> ScriptResultError {
    ScriptResultError {
        message: format!("`{function}` returned {}, but a score is from 0 to 1", cut(returned)),
        label: "must return a score from 0 to 1",
        help: Some("divide the score by its maximum, or return a boolean"),
    }
}

fn no_threshold(function: &str, returned: &Value) -> ScriptResultError {
    ScriptResultError {
        message: format!("`{function}` returned the score {}, but the check has no `threshold`", cut(returned)),
        label: "returns a score",
        help: Some("set the minimum score, such as `threshold: 0.8`, or return a boolean"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(returned: &Value, threshold: Option<f64>) -> Result<(bool, Option<f64>), String> {
        let result = ScriptResult::read("f", returned, threshold);
        result.map(|result| (result.pass, result.score)).map_err(|error| error.message)
    }

    #[test]
    fn score_decides_only_with_a_threshold() {
        assert_eq!(read(&json!(0.8), Some(0.8)), Ok((true, Some(0.8))));
        assert_eq!(read(&json!(0.79), Some(0.8)), Ok((false, Some(0.79))));
        assert_eq!(read(&json!(1), Some(1.0)), Ok((true, Some(1.0))));
        assert_eq!(read(&json!({"score": 0.4, "reason": "x"}), Some(0.8)), Ok((false, Some(0.4))));
        for score in [json!(1), json!(0.99), json!({"score": 1})] {
            assert!(read(&score, None).unwrap_err().contains("but the check has no `threshold`"), "{score}");
        }
    }

    #[test]
    fn boolean_is_a_verdict_and_not_a_score() {
        for threshold in [None, Some(0.5)] {
            assert_eq!(read(&json!(true), threshold), Ok((true, None)));
            assert_eq!(read(&json!(false), threshold), Ok((false, None)));
        }
    }

    #[test]
    fn verdict_with_a_score_must_reach_the_threshold() {
        let both = |pass: bool, score: f64| json!({"pass": pass, "score": score});
        assert_eq!(read(&both(true, 0.2), None), Ok((true, Some(0.2))));
        assert_eq!(read(&both(true, 0.2), Some(0.8)), Ok((false, Some(0.2))));
        assert_eq!(read(&both(false, 1.0), Some(0.8)), Ok((false, Some(1.0))));
        assert_eq!(read(&both(true, 0.9), Some(0.8)), Ok((true, Some(0.9))));
    }

    #[test]
    fn refuses_scores_out_of_range_and_other_values() {
        for score in [json!(1.01), json!(-0.1), json!(85), json!({"score": 2, "pass": true})] {
            assert!(read(&score, Some(0.5)).unwrap_err().ends_with("but a score is from 0 to 1"), "{score}");
        }
        for other in [
            json!(null),
            json!("yes"),
            json!("true"),
            json!([1]),
            json!({}),
            json!({"pass": 1}),
            json!({"pass": "no"}),
            json!({"score": null}),
            json!({"score": "0.9"}),
            json!({"score": true}),
            json!({"pass": true, "score": "1"}),
        ] {
            assert!(read(&other, Some(0.5)).is_err(), "{other}");
        }
    }
}
