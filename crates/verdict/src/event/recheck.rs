//! The results of evaluating the checks of a suite again on a stored run.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{CaseStatus, CheckEnd, CheckStatus};

/// What a recheck changed about an attempt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseRecheck {
    /// The status in the stored run; absent if the run has no such case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<CaseStatus>,
    /// The checks with another result than in the stored run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CheckChange>,
    /// What could not be evaluated again, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_rechecked: Vec<NotRechecked>,
    /// The unchanged checks that could not be evaluated again and have the result of the stored run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<NotRechecked>,
}

/// A check with another result than in the stored run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckChange {
    /// The name of the check.
    pub name: String,
    /// What the check expects, in short form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The number of the turn, from 0, if it is a check of one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The result in the stored run; absent if the check was added since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<CheckStatus>,
    /// The result now; absent if the check was removed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<CheckStatus>,
    /// The reason of the result now, unless it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A check, or a whole case, that could not be evaluated again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRechecked {
    /// The name of the check; `case` for the whole case.
    pub name: String,
    /// The number of the turn, from 0, if it is a check of one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Why it could not be evaluated.
    pub reason: String,
}

/// The checks with different results. Checks are the same if their definitions are, else if their names are, both in
/// the order of the suite.
pub fn check_changes(before: &[CheckEnd], after: &[CheckEnd]) -> Vec<CheckChange> {
    let pairs = pair(before, after);
    let mut changes: Vec<CheckChange> = Vec::new();
    for (now, earlier) in after.iter().zip(&pairs) {
        let then = earlier.map(|position| before[position].status);
        if then != Some(now.status) {
            changes.push(change(now, then, Some(now.status), now.message.clone()));
        }
    }
    let paired: HashSet<usize> = pairs.into_iter().flatten().collect();
    let removed = before.iter().enumerate().filter(|(position, _)| !paired.contains(position));
    changes.extend(removed.map(|(_, check)| change(check, Some(check.status), None, None)));
    changes
}

fn change(
    check: &CheckEnd,
    before: Option<CheckStatus>,
    after: Option<CheckStatus>,
    message: Option<String>,
) -> CheckChange {
    let CheckEnd { name, subject, turn, .. } = check.clone();
    CheckChange { name, subject, turn, before, after, message }
}

/// For each check, the position of the same check in the stored run.
fn pair(before: &[CheckEnd], after: &[CheckEnd]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; after.len()];
    let mut free: Vec<usize> = (0..before.len()).collect();
    let same_definition = |a: &CheckEnd, b: &CheckEnd| a.definition.is_some() && a.definition == b.definition;
    let same_name = |a: &CheckEnd, b: &CheckEnd| a.name == b.name;
    for same in [same_definition as fn(&CheckEnd, &CheckEnd) -> bool, same_name] {
        for (now, pair) in after.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
            let found = free.iter().position(|at| before[*at].turn == now.turn && same(&before[*at], now));
            *pair = found.map(|found| free.remove(found));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, definition: &str, status: CheckStatus) -> CheckEnd {
        CheckEnd { name: name.into(), definition: Some(definition.into()), status, ..CheckEnd::default() }
    }

    #[test]
    fn moved_check_is_the_same_and_edited_check_is_found_by_name() {
        use CheckStatus::{Failed, Passed};
        let before = [check("contains", "a", Passed), check("contains", "b", Failed), check("type", "c", Passed)];
        let after = [check("contains", "b", Failed), check("contains", "d", Failed), check("equals", "e", Passed)];
        let changes = check_changes(&before, &after);
        let short: Vec<_> = changes.iter().map(|change| (&*change.name, change.before, change.after)).collect();
        let expected =
            [("contains", Some(Passed), Some(Failed)), ("equals", None, Some(Passed)), ("type", Some(Passed), None)];
        assert_eq!(short, expected);
    }

    #[test]
    fn checks_of_different_turns_are_different() {
        let before = [check("contains", "a", CheckStatus::Passed)];
        let after = [CheckEnd { turn: Some(1), ..before[0].clone() }];
        assert_eq!(check_changes(&before, &after).len(), 2);
        assert_eq!(check_changes(&before, &before), []);
    }
}
