//! Builds a tree from the events of the parser.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::{Content, Diagnostic, FileId, Key, Name, Node, Scalar, Span};
use granit_parser::{Event, Marker, Parser, ScalarStyle, Span as Range, StructureStyle, Tag};

use super::anchors::{AliasError, Anchors, COPY_BYTES, COPY_LIMIT, SizedNode};
use super::mapping::Mapping;
use super::spans::SpanMaker;
use super::syntax::diagnose;

/// The maximum depth of a tree, so that later code can safely recurse.
const DEPTH_LIMIT: usize = 100;

/// Parses one YAML document. An empty document is a null scalar.
pub fn parse(text: &str, file: FileId) -> Result<Node, Diagnostic> {
    let places = SpanMaker::new(text, file);
    let mut builder = Builder {
        places,
        stack: Vec::new(),
        root: None,
        anchors: Anchors::default(),
        documents: 0,
        names: HashSet::new(),
    };
    for next in Parser::new_from_str(text) {
        let (event, range) = next.map_err(|error| diagnose(&error, places))?;
        builder.take(event, &range)?;
    }
    Ok(builder.root.unwrap_or_else(|| Node {
        span: Span { file, line: 1, column: 1, width: 1 },
        content: Content::Scalar(Scalar::plain("")),
    }))
}

struct Builder<'t> {
    places: SpanMaker<'t>,
    stack: Vec<OpenNode>,
    root: Option<Node>,
    anchors: Anchors,
    documents: usize,
    /// The keys so far: equal keys share their text.
    names: HashSet<Name>,
}

/// A list or mapping that is not closed yet.
struct OpenNode {
    open: OpenCollection,
    style: StructureStyle,
    start: Marker,
    anchor: usize,
    /// The number of nodes in it so far, including itself.
    nodes: usize,
    /// The number of levels in it so far, including itself.
    height: usize,
}

enum OpenCollection {
    List(Vec<Node>),
    Map(Mapping),
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, range: &Range) -> Result<(), Diagnostic> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Diagnostic::error(self.places.event(range), "a second document begins here")
                        .label("only one is read")
                        .help("remove the `---`, or move what follows to a separate file"));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, anchor, tag.as_deref(), range),
            Event::SequenceStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), &["seq"], range)?;
                self.open(OpenCollection::List(Vec::new()), style, anchor, range)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), &["map"], range)?;
                self.open(OpenCollection::Map(Mapping::default()), style, anchor, range)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range),
            Event::Alias(anchor) => self.alias(anchor, range),
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        range: &Range,
    ) -> Result<(), Diagnostic> {
        let plain = style == ScalarStyle::Plain;
        let tag = self.check_tag(tag, &["str", "int", "float", "bool", "null"], range)?;
        // The parser writes `~` for an absent value, which `!!str` would turn into a string.
        let absent = plain && range.start.index() == range.end.index();
        let text = if absent { String::new() } else { text.into_owned() };
        let scalar = Scalar { text: text.into(), quoted: !plain || tag == Some("str"), inserted: false };
        let node = Node { span: self.places.event(range), content: Content::Scalar(scalar) };
        let sized = SizedNode { node, nodes: 1, height: 1 };
        self.anchors.keep(anchor, &sized);
        self.add(sized, absent)
    }

    /// The tag's short name, if it is one of the `known` ones.
    fn check_tag<'g>(
        &self,
        tag: Option<&'g Tag>,
        known: &[&str],
        range: &Range,
    ) -> Result<Option<&'g str>, Diagnostic> {
        let Some(tag) = tag else { return Ok(None) };
        if let Some(name) = tag.core_suffix().filter(|name| known.contains(name)) {
            return Ok(Some(name));
        }
        let span = range.tag_span().map_or_else(|| self.places.event(range), |range| self.places.event(&range));
        Err(Diagnostic::error(span, format!("the tag `{}` is not supported", tag.original().escape_debug()))
            .label("unsupported tag")
            .help("remove it, or put the string in quotes if it starts with `!`"))
    }

    fn open(
        &mut self,
        open: OpenCollection,
        style: StructureStyle,
        anchor: usize,
        range: &Range,
    ) -> Result<(), Diagnostic> {
        self.check_depth(1, self.places.point(range.start))?;
        self.stack.push(OpenNode { open, style, start: range.start, anchor, nodes: 1, height: 1 });
        Ok(())
    }

    fn check_depth(&self, more: usize, span: Span) -> Result<(), Diagnostic> {
        if self.stack.len() + more <= DEPTH_LIMIT {
            return Ok(());
        }
        Err(Diagnostic::error(span, format!("nested more than {DEPTH_LIMIT} levels deep")).label("too deep"))
    }

    fn close(&mut self, range: &Range) -> Result<(), Diagnostic> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let mut span = match frame.style {
            StructureStyle::Flow => self.places.range(frame.start, range.end),
            StructureStyle::Block => self.places.point(frame.start),
        };
        let content = match frame.open {
            OpenCollection::List(items) => Content::List(items.into()),
            OpenCollection::Map(mapping) => {
                let pairs = mapping.finish()?;
                if let (StructureStyle::Block, Some(first)) = (frame.style, pairs.first())
                    && (first.key.span.line, first.key.span.column) == (span.line, span.column)
                {
                    span = first.key.span;
                }
                Content::Map(pairs.into())
            }
        };
        let sized = SizedNode { node: Node { span, content }, nodes: frame.nodes, height: frame.height };
        self.anchors.keep(frame.anchor, &sized);
        self.add(sized, false)
    }

    fn alias(&mut self, anchor: usize, range: &Range) -> Result<(), Diagnostic> {
        let span = self.places.event(range);
        let sized = self.anchors.copy(anchor).map_err(|error| match error {
            AliasError::Unfinished => {
                Diagnostic::error(span, "the alias is inside the value that it repeats").label("endless repetition")
            }
            AliasError::TooLong => {
                let message = format!("aliases expand to more than {} MiB of text", COPY_BYTES >> 20);
                Diagnostic::error(span, message).label("too much is repeated").help("repeat less, or split the file")
            }
            AliasError::TooMuch => Diagnostic::error(span, format!("aliases expand to more than {COPY_LIMIT} nodes"))
                .label("too much is repeated")
                .help("repeat less, or split the file"),
        })?;
        self.check_depth(sized.height.saturating_sub(1), span)?;
        self.add(sized, false)
    }

    /// Adds a finished node to its parent; `absent` means that nothing is written there.
    fn add(&mut self, sized: SizedNode, absent: bool) -> Result<(), Diagnostic> {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(sized.node);
            return Ok(());
        };
        frame.nodes = frame.nodes.saturating_add(sized.nodes);
        frame.height = frame.height.max(sized.height + 1);
        match &mut frame.open {
            OpenCollection::List(items) => items.push(sized.node),
            OpenCollection::Map(mapping) if mapping.awaits_value() => mapping.value(sized.node)?,
            OpenCollection::Map(mapping) => {
                let Node { span, content } = sized.node;
                let Content::Scalar(scalar) = content else {
                    return Err(Diagnostic::error(span, "a key must be a string, found a list or a mapping")
                        .label("cannot be a key")
                        .help("put it in quotes if it begins with a bracket, as in \"{name}\""));
                };
                if absent {
                    return Err(Diagnostic::error(span, "a key is missing before `:`").label("no key here"));
                }
                let merges = !scalar.quoted && &*scalar.text == "<<";
                let text = shared(&mut self.names, &scalar.text);
                mapping.key(Key { text, span }, merges);
            }
        }
        Ok(())
    }
}

/// A key that shares its text with equal keys.
fn shared(names: &mut HashSet<Name>, text: &str) -> Name {
    if let Some(known) = names.get(text) {
        return known.clone();
    }
    let name = Name::from(text);
    names.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use crate::{Reading, Sources};
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Node, Diagnostic> {
        parse(text, Sources::default().add(Path::new("a.yaml"), text))
    }

    fn value(text: &str) -> serde_json::Value {
        read(text).unwrap().value(Reading::Core).unwrap()
    }

    fn place(span: Span) -> (u32, u32, u32) {
        (span.line, span.column, span.width)
    }

    /// The message and place of the error in a text.
    fn error(text: &str) -> (String, (u32, u32, u32)) {
        let error = read(text).unwrap_err();
        (error.message, place(error.span))
    }

    #[test]
    fn keeps_scalar_text_and_quoting() {
        let node = read("a: 010\nb: '010'\nc: !!str 010\nd: |\n  x\ne: !!int 7\nf: !!str\n").unwrap();
        let scalar = |key: &str| node.get(key).unwrap().scalar().unwrap().clone();
        assert_eq!(scalar("a"), Scalar::plain("010"));
        assert_eq!(scalar("b"), Scalar::quoted("010"));
        assert_eq!(scalar("c"), Scalar::quoted("010"));
        assert_eq!(scalar("d"), Scalar::quoted("x\n"));
        assert_eq!(scalar("e"), Scalar::plain("7"));
        assert_eq!(scalar("f"), Scalar::quoted(""));
    }

    #[test]
    fn empty_document_is_null() {
        for text in ["", "# only a comment\n", "---\n", "~"] {
            assert!(read(text).unwrap().is_null(), "{text:?}");
        }
    }

    #[test]
    fn spans_point_at_source_text() {
        let node = read("één: \"ü x\"\nlist:\n  - one\n  - key: two\nflow: { a: [1, 2] }\nlong: one\n  two\n").unwrap();
        assert_eq!(place(node.span), (1, 1, 3));
        assert_eq!(place(node.get("één").unwrap().span), (1, 6, 5));
        let list = node.get("list").unwrap();
        assert_eq!(place(list.span), (3, 3, 1));
        assert_eq!(place(list.items().unwrap()[1].span), (4, 5, 3));
        let flow = node.get("flow").unwrap();
        assert_eq!(place(flow.span), (5, 7, 13));
        assert_eq!(place(flow.get("a").unwrap().span), (5, 12, 6));
        assert_eq!(place(node.get("long").unwrap().span), (6, 7, 3));
    }

    #[test]
    fn explicit_keys_and_earlier_maps_override_merged_keys() {
        let text =
            "one: &one { a: 1, b: 1 }\ntwo: &two { b: 2, c: 2 }\nall: { a: 0, <<: [*one, *two] }\nq: { \"<<\": 1 }\n";
        let value = value(text);
        assert_eq!(value["all"], json!({"a": 0, "b": 1, "c": 2}));
        assert_eq!(value["q"], json!({"<<": 1}));
        assert_eq!(error("a: { <<: 3 }").0, "`<<` takes a mapping or a list of mappings, found the number 3");
    }

    #[test]
    fn merges_into_large_mappings() {
        let mut text = String::from("base: &base { key3: old, extra: 1 }\nall:\n  <<: *base\n");
        for index in 0..40 {
            writeln!(text, "  key{index}: {index}").unwrap();
        }
        let value = value(&text);
        assert_eq!(value["all"]["key3"], json!(3));
        assert_eq!(value["all"]["extra"], json!(1));
    }

    #[test]
    fn refuses_duplicate_key() {
        let few = read("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!((few.message.as_str(), place(few.span)), ("the key `a` is written twice", (3, 1, 1)));
        assert_eq!(few.label, "first written at line 1");
        let mut many = String::new();
        for index in 0..40 {
            writeln!(many, "key{index}: 1").unwrap();
        }
        let many = read(&format!("{many}key7: 2\n")).unwrap_err();
        assert_eq!((many.span.line, many.label.as_str()), (41, "first written at line 8"));
    }

    #[test]
    fn refuses_unsupported_or_malformed_yaml() {
        assert_eq!(error("a: 1\n---\nb: 2\n").0, "a second document begins here");
        assert_eq!(error("a: !thing x\n"), ("the tag `!thing` is not supported".into(), (1, 4, 6)));
        assert_eq!(error("? [a]\n: b\n").0, "a key must be a string, found a list or a mapping");
        assert_eq!(error(": b\n").0, "a key is missing before `:`");
        assert_eq!(error("a: *no\n"), ("no anchor with this name is defined above".into(), (1, 4, 1)));
        assert_eq!(error("&a [*a]"), ("the alias is inside the value that it repeats".into(), (1, 5, 2)));
    }

    #[test]
    fn alias_expansion_is_limited() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..9 {
            let before = level - 1;
            let items = vec![format!("*a{before}"); 9].join(", ");
            writeln!(bomb, "a{level}: &a{level} [{items}]").unwrap();
        }
        assert_eq!(error(&bomb).0, "aliases expand to more than 100000 nodes");
        assert_eq!(value("a: &a [1]\nb: *a\n")["b"], json!([1]));
    }

    #[test]
    fn nesting_depth_is_limited_including_aliases() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(100)).is_ok());
        assert_eq!(error(&nested(101)), ("nested more than 100 levels deep".into(), (1, 101, 1)));
        let chain = format!("- &a {}\n- &b [{}*a{}]\n", nested(60), "[".repeat(50), "]".repeat(50));
        assert_eq!(error(&chain).0, "nested more than 100 levels deep");
        assert!(read(&format!("- &a {}\n- *a\n", nested(99))).is_ok());
    }

    #[test]
    fn syntax_errors_have_location_and_help() {
        for (text, at, help) in [
            ("a:\n\tb: 1\n", (2, 1), "YAML indents with spaces"),
            ("- u: h\n  a:\n  \tt: { m: a }\n", (3, 3), "YAML indents with spaces"),
            ("a: one: two\n", (1, 7), "in quotes"),
            ("a: 'one\nb: 2\n", (2, 1), "close the quote"),
            ("a: [1, 2\n", (1, 4), "closing bracket"),
            ("a: @x\n", (1, 4), "in quotes"),
            ("a: 1\n b: 2\n", (2, 3), "line the key up"),
            ("  a: 1\n b: 2\n", (2, 2), "same column"),
            ("a: - b\n", (1, 4), "a line of its own"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!((error.span.line, error.span.column), at, "{text:?} {error:?}");
            assert!(error.help.as_deref().unwrap_or_default().contains(help), "{text:?} {error:?}");
            assert!(!error.message.chars().next().unwrap().is_uppercase(), "{error:?}");
        }
    }
}
