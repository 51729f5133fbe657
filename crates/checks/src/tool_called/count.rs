//! How many calls there must be.

use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Node, Span};

use crate::compiler::{Compiler, count};

/// How suites write a count as a mapping.
pub(crate) static COUNT: Shape = Shape::new(
    "`count`",
    "Bounds on the number of calls.",
    &[
        optional("min", Kind::Count(0), "Minimum number of calls."),
        optional("max", Kind::Count(0), "Maximum number of calls."),
    ],
);

/// From `min` to `max` calls.
#[derive(Debug)]
pub(crate) struct Count {
    min: usize,
    max: Option<usize>,
    /// The place of the count in the suite; absent for the default.
    pub(crate) span: Option<Span>,
}

impl Count {
    pub(crate) const AT_LEAST_ONE: Count = Count { min: 1, max: None, span: None };

    /// Reads an integer, or a mapping of `min` and `max`.
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
            compiler.problems.error(node.span, "`max` is less than `min`", "no number satisfies both");
            return None;
        }
        Some(Count { min, max, span })
    }

    /// Whether this number of calls is allowed.
    pub(crate) fn allows(&self, calls: usize) -> bool {
        self.min <= calls && self.max.is_none_or(|max| calls <= max)
    }

    /// Whether this number of calls is too small.
    pub(crate) fn is_more_than(&self, calls: usize) -> bool {
        calls < self.min
    }

    /// Whether this number of calls is too large.
    pub(crate) fn is_less_than(&self, calls: usize) -> bool {
        self.max.is_some_and(|max| calls > max)
    }

    /// Whether there must be no call at all.
    pub(crate) fn is_none(&self) -> bool {
        self.max == Some(0)
    }

    /// The count in words: `exactly once`.
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
