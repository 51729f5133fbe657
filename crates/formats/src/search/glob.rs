//! Path patterns with the syntax of `.gitignore`.
//!
//! ```text
//! old            a file or folder called `old`, at any depth
//! evals/old      the one in `evals`; a slash ties a pattern to the folder it is written for
//! *.gen.yaml     `*` and `?` stand for characters of one name, `[a-z]` for one of several
//! evals/**/old   `**` stands for any number of folders
//! old/           only a folder
//! ```

use std::fmt::Write as _;

use regex::Regex;

/// The regular expression for `**`: any number of folders.
const ANY_FOLDERS: &str = "(?:[^/]+/)*";

#[derive(Debug)]
pub(crate) struct Glob {
    pattern: Regex,
    /// Whether it only matches folders.
    folders: bool,
}

impl Glob {
    /// Parses a pattern; `None` if it is empty or invalid.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
        let (last, folders_of_it) = names.split_last()?;
        let mut pattern = String::from("^");
        if !path.contains('/') {
            pattern.push_str(ANY_FOLDERS);
        }
        for name in folders_of_it {
            match *name {
                "**" => pattern.push_str(ANY_FOLDERS),
                _ => pattern.extend([translated(name).as_str(), "/"]),
            }
        }
        // A trailing `**` matches the content of the folder, not the folder itself.
        let last = if *last == "**" { format!("{ANY_FOLDERS}[^/]+") } else { translated(last) };
        pattern.extend([last.as_str(), "$"]);
        Some(Self { pattern: Regex::new(&pattern).ok()?, folders: path.len() < text.len() })
    }

    /// Whether it matches a path with `/` separators.
    pub(crate) fn fits(&self, path: &str, is_folder: bool) -> bool {
        (is_folder || !self.folders) && self.pattern.is_match(path)
    }
}

/// Translates the pattern of one name to a regular expression.
fn translated(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    let mut rest = name.chars();
    while let Some(letter) = rest.next() {
        let literal = match letter {
            '*' => {
                pattern.push_str("[^/]*");
                continue;
            }
            '?' => {
                pattern.push_str("[^/]");
                continue;
            }
            '[' => {
                if let Some((class, behind)) = class(rest.as_str()) {
                    pattern.push_str(&class);
                    rest = behind.chars();
                    continue;
                }
                '['
            }
            '\\' => rest.next().unwrap_or('\\'),
            other => other,
        };
        pattern.push_str(&regex::escape(literal.encode_utf8(&mut [0; 4])));
    }
    pattern
}

/// Translates `[..]`, given the text after the opening bracket; also returns the rest. `None` if it is not closed.
fn class(text: &str) -> Option<(String, &str)> {
    let except = text.strip_prefix(['!', '^']);
    let mut rest = except.unwrap_or(text).chars();
    let mut members = String::new();
    for position in 0.. {
        let letter = rest.next()?;
        if letter == ']' && position > 0 {
            break;
        }
        let from = if letter == '\\' { rest.next()? } else { letter };
        let mut ahead = rest.clone();
        let to = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(end)) if end != ']' => {
                rest = ahead;
                if end == '\\' { rest.next()? } else { end }
            }
            _ => from,
        };
        if from <= to {
            let _ = write!(members, "\\x{{{:x}}}-\\x{{{:x}}}", u32::from(from), u32::from(to));
        }
    }
    // No class matches the separator.
    let class = if except.is_some() { format!("[^/{members}]") } else { format!("[/{members}&&[^/]]") };
    Some((class, rest.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).unwrap().fits(path, false)
    }

    #[test]
    fn name_matches_at_any_depth_but_path_is_anchored() {
        for (pattern, path, expected) in [
            ("old", "old", true),
            ("old", "a/b/old", true),
            ("old", "older", false),
            ("old", "old/inner", false),
            ("/old", "old", true),
            ("/old", "a/old", false),
            ("a/old", "a/old", true),
            ("./a/old", "a/old", true),
            ("a/old", "b/a/old", false),
            ("**/a/old", "b/a/old", true),
            ("a/**/old", "a/old", true),
            ("a/**/old", "a/b/c/old", true),
            ("a/**", "a", false),
            ("a/**", "a/b/c", true),
            ("**", "a/b", true),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn wildcards_do_not_match_slashes() {
        for (pattern, path, expected) in [
            ("*.gen.yaml", "a/b.gen.yaml", true),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("a*b*c", "axxbxxbc", true),
            ("caf?", "caf\u{fffd}", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]x]", "]", true),
            ("[x", "[x", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn trailing_slash_matches_only_folders() {
        let glob = Glob::new("old/").unwrap();
        assert!(glob.fits("a/old", true) && !glob.fits("a/old", false));
        assert!(["", "/", "./"].into_iter().all(|nothing| Glob::new(nothing).is_none()));
    }

    #[test]
    fn hostile_pattern_does_not_cause_backtracking() {
        let pattern = "**/*a*a*a*a*a*a*a*a*b/".repeat(15);
        let path = vec!["a".repeat(100); 32].join("/");
        assert!(!Glob::new(&pattern).unwrap().fits(&path, true));
    }
}
