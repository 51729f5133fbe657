//! Applies listed changes: what a diff says, and nothing else, turns the old run into the new one.

use agentci_trajectory::{CaseDiff, DiffRow, PartChange, PartValue, TrajectoryStep, ValueChange, value_changes};
use proptest::prelude::*;
use serde_json::Value;

/// The steps of the new attempt, made from those of the old one and the listed changes. Steps that are equal are taken
/// from the old attempt. `None` if the changes do not fit.
pub(crate) fn applied(diff: &CaseDiff<'_>) -> Option<Vec<TrajectoryStep>> {
    let kept = diff.rows.iter().filter(|row| row.new.is_some());
    kept.map(applied_row).collect()
}

fn applied_row(row: &DiffRow<'_>) -> Option<TrajectoryStep> {
    let (Some(old), Some(new)) = (row.old, row.new) else { return row.new.cloned() };
    let mut step = TrajectoryStep { name: new.name.clone(), batch: new.batch, ms: new.ms, ..old.clone() };
    let parts: Vec<_> = row.changes.iter().map(|change| change.part).collect();
    for kind in parts {
        let of_part = |change: &&PartChange| change.part == kind;
        let changes: Vec<ValueChange> = row.changes.iter().filter(of_part).map(|it| it.change.clone()).collect();
        match (old.known(kind), &changes[..]) {
            (_, [ValueChange { new: None, new_path: None, old_path: Some(path), .. }]) if path.is_empty() => {
                step.parts.retain(|part| part.kind != kind);
            }
            (None, [ValueChange { new: Some(value), .. }]) => step.set(kind, PartValue::Known(value.clone())),
            (Some(value), changes) => step.set(kind, PartValue::Known(apply_changes(value, changes)?)),
            _ => return None,
        }
    }
    Some(step)
}

/// A value with changes applied: first what is gone, the last first; then what is new; then what changed.
fn apply_changes(old: &Value, changes: &[ValueChange]) -> Option<Value> {
    let mut value = old.clone();
    for change in changes.iter().rev().filter(|change| change.new_path.is_none()) {
        remove(&mut value, change.old_path.as_deref()?)?;
    }
    for change in changes.iter().filter(|change| change.old_path.is_none()) {
        insert(&mut value, change.new_path.as_deref()?, change.new.clone()?)?;
    }
    for change in changes {
        if let (Some(_), Some(path)) = (&change.old_path, &change.new_path) {
            *value.pointer_mut(path)? = change.new.clone()?;
        }
    }
    Some(value)
}

/// The value around a path, and the last step of the path.
fn parent<'v>(value: &'v mut Value, path: &str) -> Option<(&'v mut Value, String)> {
    let (parent, key) = path.rsplit_once('/')?;
    Some((value.pointer_mut(parent)?, key.replace("~1", "/").replace("~0", "~")))
}

fn remove(value: &mut Value, path: &str) -> Option<()> {
    let (parent, key) = parent(value, path)?;
    match parent {
        Value::Object(map) => map.shift_remove(&key).map(drop),
        Value::Array(items) => {
            let index = key.parse().ok().filter(|index| *index < items.len())?;
            items.remove(index);
            Some(())
        }
        _ => None,
    }
}

fn insert(value: &mut Value, path: &str, new: Value) -> Option<()> {
    let (parent, key) = parent(value, path)?;
    match parent {
        Value::Object(map) => {
            map.insert(key, new);
            Some(())
        }
        Value::Array(items) => {
            let index = key.parse().ok().filter(|index| *index <= items.len())?;
            items.insert(index, new);
            Some(())
        }
        _ => None,
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..5_i64).prop_map(Value::from),
        "[ab/~]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[ab/~]{0,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn value_does_not_differ_from_itself(value in value()) {
        prop_assert!(value_changes(&value, &value, &mut |_, _| false).is_empty());
    }

    #[test]
    fn applying_all_changes_gives_the_new_value(old in value(), new in value()) {
        let changes = value_changes(&old, &new, &mut |_, _| false);
        prop_assert_eq!(apply_changes(&old, &changes), Some(new));
    }
}
