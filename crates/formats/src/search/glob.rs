//! Patterns of paths, written as in `.gitignore`.
//!
//! ```text
//! old            a file or folder called `old`, at any depth
//! evals/old      the one in `evals`; a slash ties a pattern to the folder it is written for
//! *.gen.yaml     `*` and `?` stand for characters of one name, `[a-z]` for one of several
//! evals/**/old   `**` stands for any number of folders
//! old/           only a folder
//! ```

/// A pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    parts: Vec<GlobSegment>,
    /// Whether it fits folders alone.
    folders: bool,
}

/// What one name of a path is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum GlobSegment {
    /// `**`: any number of names.
    Depth,
    /// One name.
    Name(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// `*`: any characters.
    Many,
    /// `?`: one character.
    One,
    Exactly(char),
    /// `[..]`: one of these, or with `!` one of no other.
    Class {
        except: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Glob {
    /// Reads a pattern; `None` when nothing is left of it.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let folders = path.len() < text.len();
        let mut parts = Vec::new();
        if !path.contains('/') {
            parts.push(GlobSegment::Depth);
        }
        for name in path.split('/').filter(|name| !name.is_empty() && *name != ".") {
            parts.push(if name == "**" { GlobSegment::Depth } else { GlobSegment::Name(tokens(name)) });
        }
        if !parts.iter().any(|part| matches!(part, GlobSegment::Name(_))) && !path.contains("**") {
            return None;
        }
        if parts.last() == Some(&GlobSegment::Depth) {
            // What is in the folder fits, the folder itself does not.
            parts.push(GlobSegment::Name(vec![Token::Many]));
        }
        Some(Self { parts, folders })
    }

    /// Whether it fits a path, whose names are separated by slashes.
    pub(crate) fn fits(&self, path: &str, is_folder: bool) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        (is_folder || !self.folders)
            && sequence(&self.parts, &names, |part| *part == GlobSegment::Depth, |part, name| part.fits(name))
    }
}

impl GlobSegment {
    fn fits(&self, name: &str) -> bool {
        let GlobSegment::Name(tokens) = self else { return true };
        let letters: Vec<char> = name.chars().collect();
        sequence(tokens, &letters, |token| *token == Token::Many, |token, letter| token.fits(*letter))
    }
}

impl Token {
    fn fits(&self, letter: char) -> bool {
        match self {
            Token::Many | Token::One => true,
            Token::Exactly(expected) => *expected == letter,
            Token::Class { except, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter)) != *except
            }
        }
    }
}

/// Whether a pattern fits all items. Only the last element that stands for many is tried again, which is enough and keeps the
/// work within the product of the two lengths.
fn sequence<P, I>(pattern: &[P], items: &[I], is_many: impl Fn(&P) -> bool, fits: impl Fn(&P, &I) -> bool) -> bool {
    let (mut at, mut item) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while item < items.len() {
        match pattern.get(at) {
            Some(element) if is_many(element) => {
                again = Some((at, item));
                at += 1;
            }
            Some(element) if fits(element, &items[item]) => {
                at += 1;
                item += 1;
            }
            _ => {
                let Some((many, from)) = again else { return false };
                again = Some((many, from + 1));
                at = many + 1;
                item = from + 1;
            }
        }
    }
    pattern[at..].iter().all(is_many)
}

fn tokens(name: &str) -> Vec<Token> {
    let letters: Vec<char> = name.chars().collect();
    let mut tokens = Vec::with_capacity(letters.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        at += 1;
        tokens.push(match letter {
            '*' => Token::Many,
            '?' => Token::One,
            '\\' if at < letters.len() => {
                at += 1;
                Token::Exactly(letters[at - 1])
            }
            '[' => match class(&letters[at..]) {
                Some((token, length)) => {
                    at += length;
                    token
                }
                None => Token::Exactly('['),
            },
            other => Token::Exactly(*other),
        });
    }
    tokens
}

/// Reads `[..]` behind its bracket, and how many characters it has; `None` when it is never closed.
fn class(letters: &[char]) -> Option<(Token, usize)> {
    let except = matches!(letters.first(), Some('!' | '^'));
    let mut at = usize::from(except);
    let first = at;
    let mut ranges = Vec::new();
    loop {
        let letter = *letters.get(at)?;
        if letter == ']' && at > first {
            return Some((Token::Class { except, ranges }, at + 1));
        }
        let from = if letter == '\\' { escaped(letters, &mut at)? } else { letter };
        at += 1;
        let to = match (letters.get(at), letters.get(at + 1)) {
            (Some('-'), Some(end)) if *end != ']' => {
                at += 1;
                let end = if *end == '\\' { escaped(letters, &mut at)? } else { *end };
                at += 1;
                end
            }
            _ => from,
        };
        ranges.push((from, to));
    }
}

fn escaped(letters: &[char], at: &mut usize) -> Option<char> {
    *at += 1;
    letters.get(*at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).unwrap().fits(path, false)
    }

    #[test]
    fn a_name_fits_at_any_depth_and_a_path_at_one() {
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
    fn wildcards_stay_within_a_name() {
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
    fn a_slash_at_the_end_means_a_folder() {
        let glob = Glob::new("old/").unwrap();
        assert!(glob.fits("a/old", true) && !glob.fits("a/old", false));
        assert_eq!((Glob::new(""), Glob::new("/"), Glob::new("./")), (None, None, None));
    }

    #[test]
    fn a_hostile_pattern_takes_no_time() {
        let pattern = "**/*a*a*a*a*a*a*a*a*b/".repeat(15);
        let path = vec!["a".repeat(100); 32].join("/");
        assert!(!Glob::new(&pattern).unwrap().fits(&path, true));
    }
}
