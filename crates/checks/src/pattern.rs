//! The patterns of checks: regular expressions that take linear time, compiled before anything runs.

use std::ops::Range;

use agentci_source::{Diagnostics, Node, Span, Spanned, read};
use regex::{Regex, RegexBuilder};
use regex_syntax::ast::ErrorKind;

use crate::bounded::pattern_size;
use crate::compiler::Compiler;
use agentci_text::{one_line, shorten};

/// The largest compiled pattern, in bytes.
const SIZE_LIMIT: usize = 4 * 1024 * 1024;
/// The longest part of a pattern that a message shows, in characters.
const SHOWN: usize = 80;

/// A pattern and its place in the suite.
#[derive(Debug)]
pub(crate) struct PlacedPattern {
    regex: Regex,
    pub(crate) span: Span,
}

impl PlacedPattern {
    /// Reads a string as a pattern.
    pub(crate) fn read(node: &Node, name: &str, compiler: &mut Compiler<'_>) -> Option<Self> {
        let written = read::text(node, name, &mut compiler.problems)?;
        Self::compile(written, node.span, false, compiler)
    }

    /// Reads one pattern or several; reports every invalid one.
    pub(crate) fn read_all(
        node: &Node,
        name: &str,
        ignore_case: bool,
        compiler: &mut Compiler<'_>,
    ) -> Option<Vec<Self>> {
        let written = read::one_or_more_texts(node, name, &mut compiler.problems)?;
        let compile = |written: Spanned<String>| Self::compile(written.value, written.span, ignore_case, compiler);
        let patterns: Vec<Option<Self>> = written.into_iter().map(compile).collect();
        patterns.into_iter().collect()
    }

    /// Compiles a pattern.
    pub(crate) fn compile(written: String, span: Span, ignore_case: bool, compiler: &mut Compiler<'_>) -> Option<Self> {
        let key = (written, ignore_case);
        if let Some(regex) = compiler.patterns.get(&key) {
            return Some(Self { regex: regex.clone(), span });
        }
        let built = RegexBuilder::new(&key.0).case_insensitive(ignore_case).size_limit(SIZE_LIMIT).build();
        let regex = built.map_err(|error| refuse(&key.0, &error, span, &mut compiler.problems)).ok()?;
        compiler.patterns.insert(key, regex.clone());
        Some(Self { regex, span })
    }

    /// The approximate number of steps for each byte of a text.
    pub(crate) fn weight(&self) -> u64 {
        pattern_size(self.written())
    }

    /// Whether it matches anywhere in a text.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The first match.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.regex.find(text).map(|found| found.range())
    }

    /// The source of the pattern.
    pub(crate) fn written(&self) -> &str {
        self.regex.as_str()
    }

    /// The pattern as messages show it, on one line.
    pub(crate) fn shown(&self) -> String {
        format!("`{}`", one_line(&shorten(self.written(), SHOWN)))
    }
}

fn refuse(written: &str, error: &regex::Error, span: Span, problems: &mut Diagnostics) {
    if let regex::Error::CompiledTooBig(_) = error {
        let message = format!("this pattern is too large: it compiles to more than {} MiB", SIZE_LIMIT >> 20);
        let help = "repeat less: `{1000}` stands for a thousand copies of what is before it";
        return problems.error(span, message, "too large").help(help);
    }
    // The message of the parser itself does not repeat the pattern over several lines.
    let (reason, label, remedy) = match regex_syntax::parse(written) {
        Err(regex_syntax::Error::Parse(error)) => match error.kind() {
            ErrorKind::UnsupportedLookAround => ("look-around is not supported".into(), UNSAFE, LOOK_AROUND),
            ErrorKind::UnsupportedBackreference => ("backreferences are not supported".into(), UNSAFE, BACK_REFERENCE),
            kind => (kind.to_string(), WRONG, PLAIN),
        },
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), WRONG, PLAIN),
        _ => (error.to_string(), WRONG, PLAIN),
    };
    problems.error(span, format!("this pattern cannot be used: {reason}"), label).help(remedy);
}

const WRONG: &str = "not a regular expression";
const UNSAFE: &str = "not supported";
const LOOK_AROUND: &str = "such patterns can take too long; write two checks instead: one for what must match, and a \
    negated one for what must not";
const BACK_REFERENCE: &str = "such patterns can take too long; write out what the group may match: \
    `aa|bb` for `([ab])\\1`";
const PLAIN: &str = "put a backslash before a special character that is meant literally: `\\(`, `\\[`, `\\+`, `\\?`";
