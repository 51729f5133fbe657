//! `normalization: { strip_keys: [..], strip_paths: [..], replace_paths: {..}, replace_text: [..] }`

use agentci_plan::{Normalization, TextReplacement};
use agentci_source::shape::{Field, Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Pair, Reading, Spanned, read};

use super::check_pattern;
use crate::printer::Printer;

pub(crate) const NORMALIZATION: Field =
    optional("normalization", Kind::Shape(&KEYS), "How to normalize tool results and the final output.");

static KEYS: Shape = Shape::new(
    "`normalization`",
    "How to normalize tool results and the final output.",
    &[
        optional("strip_keys", Kind::List(&Kind::Text), "Keys to remove, at any depth."),
        optional("strip_paths", Kind::List(&Kind::Text), "Paths of values to remove."),
        optional("replace_paths", Kind::Object, "Replacement values, by path."),
        optional("replace_text", Kind::List(&Kind::Shape(&REPLACEMENT)), "Patterns whose matches are replaced."),
    ],
);

static REPLACEMENT: Shape = Shape::new(
    "a text replacement",
    "A pattern, and the replacement for its matches.",
    &[
        required("pattern", Kind::Text, "A regular expression."),
        optional("replacement", Kind::Text, "The replacement for a match. Default: an empty string."),
        optional(
            "flags",
            Kind::Like("^[ims]*$"),
            "`i`: case-insensitive, `m`: multi-line, `s`: `.` matches line breaks. Default: none.",
        ),
    ],
);

pub(crate) fn read_normalization(node: &Node, reading: Reading, problems: &mut Diagnostics) -> Normalization {
    let normalization = KEYS.read(node, problems, |fields| {
        let mut list = |key| {
            let texts = fields.optional(key, read::texts).unwrap_or_default();
            texts.into_iter().map(|text| text.value).collect()
        };
        let (strip_keys, strip_paths) = (list("strip_keys"), list("strip_paths"));
        let replaced = |node: &Node, key: &str, problems: &mut Diagnostics| {
            read::object(node, key, reading, problems)?;
            let pair = |pair: &Pair| Some((pair.key.text.to_string(), pair.value.value(reading).ok()?));
            Some(node.pairs()?.iter().filter_map(pair).collect())
        };
        Some(Normalization {
            strip_keys,
            strip_paths,
            replace_paths: fields.optional("replace_paths", replaced).unwrap_or_default(),
            replace_text: fields
                .or_default("replace_text", |node, problems| read::each(node, "replace_text", problems, replacement)),
        })
    });
    normalization.unwrap_or_default()
}

fn replacement(node: &Node, problems: &mut Diagnostics) -> Option<TextReplacement> {
    let mut fields = REPLACEMENT.reader(node, problems)?;
    let pattern = fields.node("pattern");
    let text = fields.required("pattern", read::text);
    let replacement = fields.text("replacement").unwrap_or_default();
    let flags = fields.optional("flags", flags).unwrap_or_default();
    fields.finish();
    let text = if flags.is_empty() { text? } else { format!("(?{flags}){}", text?) };
    let pattern = Spanned::new(text, pattern?.span);
    match check_pattern(&pattern, problems) {
        Some(()) => None,
        None => Some(TextReplacement { pattern: pattern.value, replacement }),
    }
}

fn flags(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<String> {
    let flags = read::text(node, name, problems)?;
    if let Some(wrong) = flags.chars().find(|flag| !"ims".contains(*flag)) {
        let help = "flags are `i` (case-insensitive), `m` (multi-line) and `s` (`.` matches line breaks)";
        problems.error(node.span, format!("unknown flag `{}`", wrong.escape_debug()), "not a flag").help(help);
        return None;
    }
    Some(flags)
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
