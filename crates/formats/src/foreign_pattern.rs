//! Patterns of other languages: what is written one way there and another way here.
//!
//! What those languages take for a plain character and our engine does not is rewritten, and so are the classes `\w`, `\d` and `\s`
//! and the edges of words, which stand for other characters here, so that a pattern means here what its author saw it mean
//! there. What no engine understands stays as it is, and is reported where patterns are compiled.
//!
//! One difference is left: with `i` and without `u`, JavaScript does not take `ſ` for `s` nor the sign of kelvin for `k`, and our
//! engine does, save for `\w` outside of brackets.

use agentci_plan::Text;

/// How many bytes a name in braces or brackets has at most.
const NEAR: usize = 1 << 10;

/// Whose patterns they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// With variables of ours in them.
    JavaScript(PatternFlags),
    Go,
}

/// What the flags of JavaScript make of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternFlags {
    Plain,
    /// With `i` and neither `u` nor `v`: no ASCII letter is taken for another character.
    IgnoreCase,
    /// With `v`: classes in classes, as here.
    Sets,
}

/// What JavaScript takes for white space.
const SCRIPT_SPACE: &str = r"\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
/// What Go does: no vertical tab.
const GO_SPACE: &str = r"\t\n\f\r ";

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
    fn is_script(&self) -> bool {
        self.language != Language::Go
    }

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
            '[' if self.language == Language::JavaScript(PatternFlags::Sets) => self.set(),
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
            Some('b') if !in_class => self.out.push_str("(?-u:\\b)"),
            Some('B') if !in_class => self.out.push_str("(?-u:\\B)"),
            Some(class @ ('w' | 'W' | 'd' | 'D' | 's' | 'S')) => self.named_class(class, in_class),
            Some('$') => {
                self.out.push_str("\\$");
                self.no_variable();
            }
            // There any other letter stands for itself; here some of them are places in the text.
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

    /// A dollar sign, and the variable that it begins.
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

    /// After a dollar sign, `${` says that no variable begins here.
    fn no_variable(&mut self) -> bool {
        let Some(rest) = self.rest.strip_prefix("${").filter(|_| self.is_script()) else {
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

    /// A class that has a letter for its name.
    fn named_class(&mut self, letter: char, in_class: bool) {
        let members = match letter.to_ascii_lowercase() {
            'w' => "0-9A-Za-z_",
            'd' => "0-9",
            _ if self.is_script() => SCRIPT_SPACE,
            _ => GO_SPACE,
        };
        let negated = letter.is_ascii_uppercase();
        // Here case is ignored as Unicode has it, which would add `ſ` to the letters.
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

    /// What is between brackets where there are classes in classes.
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

    /// The characters between brackets.
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
            '&' | '~' | '-' => self.out.extend(['\\', character]),
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
            for language in [Language::JavaScript(PatternFlags::Plain), Language::Go] {
                let pattern = Regex::new(&translated(written, language)).unwrap_or_else(|error| panic!("{error}"));
                assert!(pattern.is_match(found) && !pattern.is_match(missed), "{written}: {pattern}");
            }
        }
    }

    #[test]
    fn languages_differ() {
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

    /// Each text beside what finds it in JavaScript (plain, with `i`, with `iu`) and in Go (plain and with `i`).
    #[test]
    fn classes_and_edges_of_words_are_those_of_the_language() {
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
    fn nothing_is_lost_of_what_is_wrong() {
        for written in ["[", "[^", "[a\\", "\\", "(", "a{2", "${", "[[:", "\\p{", ""] {
            let translated = translated(written, Language::JavaScript(PatternFlags::Plain));
            assert!(translated.len() >= written.len(), "{written}: {translated}");
        }
    }
}
