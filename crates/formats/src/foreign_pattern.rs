//! Patterns of other languages: what is written one way there and another way here.
//!
//! Only what those languages take for a plain character and our engine does not is rewritten, so that a pattern means here what
//! its author saw it mean there. What no engine understands stays as it is, and is reported where patterns are compiled.

use agentci_plan::Text;

/// How many bytes a name in braces or brackets has at most.
const NEAR: usize = 1 << 10;

/// Whose patterns they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// With variables of ours in them.
    JavaScript,
    Go,
}

/// The pattern as our engine reads it.
pub(crate) fn translated(written: &str, language: Language) -> String {
    let mut translation = Translation { rest: written, out: String::with_capacity(written.len()), language };
    while let Some(character) = translation.next() {
        translation.outside(character);
    }
    translation.out
}

struct Translation<'w> {
    rest: &'w str,
    out: String,
    language: Language,
}

impl Translation<'_> {
    fn next(&mut self) -> Option<char> {
        let character = self.rest.chars().next()?;
        self.rest = &self.rest[character.len_utf8()..];
        Some(character)
    }

    /// Where this is in what comes next, if it is near: a pattern of nothing but openings must not be read from each to its end.
    fn find(&self, wanted: &str) -> Option<usize> {
        let near = self.rest.floor_char_boundary(NEAR);
        self.rest[..near].find(wanted)
    }

    /// Copies so many bytes of what comes next.
    fn copy(&mut self, length: usize) {
        let (copied, rest) = self.rest.split_at(length);
        self.out.push_str(copied);
        self.rest = rest;
    }

    fn outside(&mut self, character: char) {
        match character {
            '\\' => self.escape(false),
            '$' => self.dollar(),
            '[' => self.class(),
            '{' if !self.repeats() => self.out.push_str("\\{"),
            _ => self.out.push(character),
        }
    }

    /// What follows a backslash.
    fn escape(&mut self, in_class: bool) {
        match self.next() {
            // Here they would be the beginning and the end of a word.
            Some(plain @ ('<' | '>')) => self.out.push(plain),
            Some('b') if in_class => self.out.push_str("\\x08"),
            Some('$') => {
                self.out.push_str("\\$");
                self.no_variable();
            }
            // There any other letter stands for itself; here some of them are places in the text.
            Some(letter) if self.language == Language::JavaScript && is_plain(letter) => self.out.push(letter),
            Some(escaped) => {
                self.out.push('\\');
                self.out.push(escaped);
                let braced = matches!(escaped, 'p' | 'P' | 'u' | 'x') && self.rest.starts_with('{');
                if let Some(end) = self.find("}").filter(|_| braced) {
                    self.copy(end + 1);
                }
            }
            None => self.out.push('\\'),
        }
    }

    /// A dollar sign, and the variable that it begins.
    fn dollar(&mut self) {
        self.out.push('$');
        if self.no_variable() {
            return;
        }
        let Some(end) = self.find("}").filter(|_| self.rest.starts_with('{')) else { return };
        let variable = Text::parse(&format!("${}", &self.rest[..=end]));
        if self.language == Language::JavaScript && matches!(variable, Text::Template(_)) {
            self.copy(end + 1);
        }
    }

    /// After a dollar sign, `${` says that no variable begins here.
    fn no_variable(&mut self) -> bool {
        let Some(rest) = self.rest.strip_prefix("${").filter(|_| self.language == Language::JavaScript) else {
            return false;
        };
        self.out.push_str("\\{");
        self.rest = rest;
        true
    }

    /// Whether what follows a brace makes it say how often: `2}`, `2,}`, `2,3}`.
    fn repeats(&self) -> bool {
        let Some(inside) = self.find("}").map(|end| &self.rest[..end]) else { return false };
        let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        !least.is_empty() && digits(least) && digits(most)
    }

    /// The characters between brackets.
    fn class(&mut self) {
        let script = self.language == Language::JavaScript;
        for (written, any) in [("^]", "[\\s\\S]"), ("]", "[^\\s\\S]")] {
            if let Some(rest) = self.rest.strip_prefix(written).filter(|_| script) {
                self.rest = rest;
                self.out.push_str(any);
                return;
            }
        }
        self.out.push('[');
        if self.rest.starts_with('^') {
            self.copy(1);
        }
        if self.rest.starts_with(']') {
            self.copy(1);
        }
        while let Some(character) = self.next() {
            if character == ']' {
                self.out.push(']');
                return;
            }
            let several = self.member(character);
            let Some(end) = self.rest.strip_prefix('-').filter(|end| !end.starts_with(']')) else { continue };
            if several || is_several(end) {
                // A range needs two ends, so this is a plain dash.
                self.out.push_str("\\-");
                self.rest = end;
            } else if let Some(character) = end.chars().next() {
                self.out.push('-');
                self.rest = &end[character.len_utf8()..];
                self.member(character);
            }
        }
    }

    /// What stands for a character between brackets, or for several of them, which it tells.
    fn member(&mut self, character: char) -> bool {
        match character {
            '\\' => {
                let several = self.rest.starts_with(SEVERAL);
                self.escape(true);
                return several;
            }
            '$' => self.dollar(),
            // `[:alpha:]` is the same everywhere it is known.
            '[' => match self.find(":]").filter(|_| self.rest.starts_with(':')) {
                Some(end) => {
                    self.out.push('[');
                    self.copy(end + 2);
                    return true;
                }
                None => self.out.push_str("\\["),
            },
            // Two of them would be the intersection or a difference of classes here.
            '&' | '~' | '-' => {
                self.out.push('\\');
                self.out.push(character);
            }
            _ => self.out.push(character),
        }
        false
    }
}

/// Whether JavaScript takes a letter after a backslash for the letter.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphabetic() && !"bBcdDfknpPrsStuvwWx".contains(letter)
}

/// What follows a backslash that stands for several characters.
const SEVERAL: [char; 8] = ['w', 'W', 'd', 'D', 's', 'S', 'p', 'P'];

/// Whether what comes next between brackets stands for several characters.
fn is_several(rest: &str) -> bool {
    rest.strip_prefix('\\').is_some_and(|escaped| escaped.starts_with(SEVERAL)) || rest.starts_with("[:")
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn what_is_plain_elsewhere_is_plain_here() {
        for (written, found, missed) in [
            (r#"{"ok": true}"#, r#"said {"ok": true}"#, "ok"),
            ("{id}", "/orders/{id}", "id"),
            ("^{", "{a", "a{"),
            ("a{x}", "a{x}", "ax"),
            ("a{2}b{1,}c{0,3}", "aabcc", "abc"),
            ("[[]", "[", "]"),
            ("[[a]]", "a]", "a"),
            ("[+--]", ",", "a"),
            ("^[--9]$", ".", ":"),
            (r"[\w-.]+@", "a-b.c@", "@"),
            (r"^[a-\d]$", "-", "b"),
            ("^[a-]$", "-", "b"),
            ("^[a-c-e]$", "-", "d"),
            ("[a&&b]", "&", "c"),
            (r"\<b\>", "<b>", "b"),
            (r"[\<\]]", "]", ">"),
            ("[[:digit:]]x", "4x", ":x"),
            (r"\p{Lu}{2}", "AB", "Ab"),
            (r"\u{e9}|\x{41}", "\u{e9}", "e9"),
            (r"\{a\}\[", "{a}[", "a"),
            ("[^[]", "a", "["),
        ] {
            for language in [Language::JavaScript, Language::Go] {
                let pattern = Regex::new(&translated(written, language)).unwrap_or_else(|error| panic!("{error}"));
                assert!(pattern.is_match(found) && !pattern.is_match(missed), "{written}: {pattern}");
            }
        }
    }

    #[test]
    fn languages_differ() {
        assert_eq!(translated("a[^]b", Language::JavaScript), r"a[\s\S]b");
        assert_eq!(translated("[]a]", Language::JavaScript), r"[^\s\S]a]");
        assert_eq!(translated("[]a]", Language::Go), "[]a]");
        assert_eq!(translated(r"\Aa\z", Language::JavaScript), "Aaz");
        assert_eq!(translated(r"\Aa\z", Language::Go), r"\Aa\z");
        assert_eq!(translated("${NAME|escape}{", Language::JavaScript), r"${NAME|escape}\{");
        assert_eq!(translated("[${NAME:-a}]", Language::JavaScript), "[${NAME:-a}]");
        assert_eq!(translated(r"\$${NAME}", Language::JavaScript), r"\$\{NAME}");
        assert_eq!(translated("${NAME}", Language::Go), r"$\{NAME}");
    }

    #[test]
    fn nothing_is_lost_of_what_is_wrong() {
        for written in ["[", "[^", "[a\\", "\\", "(", "a{2", "${", "[[:", "\\p{", ""] {
            let translated = translated(written, Language::JavaScript);
            assert!(translated.len() >= written.len(), "{written}: {translated}");
        }
    }
}
