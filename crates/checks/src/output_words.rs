//! What the agent said, in a message.

use agentci_source::shape::{Shape, words};
use agentci_source::{Diagnostics, Node, read};
use agentci_trace::{OutputSpelling, Trace};

use crate::compiler::Compiler;
use crate::spelling::sorted;
use agentci_text::shorten;

/// How much of what was said is shown.
const SHOWN: usize = 200;

/// What the agent said, as a fact to show.
pub(crate) fn quote(said: &str) -> String {
    if said.is_empty() {
        return "the agent said nothing".into();
    }
    format!("the agent said: {}", shorten(said, SHOWN))
}

/// The words that a check is given, alone or under a key of a mapping, with whether letter case is ignored and where to look.
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

/// Which words count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum WordScope {
    /// What the agent said: of a case, in its last turn.
    #[default]
    Said,
    /// What the agent said in all turns.
    Conversation,
    /// The final output as a text: JSON with sorted keys where it is none, nothing where it is null.
    Output,
}

impl WordScope {
    /// The words for them.
    pub(crate) const WORDS: [&str; 3] = words(&Self::NAMES);
    const NAMES: [(&str, WordScope); 3] =
        [("text", WordScope::Said), ("conversation", WordScope::Conversation), ("output", WordScope::Output)];
    /// What the key is for.
    pub(crate) const ABOUT: &str = "Where to look: in the text of the last turn (`text`, the default), in that of all turns, or in \
                                   the final output alone. A prohibition with `text` looks at all turns, and at data beside the text.";

    pub(crate) fn read(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Self> {
        read::choice(node, name, &Self::NAMES, problems)
    }

    /// What a failure shows.
    pub(crate) fn text(self, trace: &Trace) -> String {
        match self {
            WordScope::Said => trace.output().text(),
            WordScope::Conversation => trace.conversation().text(),
            WordScope::Output => trace.output().value().map(|output| sorted(&output).into_owned()).unwrap_or_default(),
        }
    }

    /// The texts of which one must do for a demand.
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

    /// The texts of which none may break a prohibition.
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
