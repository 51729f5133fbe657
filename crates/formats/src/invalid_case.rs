//! Cases that cannot be run because their own part of the suite is invalid.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Case, Check, CommandPart, OutputRule, ProcessTarget, Speech, Target, Text};
use agentci_source::{Diagnostic, Diagnostics, Name, Node, Span, Spanned};

use crate::document::{Loading, stem_of};
use crate::ids::{TakenIds, readable};

/// A case that was read, with its problems.
pub(crate) struct CaseReading {
    /// `None` if it is invalid.
    pub(crate) case: Option<Box<Case>>,
    /// Its id, if it is readable.
    pub(crate) id: Option<Spanned<Name>>,
    /// The preferred id if it has none.
    pub(crate) wish: String,
    span: Span,
    /// The checks of an invalid case, as far as they could be read.
    pub(crate) checks: Vec<Arc<Check>>,
    pub(crate) problems: Diagnostics,
}

impl CaseReading {
    /// Reads a case whose id is under `key`.
    pub(crate) fn new(
        node: &Node,
        wish: String,
        key: &str,
        read: impl FnOnce(&Node, &mut Diagnostics) -> Option<Case>,
    ) -> Self {
        let mut problems = Diagnostics::default();
        let case = read(node, &mut problems).filter(|_| !problems.has_errors()).map(Box::new);
        problems.sort();
        Self { case, id: readable(node, key), wish, span: node.span, checks: Vec::new(), problems }
    }

    /// The same for a file that may have failed to parse.
    pub(crate) fn of_file(
        path: &Path,
        root: Result<Node, Diagnostic>,
        key: &str,
        read: impl FnOnce(&Node, &mut Diagnostics) -> Option<Case>,
    ) -> Self {
        let wish = stem_of(path);
        match root {
            Ok(root) => Self::new(&root, wish, key, read),
            Err(problem) => {
                let span = problem.span;
                Self { case: None, id: None, wish, span, checks: Vec::new(), problems: problem.into() }
            }
        }
    }

    /// Returns the case. An invalid one becomes a broken case that only has its problems and its checks; problems of
    /// the checks are then reported, too.
    pub(crate) fn finish(self, target: Option<Arc<Target>>, ids: &mut TakenIds) -> Box<Case> {
        self.case.unwrap_or_else(|| {
            let unnamed = || Spanned::new(ids.free(&self.wish, self.span), self.span);
            let Spanned { value: id, span } = self.id.unwrap_or_else(unnamed);
            let target = target.unwrap_or_else(|| no_target(span));
            let case = Case::new(id, span, target, Arc::default());
            Box::new(Case { checks: self.checks.into(), broken: Some(self.problems), ..case })
        })
    }
}

/// Claims the ids of the cases and reports their problems; `None` rejects the suite because of a duplicate id.
pub(crate) fn claim_ids(
    cases: &[CaseReading],
    loading: &mut Loading<'_>,
    mut problems: Diagnostics,
) -> Option<TakenIds> {
    let mut ids = TakenIds::default();
    for case in cases {
        if let Some(id) = &case.id {
            ids.claim(id, loading.sources, &mut problems);
        }
        loading.problems.append(case.problems.clone());
    }
    loading.report_all(problems)?;
    Some(ids)
}

/// A placeholder target for a case that has none, or none yet: a command with a single empty part.
pub(crate) fn no_target(span: Span) -> Arc<Target> {
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
