//! Names from the suite, shortened so that they can still be told apart.

use std::cmp::Reverse;
use std::collections::BTreeSet;

const DOTS: &str = "...";

/// The names in at most `limit` characters each. Different names stay different: those that are too long are cut in the
/// middle, nearer to one end if they differ only there.
pub(super) fn distinct(names: &[String], limit: usize) -> Vec<String> {
    let different = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len();
    let wanted = different(names);
    let room = limit.saturating_sub(DOTS.len());
    let mut heads: Vec<usize> = (0..=room).collect();
    heads.sort_by_key(|head| ((head * 2).abs_diff(room), Reverse(*head)));
    for head in heads {
        let short: Vec<String> = names.iter().map(|name| without_middle(name, limit, head, room - head)).collect();
        if different(&short) == wanted {
            return short;
        }
    }
    // They differ only where every cut is.
    let number = |name: &String| names.iter().position(|other| other == name).expect("it is one of the names") + 1;
    names.iter().map(|name| numbered(name, limit, number(name))).collect()
}

/// The first and the last characters of a name that is too long.
fn without_middle(name: &str, limit: usize, head: usize, tail: usize) -> String {
    let length = name.chars().count();
    if length <= limit {
        return name.to_owned();
    }
    name.chars().take(head).chain(DOTS.chars()).chain(name.chars().skip(length - tail)).collect()
}

fn numbered(name: &str, limit: usize, number: usize) -> String {
    if name.chars().count() <= limit {
        return name.to_owned();
    }
    let number = format!("{DOTS}~{number}");
    name.chars().take(limit.saturating_sub(number.len())).chain(number.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(names: &[&str], limit: usize) -> Vec<String> {
        distinct(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), limit)
    }

    #[test]
    fn long_names_are_cut_in_the_middle() {
        assert_eq!(short(&["abcdefghij", "short"], 7), ["ab...ij", "short"]);
        assert_eq!(short(&["\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}"], 4), ["\u{e9}..."]);
    }

    #[test]
    fn different_names_stay_different() {
        assert_eq!(short(&["abc1efghij", "abc2efghij"], 8), ["abc1...j", "abc2...j"]);
        let middle = |c: char| format!("{}{c}{}", "x".repeat(30), "y".repeat(30));
        let (one, two) = (middle('1'), middle('2'));
        assert_eq!(short(&[&one, &two, &one], 10), ["xxxxx...~1", "xxxxx...~2", "xxxxx...~1"]);
    }
}
