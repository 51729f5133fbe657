//! `normalization: { strip_keys: [..], strip_paths: [..], replace_paths: {..}, replace_text: [..] }`

use agentci_plan::{Normalization, TextReplacement};
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Reading, Spanned, read};

use super::check_pattern;
use crate::printer::Printer;

/// What does not count.
pub(crate) static NORMALIZATION: Shape = Shape::new(
    "`normalization`",
    "What of a tool's arguments does not count when calls are compared.",
    &[
        optional("strip_keys", Kind::List(&Kind::Text), "Keys that do not count, wherever they stand."),
        optional("strip_paths", Kind::List(&Kind::Text), "Paths of values that do not count."),
        optional("replace_paths", Kind::Object, "Values by the paths that they take the place at."),
        optional("replace_text", Kind::List(&Kind::Shape(&REPLACEMENT)), "Patterns whose matches are replaced."),
    ],
);

static REPLACEMENT: Shape = Shape::new(
    "a text replacement",
    "A pattern, and what takes the place of its matches.",
    &[
        required("pattern", Kind::Text, "A regular expression."),
        optional("replacement", Kind::Text, "What takes its place; nothing without it."),
        optional(
            "flags",
            Kind::Like("^[ims]*$"),
            "`i` for any letter case, `m` for lines, `s` so that `.` matches line ends.",
        ),
    ],
);

pub(crate) fn read_normalization(node: &Node, reading: Reading, problems: &mut Diagnostics) -> Normalization {
    let mut normalization = Normalization::default();
    let Some(mut fields) = NORMALIZATION.open(node, problems) else { return normalization };
    let mut list = |key: &'static str| -> Vec<String> {
        let found = fields.optional(key).and_then(|node| read::texts(node, key, problems));
        found.unwrap_or_default().into_iter().map(|text| text.value).collect()
    };
    normalization.strip_keys = list("strip_keys");
    normalization.strip_paths = list("strip_paths");
    if let Some(paths) = fields.optional("replace_paths")
        && read::object(paths, "replace_paths", reading, problems).is_some()
    {
        let pairs = paths.pairs().unwrap_or_default();
        normalization.replace_paths = pairs
            .iter()
            .filter_map(|pair| Some((pair.key.text.to_string(), pair.value.value(reading).ok()?)))
            .collect();
    }
    if let Some(replacements) = fields.optional("replace_text") {
        let items = read::list(replacements, "replace_text", problems).unwrap_or_default();
        normalization.replace_text = items.iter().filter_map(|item| replacement(item, problems)).collect();
    }
    fields.finish(problems);
    normalization
}

fn replacement(node: &Node, problems: &mut Diagnostics) -> Option<TextReplacement> {
    let mut fields = REPLACEMENT.open(node, problems)?;
    let text = fields
        .required("pattern", problems)
        .and_then(|node| read::text(node, "pattern", problems).map(|text| Spanned::new(text, node.span)));
    let replacement = fields.optional("replacement").and_then(|node| read::text(node, "replacement", problems));
    let flags = fields.optional("flags").and_then(|node| {
        let flags = read::text(node, "flags", problems)?;
        if let Some(wrong) = flags.chars().find(|flag| !"ims".contains(*flag)) {
            let help = "flags are `i` (any letter case), `m` (lines) and `s` (`.` matches line ends)";
            problems.error(node.span, format!("unknown flag `{}`", wrong.escape_debug()), "not a flag").help(help);
            return None;
        }
        Some(flags)
    });
    fields.finish(problems);
    let mut text = text?;
    if let Some(flags) = flags.filter(|flags| !flags.is_empty()) {
        text.value = format!("(?{flags}){}", text.value);
    }
    match check_pattern(&text, problems) {
        Some(()) => None,
        None => Some(TextReplacement { pattern: text.value, replacement: replacement.unwrap_or_default() }),
    }
}

impl Printer<'_> {
    pub(crate) fn normalization(&self, normalization: &Normalization) -> Option<Node> {
        let paths = normalization.replace_paths.iter().map(|(path, value)| (path, Some(self.value(value))));
        let replacement = |replacement: &TextReplacement| {
            let parts = [("pattern", &replacement.pattern), ("replacement", &replacement.replacement)];
            self.map(parts.map(|(key, text)| (key, Some(self.text(text)))))
        };
        self.filled_map([
            ("strip_keys", self.texts(&normalization.strip_keys)),
            ("strip_paths", self.texts(&normalization.strip_paths)),
            ("replace_paths", self.filled_map(paths)),
            ("replace_text", self.list(&normalization.replace_text, replacement)),
        ])
    }
}
