//! The text of an answer: where checks search it, and how messages quote it.

use agentci_source::shape::{Shape, words};
use agentci_source::{Diagnostics, Node, read};
use agentci_trace::{OutputSpelling, Trace};

use crate::compiler::Compiler;
use crate::spelling::sorted;
use agentci_text::shorten;

/// The longest part of an answer that a message shows, in characters.
const SHOWN: usize = 200;

/// A note that quotes the answer.
pub(crate) fn quote(said: &str) -> String {
    if said.is_empty() {
        return "the answer is empty".into();
    }
    format!("the answer is: {}", shorten(said, SHOWN))
}

/// Reads the strings or patterns of a check, alone or under a key of a mapping, with `ignore_case` and `of`.
pub(crate) fn read_words<'n>(
    arguments: &'n Node,
    shape: &'static Shape,
    key: &'static str,
    compiler: &mut Compiler<'_>,
) -> Option<(&'n Node, bool, WordScope)> {
    if arguments.pairs().is_none() {
        return Some((arguments, false, WordScope::Said));
    }
    let mut arguments = compiler.open(shape, arguments)?;
    let words = arguments.required_node(key);
    let ignore_case = arguments.optional("ignore_case", read::truth).unwrap_or_default();
    let of = arguments.optional("of", WordScope::read).unwrap_or_default();
    arguments.finish();
    Some((words?, ignore_case, of))
}

/// Which text is searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum WordScope {
    /// The text of the agent; for a case, that of its last turn.
    #[default]
    Said,
    /// The text of all turns.
    Conversation,
    /// The final output as text: JSON with sorted keys if it is not a string, empty if it is null.
    Output,
}

impl WordScope {
    /// The values of the key `of`.
    pub(crate) const WORDS: [&str; 3] = words(&Self::NAMES);
    const NAMES: [(&str, WordScope); 3] =
        [("text", WordScope::Said), ("conversation", WordScope::Conversation), ("output", WordScope::Output)];
    /// The description of the key `of`.
    pub(crate) const ABOUT: &str = "Where to search: the text of the last turn (`text`, the default), the text of all \
                                    turns (`conversation`) or the final output (`output`). Under `not`, `text` and \
                                    `conversation` search everything that the agent sent in all turns, data included.";

    pub(crate) fn read(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Self> {
        read::choice(node, name, &Self::NAMES, problems)
    }

    /// The text that a failure shows.
    pub(crate) fn text(self, trace: &Trace) -> String {
        match self {
            WordScope::Said => trace.output().text(),
            WordScope::Conversation => trace.conversation().text(),
            WordScope::Output => trace.output().value().map(|output| sorted(&output).into_owned()).unwrap_or_default(),
        }
    }

    /// The texts of which one must satisfy a check.
    pub(crate) fn demanded(self, trace: &Trace) -> Vec<OutputSpelling> {
        let mut spellings = match self {
            WordScope::Said => trace.output().spellings(),
            WordScope::Conversation => trace.conversation().spellings(),
            WordScope::Output => Vec::new(),
        };
        // Turns are joined as well: a pattern may span them.
        let whole = self.text(trace);
        if spellings.iter().all(|known| known.text != whole) {
            spellings.insert(0, OutputSpelling { text: whole, is_part: false });
        }
        spellings
    }

    /// The texts of which none may satisfy a negated check.
    pub(crate) fn forbidden(self, trace: &Trace) -> Vec<OutputSpelling> {
        match self {
            WordScope::Said | WordScope::Conversation => {
                let mut spellings = trace.conversation().everything();
                spellings.insert(0, OutputSpelling { text: trace.conversation().text(), is_part: false });
                spellings
            }
            WordScope::Output => self.demanded(trace),
        }
    }
}
