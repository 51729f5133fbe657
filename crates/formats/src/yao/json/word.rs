//! Reads scalars: strings, numbers, `true`, `false` and `null`.

use agentci_source::{Diagnostic, Scalar};
use serde_json::Number;

use super::cursor::{Cursor, TextPlace};

impl Cursor<'_> {
    /// Reads a string; the cursor is at its opening quote.
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
                // DEL and control characters beyond ASCII are allowed unescaped.
                Some(control) if control > '\u{1f}' => text.extend(self.take()),
                Some('\n' | '\r') | None => {
                    return Err(Diagnostic::error(self.point(start), "a string is never closed")
                        .label("begins here")
                        .help("close it with `\"`; write a line break within it as `\\n`"));
                }
                Some(control) => {
                    let message = format!("a string contains the control character `{}`", control.escape_debug());
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
                return Err(Diagnostic::error(self.since(start), "unknown escape in a string")
                    .label("not a JSON escape")
                    .help("write `\\\\` for a backslash"));
            }
        })
    }

    /// Reads the digits of a `\u` escape, and the second escape of a surrogate pair.
    fn unicode(&mut self, start: TextPlace) -> Result<char, Diagnostic> {
        let wrong = |cursor: &Self| {
            Diagnostic::error(cursor.since(start), "this escape is not a character")
                .label("expected four hexadecimal digits, or a surrogate pair")
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

    /// Reads a number, `true`, `false` or `null`.
    pub(super) fn word(&mut self) -> Result<Scalar, Diagnostic> {
        let start = self.at();
        let word = self.take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '+' | '.' | '_' | '$'));
        let is_number = || serde_json::from_str::<Number>(word).is_ok();
        if matches!(word, "true" | "false" | "null") || is_number() {
            return Ok(Scalar::plain(word));
        }
        if word.is_empty() {
            let found = self.peek().map_or_else(|| "the end of the file".into(), |c| format!("`{}`", shown(c)));
            let problem = Diagnostic::error(self.point(start), format!("expected a value, found {found}"));
            return Err(problem.label("expected a value"));
        }
        let help = match word.to_ascii_lowercase().as_str() {
            known @ ("true" | "false" | "null") => format!("write `{known}`"),
            "none" | "nil" | "undefined" => "write `null`".to_owned(),
            _ => "put it in double quotes if it is a string".to_owned(),
        };
        let message = format!("`{}` is not a JSON value", word.escape_debug());
        Err(Diagnostic::error(self.since(start), message).label("not a JSON value").help(help))
    }
}

/// A character as messages show it: escaped unless it is visible ASCII.
pub(super) fn shown(character: char) -> String {
    if character.is_ascii_graphic() { character.to_string() } else { character.escape_debug().to_string() }
}
