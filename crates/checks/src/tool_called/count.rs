//! How often a tool must be called.

use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Node, Span};

use crate::compiler::{Compiler, count};

/// The mapping that a number may be instead.
pub(crate) static COUNT: Shape = Shape::new(
    "`count`",
    "How often, within bounds.",
    &[
        optional("min", Kind::Count(0), "The least number of calls."),
        optional("max", Kind::Count(0), "The most calls."),
    ],
);

/// From `min` to `max` calls.
#[derive(Debug)]
pub(crate) struct Count {
    min: usize,
    max: Option<usize>,
    /// Where it was asked for; absent when it was not.
    pub(crate) span: Option<Span>,
}

impl Count {
    pub(crate) const AT_LEAST_ONE: Count = Count { min: 1, max: None, span: None };

    /// A number, or a mapping of `min` and `max`.
    pub(crate) fn read(node: &Node, compiler: &mut Compiler<'_>) -> Option<Self> {
        let span = Some(node.span);
        if node.pairs().is_none() {
            let exact = count(node, "count", &mut compiler.problems)?;
            return Some(Count { min: exact, max: Some(exact), span });
        }
        let mut arguments = compiler.open(&COUNT, node)?;
        let min = arguments.optional("min", count).unwrap_or_default();
        let max = arguments.optional("max", count);
        arguments.finish()?;
        if max.is_some_and(|max| max < min) {
            compiler.problems.error(node.span, "`max` is less than `min`", "no number of calls can be both");
            return None;
        }
        Some(Count { min, max, span })
    }

    /// Whether so many calls are right.
    pub(crate) fn allows(&self, calls: usize) -> bool {
        self.min <= calls && self.max.is_none_or(|max| calls <= max)
    }

    /// Whether so many calls are too few.
    pub(crate) fn is_more_than(&self, calls: usize) -> bool {
        calls < self.min
    }

    /// Whether so many calls are too many.
    pub(crate) fn is_less_than(&self, calls: usize) -> bool {
        self.max.is_some_and(|max| calls > max)
    }

    /// Whether there must be no call at all.
    pub(crate) fn is_none(&self) -> bool {
        self.max == Some(0)
    }

    /// What is asked, in words: `exactly once`.
    pub(crate) fn words(&self) -> String {
        match (self.min, self.max) {
            (min, None) => format!("at least {}", times(min)),
            (min, Some(max)) if min == max => format!("exactly {}", times(min)),
            (0, Some(max)) => format!("at most {}", times(max)),
            (min, Some(max)) => format!("{min} to {max} times"),
        }
    }
}

/// A number of times in words: `once`.
pub(crate) fn times(number: usize) -> String {
    if number == 1 { "once".into() } else { format!("{number} times") }
}
