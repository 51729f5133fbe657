//! Differences that repeat in many cases.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::{CaseDiff, DiffRow, PartKind, RowRole, StepKind};

/// The maximum number of groups.
const GROUPS: usize = 50;

/// A difference that several cases have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepeatedChange<'t> {
    pub step: StepKind,
    /// The name of the tool.
    pub name: &'t str,
    /// The part that changed; absent if the step itself is new or gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<PartKind>,
    /// The path in the part.
    pub path: String,
    /// Whether the step or the value is gone.
    pub gone: bool,
    /// The old value, if it is the same in all cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// Whether the value is changed, not new.
    pub changed: bool,
    /// The ids of the cases.
    pub cases: Vec<&'t str>,
}

/// What makes two differences the same.
type GroupKey<'t> = (StepKind, &'t str, Option<PartKind>, String, bool, String);

/// The differences that occur in at least two cases, the most frequent first. What follows from an earlier difference
/// is not counted.
pub(crate) fn repeated<'t>(cases: &[CaseDiff<'t>]) -> Vec<RepeatedChange<'t>> {
    let mut groups: BTreeMap<GroupKey<'t>, RepeatedChange<'t>> = BTreeMap::new();
    for case in cases {
        for row in case.rows.iter().filter(|row| matches!(row.role, RowRole::First | RowRole::After)) {
            for change in of_row(row) {
                let new = change.new.as_ref().map(Value::to_string).unwrap_or_default();
                let gone = if change.gone { change.old.as_ref().map(Value::to_string) } else { None };
                let key =
                    (change.step, change.name, change.part, change.path.clone(), change.gone, gone.unwrap_or(new));
                let group = groups.entry(key).or_insert_with(|| change.clone());
                if group.old != change.old {
                    group.old = None;
                }
                if group.cases.last() != Some(&case.id) {
                    group.cases.push(case.id);
                }
            }
        }
    }
    let mut repeated: Vec<_> = groups.into_values().filter(|group| group.cases.len() > 1).collect();
    repeated.sort_by_key(|group| std::cmp::Reverse(group.cases.len()));
    repeated.truncate(GROUPS);
    repeated
}

fn of_row<'t>(row: &DiffRow<'t>) -> Vec<RepeatedChange<'t>> {
    let Some(step) = row.new.or(row.old) else { return Vec::new() };
    let whole = RepeatedChange {
        step: step.kind,
        name: if step.kind == StepKind::Model { "" } else { &step.name },
        part: None,
        path: String::new(),
        gone: row.new.is_none(),
        old: None,
        new: None,
        changed: false,
        cases: Vec::new(),
    };
    if row.old.is_none() || row.new.is_none() {
        // Only calls are named in a way that means something in other cases.
        return if step.kind == StepKind::Call { vec![whole] } else { Vec::new() };
    }
    let shown = row.changes.iter().filter(|change| !change.only_fingerprint);
    shown
        .map(|change| RepeatedChange {
            part: Some(change.part),
            path: change.change.path().to_owned(),
            gone: change.change.new.is_none(),
            old: change.change.old.clone(),
            new: change.change.new.clone(),
            changed: change.change.old.is_some() && change.change.new.is_some(),
            ..whole.clone()
        })
        .collect()
}
