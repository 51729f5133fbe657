//! Cases that cannot be run because their own part of the suite is wrong.

use std::path::PathBuf;
use std::sync::Arc;

use agentci_plan::{Case, Check, CommandPart, OutputRule, ProcessTarget, Speech, Target, Text};
use agentci_source::{Diagnostic, Diagnostics, Name, Node, Span, Spanned};

use crate::document::stem_of;
use crate::ids::{TakenIds, readable};

/// A case file that was read, with whatever is wrong with it.
pub(crate) struct CaseReading<F> {
    /// What it says; `None` when something is wrong.
    pub(crate) file: Option<F>,
    /// Its id, if that can be made out.
    pub(crate) id: Option<Spanned<Name>>,
    pub(crate) path: PathBuf,
    span: Span,
    /// Its checks, as far as they could be read.
    pub(crate) checks: Vec<Arc<Check>>,
    pub(crate) problems: Diagnostics,
}

impl<F> CaseReading<F> {
    /// Reads a file that has its id under `key`.
    pub(crate) fn new(
        path: PathBuf,
        root: Result<Node, Diagnostic>,
        key: &str,
        read: impl FnOnce(&Node, &mut Diagnostics) -> Option<F>,
    ) -> Self {
        let mut problems = Diagnostics::default();
        let (file, id, span) = match root {
            Ok(root) => {
                let file = read(&root, &mut problems).filter(|_| !problems.has_errors());
                problems.sort();
                (file, readable(&root, key), root.span)
            }
            Err(problem) => {
                let span = problem.span;
                problems.push(problem);
                (None, None, span)
            }
        };
        Self { file, id, path, span, checks: Vec::new(), problems }
    }

    /// The case of a file that is wrong.
    pub(crate) fn invalid(self, target: Arc<Target>, ids: &mut TakenIds) -> Case {
        case(self.id, (&stem_of(&self.path), self.span), ids, Some(target), self.checks, self.problems)
    }
}

/// A case that only says what is wrong with it; everything else in it is harmless. Its checks are kept as far as they could be
/// read, so that what is wrong with them is told along with the rest. Without an id it is called as `wish` says.
pub(crate) fn case(
    id: Option<Spanned<Name>>,
    (wish, span): (&str, Span),
    ids: &mut TakenIds,
    target: Option<Arc<Target>>,
    checks: Vec<Arc<Check>>,
    problems: Diagnostics,
) -> Case {
    let Spanned { value: id, span } = id.unwrap_or_else(|| Spanned::new(ids.free(wish, span), span));
    let target = target.unwrap_or_else(|| no_target(span));
    Case { checks: checks.into(), broken: Some(problems), ..Case::new(id, span, target, Arc::default()) }
}

/// A target for a broken case that has none: a command has at least one part, so this one is empty.
fn no_target(span: Span) -> Arc<Target> {
    let part = CommandPart { text: Text::Literal(String::new()), file: None };
    Arc::new(Target::Process(ProcessTarget {
        command: vec![part],
        folder: None,
        environment: Vec::new(),
        speaks: Speech::Protocol,
        output: OutputRule::Required,
        span,
    }))
}
