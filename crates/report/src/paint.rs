//! Colors for terminals.

/// The role of a piece of text, which determines its color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// The word `error`.
    Error,
    /// The word `warning`.
    Warning,
    /// The word `help`.
    Help,
    /// A case that passed.
    Pass,
    /// A case that failed.
    Fail,
    /// A case that ended with an error.
    Broken,
    /// A case that was skipped.
    Skip,
    /// The frame of a source line.
    Gutter,
}

/// Colors text for a terminal, or leaves it unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paint {
    enabled: bool,
}

impl Paint {
    /// Colors text if `enabled`.
    pub fn new(enabled: bool) -> Self {
        Self { enabled }
    }

    /// The text in its color.
    pub fn apply(self, tone: Tone, text: &str) -> String {
        if !self.enabled || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Error => "1;31",
            Tone::Warning => "1;33",
            Tone::Help => "36",
            Tone::Pass => "32",
            Tone::Fail => "31",
            Tone::Broken => "35",
            Tone::Skip => "33",
            Tone::Gutter => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paints_only_when_asked() {
        assert_eq!(Paint::new(true).apply(Tone::Pass, "PASS"), "\u{1b}[32mPASS\u{1b}[0m");
        assert_eq!(Paint::new(false).apply(Tone::Pass, "PASS"), "PASS");
    }
}
