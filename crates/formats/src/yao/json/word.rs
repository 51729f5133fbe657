//! What is no bracket: texts, numbers and the three words.

use agentci_source::{Diagnostic, Scalar};
use serde_json::Number;

use super::cursor::{Cursor, TextPlace};

impl Cursor<'_> {
    /// A text, its opening quote still to be taken.
    pub(super) fn text(&mut self) -> Result<String, Diagnostic> {
        let start = self.at();
        self.take();
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| c != '"' && c != '\\' && !c.is_control()));
            let at = self.at();
            match self.peek() {
                Some('"') => {
                    self.take();
                    return Ok(text);
                }
                Some('\\') => {
                    self.take();
                    text.push(self.escape(at)?);
                }
                // Delete and the controls behind ASCII may stand as they are.
                Some(control) if control > '\u{1f}' => text.extend(self.take()),
                Some('\n' | '\r') | None => {
                    return Err(Diagnostic::error(self.point(start), "a text is never closed")
                        .label("begins here")
                        .help("close it with `\"`, and write `\\n` for a new line within it"));
                }
                Some(control) => {
                    let message = format!("a text holds the character `{}`", control.escape_debug());
                    let help = "write it as an escape: `\\t`, `\\u0000`";
                    return Err(Diagnostic::error(self.point(at), message).label("not allowed in JSON").help(help));
                }
            }
        }
    }

    fn escape(&mut self, start: TextPlace) -> Result<char, Diagnostic> {
        Ok(match self.take() {
            Some(same @ ('"' | '\\' | '/')) => same,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode(start),
            _ => {
                return Err(Diagnostic::error(self.since(start), "an unknown escape in a text")
                    .label("not known to JSON")
                    .help("write `\\\\` for a backslash"));
            }
        })
    }

    /// One or two escapes of four digits that are one character.
    fn unicode(&mut self, start: TextPlace) -> Result<char, Diagnostic> {
        let wrong = |cursor: &Self| {
            Diagnostic::error(cursor.since(start), "this escape is no character")
                .label("four hexadecimal digits belong here, or two halves of a pair")
        };
        let first = self.four_digits().ok_or_else(|| wrong(self))?;
        let code = if (0xd800..0xdc00).contains(&first) {
            let low = if self.takes('\\') && self.takes('u') { self.four_digits() } else { None };
            let low = low.filter(|low| (0xdc00..0xe000).contains(low)).ok_or_else(|| wrong(self))?;
            0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| wrong(self))
    }

    fn four_digits(&mut self) -> Option<u32> {
        let mut code = 0;
        for _ in 0..4 {
            code = code * 16 + self.peek()?.to_digit(16)?;
            self.take();
        }
        Some(code)
    }

    /// A number, `true`, `false` or `null`.
    pub(super) fn word(&mut self) -> Result<Scalar, Diagnostic> {
        let start = self.at();
        let word = self.take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '+' | '.' | '_' | '$'));
        let is_number = || serde_json::from_str::<Number>(word).is_ok();
        if matches!(word, "true" | "false" | "null") || is_number() {
            return Ok(Scalar::plain(word));
        }
        if word.is_empty() {
            let found = self.peek().map_or_else(|| "the end of the file".into(), |c| format!("`{}`", shown(c)));
            let problem = Diagnostic::error(self.point(start), format!("a value is missing, found {found}"));
            return Err(problem.label("expected a value"));
        }
        let help = match word.to_ascii_lowercase().as_str() {
            known @ ("true" | "false" | "null") => format!("write `{known}`"),
            "none" | "nil" | "undefined" => "write `null`".to_owned(),
            _ => "put it in double quotes if it is a text".to_owned(),
        };
        let message = format!("`{}` is no JSON value", word.escape_debug());
        Err(Diagnostic::error(self.since(start), message).label("not known to JSON").help(help))
    }
}

/// A character as a message shows it: as it is, unless nobody could see it.
pub(super) fn shown(character: char) -> String {
    if character.is_ascii_graphic() { character.to_string() } else { character.escape_debug().to_string() }
}
