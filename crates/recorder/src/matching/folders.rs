//! Pairs the folders of the recording with those of the replay, in every form in which a request may mention them.

use std::path::Path;

use agentci_text::percent_encoded;

use crate::Roots;

/// A percent-encoded slash.
const SLASH: &str = "%2F";

/// The forms of folders, recorded and on this machine, the longest first.
#[derive(Debug, Default)]
pub(super) struct RootPairs(Vec<RootPair>);

#[derive(Debug, PartialEq, Eq)]
pub(super) struct RootPair {
    pub(super) recorded: String,
    pub(super) here: String,
    /// Whether slashes are written as dashes.
    dashed: bool,
}

impl RootPairs {
    pub(super) fn new(recorded: &Roots, here: &Roots) -> Self {
        let mut pairs = Vec::new();
        let both = [
            (Some(recorded.cwd.as_path()), Some(here.cwd.as_path())),
            (recorded.home.as_deref(), here.home.as_deref()),
            (recorded.tmp.as_deref(), here.tmp.as_deref()),
        ];
        for (recorded, here) in both.into_iter().filter_map(|(recorded, here)| Some((text(recorded?)?, text(here?)?))) {
            for ((recorded, dashed), (here, _)) in forms(&recorded).into_iter().zip(forms(&here)) {
                let pair = RootPair { recorded, here, dashed };
                if pair.recorded != pair.here && !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.recorded.len()));
        Self(pairs)
    }

    /// A path with a mark in place of each percent-encoded folder that has another name on the other side; `None` if it
    /// has none. A folder that is not encoded cannot be distinguished from an ordinary path. `form` selects the side
    /// that the path belongs to.
    pub(super) fn masked(&self, path: &str, form: fn(&RootPair) -> &str) -> Option<String> {
        if !path.contains(SLASH) {
            return None;
        }
        let mut out = String::with_capacity(path.len());
        let mut at = 0;
        while let Some(letter) = path[at..].chars().next() {
            let encoded = self.0.iter().filter(|pair| form(pair).starts_with(SLASH));
            let here = encoded.filter(|pair| is_at(path.as_bytes(), at, (form(pair), pair.dashed)));
            if let Some(length) = here.map(|pair| form(pair).len()).max() {
                out.push('\u{1}');
                at += length;
            } else {
                out.push(letter);
                at += letter.len_utf8();
            }
        }
        (out != path).then_some(out)
    }

    /// Finds a folder at which two texts differ. From the given positions, they are `equal` for that many bytes.
    /// Returns the start of the folder relative to the positions, and its length on each side.
    pub(super) fn find(
        &self,
        recorded: (&[u8], usize),
        sent: (&[u8], usize),
        equal: usize,
    ) -> Option<(usize, usize, usize)> {
        for pair in &self.0 {
            // If one folder is inside the other, the texts stay equal for a while after it, so they may differ later
            // than it ends.
            let furthest = 2 * pair.recorded.len().max(pair.here.len()) + 1;
            for start in equal.saturating_sub(furthest)..=equal {
                let here = |(text, from): (&[u8], usize), form: &str| is_at(text, from + start, (form, pair.dashed));
                if here(recorded, &pair.recorded) && here(sent, &pair.here) {
                    return Some((start, pair.recorded.len(), pair.here.len()));
                }
            }
        }
        None
    }
}

/// Whether this folder is mentioned here, and not one whose name only begins or ends like it.
pub(super) fn is_at(text: &[u8], at: usize, (form, dashed): (&str, bool)) -> bool {
    if !text.get(at..).is_some_and(|rest| rest.starts_with(form.as_bytes())) {
        return false;
    }
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || !byte.is_ascii();
    let before = at.checked_sub(1).map(|before| text[before]);
    let mut after = text[at + form.len()..].iter();
    let next = after.next();
    let ends = match next {
        // The end of a sentence.
        Some(b'.') => !after.next().is_some_and(u8::is_ascii_alphanumeric),
        Some(b'-') => dashed,
        Some(byte) => !of_name(byte),
        None => true,
    };
    ends && !before.is_some_and(|byte| of_name(&byte) || (byte == b'-' && !dashed))
}

/// A folder without a trailing slash; `None` for the root folder, which every path contains.
pub(super) fn text(path: &Path) -> Option<String> {
    let text = path.to_str()?.trim_end_matches('/');
    (!text.is_empty()).then(|| text.to_owned())
}

/// The forms of a folder, in the same order for every folder, and whether their slashes are dashes.
pub(super) fn forms(path: &str) -> [(String, bool); 5] {
    [
        (path.to_owned(), false),
        (path.replace('/', "-"), true),
        (path.replace(['/', '_', '.'], "-"), true),
        (percent_encoded(path).replace("%2F", "/"), false),
        (percent_encoded(path), false),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(recorded: &str, here: &str) -> RootPairs {
        let of = |cwd: &str| Roots { cwd: cwd.into(), home: None, tmp: None };
        RootPairs::new(&of(recorded), &of(here))
    }

    fn is_at(text: &str, at: usize) -> bool {
        pairs("/tmp", "/var/x")
            .find((text.as_bytes(), at), (text.replace("/tmp", "/var/x").as_bytes(), at), 0)
            .is_some()
    }

    #[test]
    fn folder_matches_only_as_whole_path() {
        for text in ["/tmp", "/tmp/a", "/tmp.", "/tmp, ", "/tmp\"", "/tmp. Then"] {
            assert!(is_at(text, 0), "{text}");
        }
        for (text, at) in [("/tmpfoo", 0), ("/tmp-foo", 0), ("/tmp.d", 0), ("/tmp_x", 0), ("/x/tmp", 2), ("./tmp", 1)] {
            assert!(!is_at(text, at), "{text}");
        }
        assert!(pairs("/", "/home/me").0.is_empty());
    }
}
