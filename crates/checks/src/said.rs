//! What the agent said, in a message.

use agentci_plan::shape::words;
use agentci_plan::{Diagnostics, Node, read};
use agentci_trace::Trace;

use crate::output::output;
use crate::shorten::shorten;
use crate::spelling::sorted;

/// How much of what was said is shown.
const SHOWN: usize = 200;

/// What the agent said, as a fact to show.
pub(crate) fn quote(said: &str) -> String {
    if said.is_empty() {
        return "the agent said nothing".into();
    }
    format!("the agent said: {}", shorten(said, SHOWN))
}

/// Which words count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Of {
    /// All that the agent said.
    #[default]
    Said,
    /// The final output as a text: JSON with sorted keys where it is none, nothing where it is null.
    Output,
}

impl Of {
    /// The words for them.
    pub(crate) const WORDS: [&str; 2] = words(&Self::NAMES);
    const NAMES: [(&str, Of); 2] = [("text", Of::Said), ("output", Of::Output)];

    pub(crate) fn read(node: &Node, problems: &mut Diagnostics) -> Option<Self> {
        read::choice(node, "of", &Self::NAMES, problems)
    }

    pub(crate) fn text(self, trace: &Trace) -> String {
        match self {
            Of::Said => trace.text(),
            Of::Output => output(trace).map(|output| sorted(&output).into_owned()).unwrap_or_default(),
        }
    }
}
