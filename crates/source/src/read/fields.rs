//! Reads the keys of a mapping. Unknown keys are rejected with a suggestion; every problem is reported, and none ends
//! the reading.

use super::key_synonyms::meant;
use super::quoted_list;
use crate::shape::{Field, Need, Shape, UnknownKeys};
use crate::{Diagnostic, Diagnostics, Node, Pair, Severity, Span};

/// The keys of one mapping, read one by one.
pub struct Fields<'n> {
    shape: &'static Shape,
    span: Span,
    pairs: &'n [Pair],
    /// The keys that were read.
    asked: Vec<&'static str>,
    /// The keys that were read as required.
    demanded: Vec<&'static str>,
    /// Keys that were reported as unknown because they resemble a missing one.
    mistyped: Vec<&'n str>,
}

impl Shape {
    /// Opens a mapping; reports an error for any other node.
    pub fn open<'n>(&'static self, node: &'n Node, problems: &mut Diagnostics) -> Option<Fields<'n>> {
        let Some(pairs) = node.pairs() else {
            problems.mismatch(node, format_args!("{} must be a mapping", self.what), "expected `key: value` lines");
            return None;
        };
        Some(Fields {
            shape: self,
            span: node.span,
            pairs,
            asked: Vec::new(),
            demanded: Vec::new(),
            mistyped: Vec::new(),
        })
    }
}

impl<'n> Fields<'n> {
    /// The place of the mapping.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Changes the shape of the mapping to one that declares all keys read so far.
    pub fn becomes(&mut self, shape: &'static Shape) {
        for key in &self.asked {
            debug_assert!(field(shape, key).is_some(), "{} does not declare `{key}`, which was read", shape.what);
        }
        self.shape = shape;
    }

    /// The value of an optional key; a key without a value counts as absent.
    pub fn optional(&mut self, key: &'static str) -> Option<&'n Node> {
        self.ask(key, false);
        self.pairs.iter().find(|pair| pair.key.text == key).map(|pair| &pair.value).filter(|node| !node.is_null())
    }

    /// The value of a required key; the caller reports if it is missing.
    pub fn demanded(&mut self, key: &'static str) -> Option<&'n Node> {
        self.ask(key, true);
        self.optional(key)
    }

    /// The value of a required key; reports an error if it is missing.
    pub fn required(&mut self, key: &'static str, problems: &mut Diagnostics) -> Option<&'n Node> {
        let found = self.demanded(key);
        if found.is_none() {
            let written = self.pairs.iter().find(|pair| pair.key.text == key);
            let span = written.map_or(self.span, |pair| pair.key.span);
            match (written, self.meant_for(key)) {
                (Some(_), _) => {
                    problems.error(span, format!("`{key}` has no value"), "a value is missing here");
                }
                // Reported here and not in `finish`: a reader that needs the key may not get there.
                (None, Some((pair, help))) => {
                    self.mistyped.push(&pair.key.text);
                    problems.push(match self.shape.unknown {
                        UnknownKeys::Refused | UnknownKeys::Matching { .. } => {
                            self.is_unknown(pair, Severity::Error).help(help)
                        }
                        UnknownKeys::Warned | UnknownKeys::Ignored => {
                            self.needs(key).help(format!("did you write `{}` instead?", pair.key.text.escape_debug()))
                        }
                    });
                }
                (None, None) => problems.push(self.needs(key)),
            }
        }
        found
    }

    /// The written key that resembles a missing one, and the help text: both are reported together, once.
    fn meant_for(&self, key: &str) -> Option<(&'n Pair, String)> {
        let mut unknown = self.pairs.iter().filter(|pair| field(self.shape, &pair.key.text).is_none());
        unknown.find_map(|pair| Some((pair, meant(&pair.key.text, [key].into_iter())?.1)))
    }

    fn ask(&mut self, key: &'static str, demanded: bool) {
        let found = field(self.shape, key);
        debug_assert!(found.is_some(), "{} does not declare `{key}`, which is read", self.shape.what);
        debug_assert!(
            !demanded || found.is_none_or(|field| field.need != Need::Optional),
            "{} declares `{key}` as optional, and it is required",
            self.shape.what
        );
        self.asked.push(key);
        if demanded {
            self.demanded.push(key);
        }
    }

    fn needs(&self, key: &str) -> Diagnostic {
        Diagnostic::error(self.span, format!("{} needs `{key}`", self.shape.what)).help(format!("add `{key}:` to it"))
    }

    /// The place of the key itself.
    pub fn key_span(&self, key: &str) -> Option<Span> {
        self.pairs.iter().find(|pair| pair.key.text == key).map(|pair| pair.key.span)
    }

    /// All pairs that were not read; they are not reported.
    pub fn rest(&self) -> impl Iterator<Item = &'n Pair> {
        self.pairs.iter().filter(|pair| !self.is_known(&pair.key.text))
    }

    fn is_known(&self, key: &str) -> bool {
        self.asked.contains(&key)
    }

    /// Reports all keys that were not read, as the shape requires; some formats have always accepted such keys.
    pub fn finish(self, problems: &mut Diagnostics) {
        let severity = match self.shape.unknown {
            UnknownKeys::Refused | UnknownKeys::Matching { .. } => Severity::Error,
            UnknownKeys::Warned => Severity::Warning,
            UnknownKeys::Ignored => return self.end(),
        };
        for pair in self.rest().filter(|pair| !self.mistyped.contains(&pair.key.text.as_ref())) {
            problems.push(self.unknown(pair, severity));
        }
        self.end();
    }

    fn unknown(&self, pair: &Pair, severity: Severity) -> Diagnostic {
        let diagnostic = self.is_unknown(pair, severity);
        let known: Vec<&str> = self.shape.fields().map(|field| field.key).filter(|key| self.is_known(key)).collect();
        let free = known.iter().copied().filter(|key| self.key_span(key).is_none());
        match meant(&pair.key.text, free) {
            Some((_, help)) => diagnostic.help(help),
            None => diagnostic.help(format!("known keys are {}", quoted_list(&known))),
        }
    }

    fn is_unknown(&self, pair: &Pair, severity: Severity) -> Diagnostic {
        let message = format!("unknown key `{}` in {}", pair.key.text.escape_debug(), self.shape.what);
        Diagnostic { severity, ..Diagnostic::error(pair.key.span, message).label("unknown key") }
    }

    /// Ends the reading without reporting other keys; the caller has already handled them.
    pub fn end(self) {
        for Field { key, need, .. } in self.shape.fields() {
            let what = self.shape.what;
            debug_assert!(self.asked.contains(key), "{what} declares `{key}`, which is not read");
            let demanded = *need != Need::Required || self.demanded.contains(key);
            debug_assert!(demanded, "{what} declares `{key}` as required, and it is not");
        }
    }
}

fn field(shape: &Shape, key: &str) -> Option<&'static Field> {
    shape.fields().find(|field| field.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{KeyRule, Kind, optional, required};
    use crate::{Content, Sources};

    static PART: Shape = Shape::new("a part", "A part.", &[required("type", Kind::Text, "Its type.")]);
    static WHOLE: Shape = Shape::new(
        "a part",
        "A part of some type.",
        &[
            required("type", Kind::Text, "Its type."),
            required("name", Kind::Name, "Its name."),
            optional("runs", Kind::Count(1), "How often a call must be made."),
        ],
    )
    .rules(&[KeyRule::Some(&["name"])]);
    static LAX: Shape = WHOLE.unknown(UnknownKeys::Warned);

    fn node(keys: &[&str]) -> Node {
        let file = Sources::default().add("a.yaml".as_ref(), "");
        let span = Span { file, line: 1, column: 1, width: 1 };
        Node::map(span, keys.iter().map(|key| (*key, Node::text("x", span))))
    }

    fn read(shape: &'static Shape, keys: &[&str]) -> Vec<String> {
        let (node, mut problems) = (node(keys), Diagnostics::default());
        let mut fields = shape.open(&node, &mut problems).unwrap();
        fields.required("type", &mut problems);
        fields.required("name", &mut problems);
        fields.optional("runs");
        fields.finish(&mut problems);
        problems
            .iter()
            .map(|problem| format!("{}; {}", problem.message, problem.help.clone().unwrap_or_default()))
            .collect()
    }

    #[test]
    fn reports_unknown_and_missing_keys_with_suggestions() {
        assert_eq!(read(&WHOLE, &["type", "name"]), Vec::<String>::new());
        assert_eq!(read(&WHOLE, &["type"]), ["a part needs `name`; add `name:` to it"]);
        assert_eq!(read(&WHOLE, &["type", "names"]), ["unknown key `names` in a part; did you mean `name`?"]);
        assert_eq!(
            read(&WHOLE, &["type", "name", "colour"]),
            ["unknown key `colour` in a part; known keys are `type`, `name`, `runs`"]
        );
        // A warning about an unknown key does not replace the error about a missing key.
        assert_eq!(read(&LAX, &["type", "names"]), ["a part needs `name`; did you write `names` instead?"]);
    }

    #[test]
    fn misspelled_key_is_reported_when_reader_stops_early() {
        let (node, mut problems) = (node(&["typ", "name"]), Diagnostics::default());
        assert!(PART.open(&node, &mut problems).unwrap().required("type", &mut problems).is_none());
        assert_eq!(problems.iter().next().unwrap().message, "unknown key `typ` in a part");
    }

    #[test]
    fn mapping_can_switch_to_larger_schema() {
        let (node, mut problems) = (node(&["type", "name"]), Diagnostics::default());
        let mut fields = PART.open(&node, &mut problems).unwrap();
        fields.required("type", &mut problems);
        fields.becomes(&WHOLE);
        assert!(fields.required("name", &mut problems).is_some());
        fields.optional("runs");
        fields.finish(&mut problems);
        assert!(problems.is_empty());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a part does not declare `runs`, which is read")]
    fn panics_on_reading_undeclared_key() {
        let node = node(&["type"]);
        PART.open(&node, &mut Diagnostics::default()).unwrap().optional("runs");
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a part declares `runs`, which is not read")]
    fn panics_on_unread_declared_key() {
        let (node, mut problems) = (node(&["type", "name"]), Diagnostics::default());
        let mut fields = WHOLE.open(&node, &mut problems).unwrap();
        fields.required("type", &mut problems);
        fields.required("name", &mut problems);
        fields.finish(&mut problems);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a part declares `type` as required, and it is not")]
    fn panics_on_required_key_read_as_optional() {
        let node = node(&["type"]);
        let mut fields = PART.open(&node, &mut Diagnostics::default()).unwrap();
        fields.optional("type");
        fields.end();
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a part declares `runs` as optional, and it is required")]
    fn panics_on_optional_key_read_as_required() {
        let (node, mut problems) = (node(&["type"]), Diagnostics::default());
        WHOLE.open(&node, &mut problems).unwrap().required("runs", &mut problems);
    }

    #[test]
    fn rejects_value_that_is_not_a_mapping() {
        let mut problems = Diagnostics::default();
        let list = Node { content: Content::List(Box::default()), ..node(&[]) };
        assert!(WHOLE.open(&list, &mut problems).is_none());
        assert_eq!(problems.iter().next().unwrap().message, "a part must be a mapping, found a list");
    }
}
