//! Accepts some flags with a single dash, as other programs do.

use std::ffi::OsString;

/// The flags that are accepted with a single dash.
const ONE_DASH: [&str; 3] = ["-agent", "-out", "-semantic-timeout"];

/// Rewrites `-agent`, `-out` and `-semantic-timeout`, alone or before a `=`, with two dashes. Everything else, and
/// everything after `--`, stays as it is.
pub(super) fn two_dashes(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut flags = true;
    let spelt = words.into_iter().map(|word| {
        flags &= word != "--";
        let name = word.to_str().map(|text| text.split_once('=').map_or(text, |(name, _)| name));
        if !flags || !name.is_some_and(|name| ONE_DASH.contains(&name)) {
            return word;
        }
        let mut two = OsString::from("-");
        two.push(word);
        two
    });
    spelt.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_three_long_flags_with_single_dash() {
        let spelt = |line: &str| {
            let words = two_dashes(line.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            spelt("a run -agent x -out=y -semantic-timeout 30s"),
            "a run --agent x --out=y --semantic-timeout 30s"
        );
        for same in ["a run --agent x -o y -a gent -agents x -outer", "a run -- -agent", "a run -tests x -agent-url y"]
        {
            assert_eq!(spelt(same), same);
        }
    }
}
