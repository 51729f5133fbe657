//! Translates JavaScript and Go patterns to the syntax of the `regex` crate, with the same meaning.
//!
//! It rewrites characters that are literal in those languages and special in `regex`, and the classes `\w`, `\d` and
//! `\s` and word boundaries, which match different characters. Syntax that no engine supports stays as it is and is
//! reported when the pattern is compiled.
//!
//! One difference remains: with `i` and without `u`, JavaScript does not match `ſ` as `s` or the kelvin sign as `k`.
//! `regex` does, except for `\w` outside brackets.

use agentci_plan::Text;

/// The maximum length of a name in braces or brackets, in bytes.
const NEAR: usize = 1 << 10;

/// The language of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// May contain agentci's variables.
    JavaScript(PatternFlags),
    Go,
}

/// The JavaScript flags that affect the translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternFlags {
    Plain,
    /// `i` without `u` or `v`: an ASCII letter matches no character outside ASCII.
    IgnoreCase,
    /// `v`: nested classes, as in `regex`.
    Sets,
}

/// White space in JavaScript.
const SCRIPT_SPACE: &str = r"\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
/// White space in Go, which has no vertical tab.
const GO_SPACE: &str = r"\t\n\f\r ";

/// The pattern in the syntax of `regex`.
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
    fn is_script(&self) -> bool {
        self.language != Language::Go
    }

    fn next(&mut self) -> Option<char> {
        let character = self.rest.chars().next()?;
        self.rest = &self.rest[character.len_utf8()..];
        Some(character)
    }

    /// The position of `wanted` in the next [`NEAR`] bytes. The limit keeps a pattern of many opening brackets linear.
    fn find(&self, wanted: &str) -> Option<usize> {
        let near = self.rest.floor_char_boundary(NEAR);
        self.rest[..near].find(wanted)
    }

    /// Copies the next `length` bytes.
    fn copy(&mut self, length: usize) {
        let (copied, rest) = self.rest.split_at(length);
        self.out.push_str(copied);
        self.rest = rest;
    }

    fn outside(&mut self, character: char) {
        match character {
            '\\' => self.escape(false),
            '$' => self.dollar(),
            '[' if self.language == Language::JavaScript(PatternFlags::Sets) => self.set(),
            '[' => self.class(),
            '{' if !self.repeats() => self.out.push_str("\\{"),
            _ => self.out.push(character),
        }
    }

    /// Translates the escape after a backslash.
    fn escape(&mut self, in_class: bool) {
        match self.next() {
            // In `regex` they match the start and the end of a word.
            Some(plain @ ('<' | '>')) => self.out.push(plain),
            Some('b') if in_class => self.out.push_str("\\x08"),
            Some('b') if !in_class => self.out.push_str("(?-u:\\b)"),
            Some('B') if !in_class => self.out.push_str("(?-u:\\B)"),
            Some(class @ ('w' | 'W' | 'd' | 'D' | 's' | 'S')) => self.named_class(class, in_class),
            Some('$') => {
                self.out.push_str("\\$");
                self.no_variable();
            }
            // In JavaScript any other letter is literal; in `regex` some of them are anchors.
            Some(letter) if self.is_script() && is_plain(letter) => self.out.push(letter),
            Some(escaped) => {
                self.out.extend(['\\', escaped]);
                let braced = matches!(escaped, 'p' | 'P' | 'u' | 'x') && self.rest.starts_with('{');
                if let Some(end) = self.find("}").filter(|_| braced) {
                    self.copy(end + 1);
                }
            }
            None => self.out.push('\\'),
        }
    }

    /// Copies a dollar sign and the variable that it starts, if any.
    fn dollar(&mut self) {
        self.out.push('$');
        if self.no_variable() {
            return;
        }
        let Some(end) = self.find("}").filter(|_| self.rest.starts_with('{')) else { return };
        let variable = Text::parse(&format!("${}", &self.rest[..=end]));
        if self.is_script() && matches!(variable, Text::Template(_)) {
            self.copy(end + 1);
        }
    }

    /// After a dollar sign, `${` is an escaped `${`, not the start of a variable.
    fn no_variable(&mut self) -> bool {
        let Some(rest) = self.rest.strip_prefix("${").filter(|_| self.is_script()) else {
            return false;
        };
        self.out.push_str("\\{");
        self.rest = rest;
        true
    }

    /// Whether a brace starts a repetition: it is followed by `2}`, `2,}` or `2,3}`.
    fn repeats(&self) -> bool {
        let Some(inside) = self.find("}").map(|end| &self.rest[..end]) else { return false };
        let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        !least.is_empty() && digits(least) && digits(most)
    }

    /// Translates a class that is named by a letter, such as `\w`.
    fn named_class(&mut self, letter: char, in_class: bool) {
        let members = match letter.to_ascii_lowercase() {
            'w' => "0-9A-Za-z_",
            'd' => "0-9",
            _ if self.is_script() => SCRIPT_SPACE,
            _ => GO_SPACE,
        };
        let negated = letter.is_ascii_uppercase();
        // `regex` ignores case by the rules of Unicode, which would add `ſ` to the letters.
        let alone = letter.eq_ignore_ascii_case(&'w')
            && !in_class
            && self.language == Language::JavaScript(PatternFlags::IgnoreCase);
        let class = match (negated, in_class) {
            (false, true) => members.to_owned(),
            (false, false) => format!("[{members}]"),
            (true, _) => format!("[^{members}]"),
        };
        if alone {
            self.out.extend(["(?-i:", &class, ")"]);
        } else {
            self.out.push_str(&class);
        }
    }

    /// Translates a class that may contain other classes.
    fn set(&mut self) {
        self.out.push('[');
        let mut open = 1_usize;
        while open > 0
            && let Some(character) = self.next()
        {
            match character {
                '\\' => self.escape(true),
                other => {
                    open += usize::from(other == '[');
                    open -= usize::from(other == ']');
                    self.out.push(other);
                }
            }
        }
    }

    /// Translates a class.
    fn class(&mut self) {
        let script = self.is_script();
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
                // A range needs two single characters, so this dash is literal.
                self.out.push_str("\\-");
                self.rest = end;
            } else if let Some(character) = end.chars().next() {
                self.out.push('-');
                self.rest = &end[character.len_utf8()..];
                self.member(character);
            }
        }
    }

    /// Translates a member of a class; returns whether it stands for several characters.
    fn member(&mut self, character: char) -> bool {
        match character {
            '\\' => {
                let several = self.rest.starts_with(SEVERAL);
                self.escape(true);
                return several;
            }
            '$' => self.dollar(),
            // `[:alpha:]` means the same wherever it is supported.
            '[' => match self.find(":]").filter(|_| self.rest.starts_with(':')) {
                Some(end) => {
                    self.out.push('[');
                    self.copy(end + 2);
                    return true;
                }
                None => self.out.push_str("\\["),
            },
            // Two of them would be a set operation in `regex`.
            '&' | '~' | '-' => self.out.extend(['\\', character]),
            _ => self.out.push(character),
        }
        false
    }
}

/// Whether a letter after a backslash is literal in JavaScript.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphabetic() && !"bBcdDfknpPrsStuvwWx".contains(letter)
}

/// The letters of escapes that stand for several characters.
const SEVERAL: [char; 8] = ['w', 'W', 'd', 'D', 's', 'S', 'p', 'P'];

/// Whether the next member of a class stands for several characters.
fn is_several(rest: &str) -> bool {
    rest.strip_prefix('\\').is_some_and(|escaped| escaped.starts_with(SEVERAL)) || rest.starts_with("[:")
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn keeps_characters_literal_as_in_the_source_language() {
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
            for language in [Language::JavaScript(PatternFlags::Plain), Language::Go] {
                let pattern = Regex::new(&translated(written, language)).unwrap_or_else(|error| panic!("{error}"));
                assert!(pattern.is_match(found) && !pattern.is_match(missed), "{written}: {pattern}");
            }
        }
    }

    #[test]
    fn translates_differently_for_javascript_and_go() {
        assert_eq!(translated("a[^]b", Language::JavaScript(PatternFlags::Plain)), r"a[\s\S]b");
        assert_eq!(translated("[]a]", Language::JavaScript(PatternFlags::Plain)), r"[^\s\S]a]");
        assert_eq!(translated("[]a]", Language::Go), "[]a]");
        assert_eq!(translated(r"\Aa\z", Language::JavaScript(PatternFlags::Plain)), "Aaz");
        assert_eq!(translated(r"\Aa\z", Language::Go), r"\Aa\z");
        assert_eq!(translated("${NAME|escape}{", Language::JavaScript(PatternFlags::Plain)), r"${NAME|escape}\{");
        assert_eq!(translated("[${NAME:-a}]", Language::JavaScript(PatternFlags::Plain)), "[${NAME:-a}]");
        assert_eq!(translated(r"\$${NAME}", Language::JavaScript(PatternFlags::Plain)), r"\$\{NAME}");
        assert_eq!(translated("${NAME}", Language::Go), r"$\{NAME}");
    }

    /// Whether each pattern matches the text in JavaScript (plain, with `i`, with `iu`) and in Go (plain, with `i`).
    #[test]
    fn word_classes_and_boundaries_follow_the_language() {
        let finds = |written: &str, language: Language, flags: &str, text: &str| {
            let pattern = format!("{flags}{}", translated(written, language));
            Regex::new(&pattern).unwrap_or_else(|error| panic!("{error}")).is_match(text)
        };
        for (written, text, script, go) in [
            (r"^\w$", "é", [false, false, false], [false, false]),
            (r"^\w$", "z", [true, true, true], [true, true]),
            (r"^\w$", "ſ", [false, false, true], [false, true]),
            (r"^\W$", "ſ", [true, true, false], [true, false]),
            (r"^\W$", "é", [true, true, true], [true, true]),
            (r"^[\W]$", "é", [true, true, true], [true, true]),
            (r"^[^\w]$", "é", [true, true, true], [true, true]),
            (r"^[^\w]$", "e", [false, false, false], [false, false]),
            (r"^[^\W]$", "é", [false, false, false], [false, false]),
            (r"^[\w-]$", "-", [true, true, true], [true, true]),
            (r"^\d$", "٣", [false, false, false], [false, false]),
            (r"^[\d.]+$", "3.5", [true, true, true], [true, true]),
            (r"^\D$", "٣", [true, true, true], [true, true]),
            (r"^[^\d]$", "٣", [true, true, true], [true, true]),
            (r"\bcaf\b", "café", [true, true, true], [true, true]),
            (r"\bcafé\b", "café ", [false, false, false], [false, false]),
            (r"caf\B", "café", [false, false, false], [false, false]),
            (r"é\B", "é", [true, true, true], [true, true]),
            (r"^\s$", "\u{a0}", [true, true, true], [false, false]),
            (r"^\s$", "\u{feff}", [true, true, true], [false, false]),
            (r"^\s$", "\u{85}", [false, false, false], [false, false]),
            (r"^\s$", "\u{b}", [true, true, true], [false, false]),
            (r"^[\s]$", "\u{2003}", [true, true, true], [false, false]),
            (r"^\S$", "\u{2003}", [false, false, false], [true, true]),
            (r"^[\S]$", "\u{85}", [true, true, true], [true, true]),
            (r"^[^\s]$", " ", [false, false, false], [false, false]),
            (r"^[\b]$", "\u{8}", [true, true, true], [true, true]),
        ] {
            let modes = [(PatternFlags::Plain, ""), (PatternFlags::IgnoreCase, "(?i)"), (PatternFlags::Plain, "(?i)")];
            let seen = modes.map(|(mode, flags)| finds(written, Language::JavaScript(mode), flags, text));
            assert_eq!(seen, script, "JavaScript {written} in {text:?}");
            let sets = finds(written, Language::JavaScript(PatternFlags::Sets), "(?i)", text);
            assert_eq!(sets, script[2], "JavaScript with v {written} in {text:?}");
            assert_eq!(
                ["", "(?i)"].map(|flags| finds(written, Language::Go, flags, text)),
                go,
                "Go {written} in {text:?}"
            );
        }
        assert!(finds(r"^[[\w]--[a-z]]$", Language::JavaScript(PatternFlags::Sets), "", "A"));
    }

    #[test]
    fn invalid_patterns_are_not_truncated() {
        for written in ["[", "[^", "[a\\", "\\", "(", "a{2", "${", "[[:", "\\p{", ""] {
            let translated = translated(written, Language::JavaScript(PatternFlags::Plain));
            assert!(translated.len() >= written.len(), "{written}: {translated}");
        }
    }
}
