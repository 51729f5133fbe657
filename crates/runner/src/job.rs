//! A case that is running, across all of its attempts.

use std::cell::OnceCell;
use std::sync::Arc;

use agentci_checks::ReadyCase;
use agentci_plan::Case;
use agentci_source::{Place, Span};
use agentci_verdict::{Cause, Finding};

use crate::pending::NextCase;
use crate::repeats::CaseProgress;
use crate::{resources::CaseResources, secrets::Secrets, suite_run::SuiteRun};

/// A case and the state its attempts share.
pub(crate) struct CaseJob<'j> {
    pub(crate) run: &'j SuiteRun<'j>,
    pub(crate) case: &'j Case,
    /// The id in every event of this case.
    pub(crate) case_id: Arc<str>,
    pub(crate) ready: &'j ReadyCase,
    definition: OnceCell<Option<Arc<str>>>,
    /// The position among the selected cases.
    pub(crate) index: usize,
    pub(crate) secrets: Secrets,
    /// Resources that drivers prepare once per case.
    pub(crate) resources: CaseResources<'j>,
    /// Its runs so far.
    pub(crate) progress: CaseProgress,
}

impl<'j> CaseJob<'j> {
    pub(crate) fn new(run: &'j SuiteRun<'j>, next: &'j NextCase) -> Self {
        let NextCase { case, ready, index } = next;
        Self {
            run,
            case,
            case_id: case.id.shared(),
            ready,
            definition: OnceCell::new(),
            index: *index,
            secrets: Secrets::new(&run.secrets),
            resources: CaseResources::new(&run.shared.library, &case.id, run.options.settings.seed),
            progress: CaseProgress::default(),
        }
    }

    /// Identifies the definition of the case.
    pub(crate) fn definition(&self) -> Option<Arc<str>> {
        let of = || self.run.options.definition.and_then(|of| of(self.case, self.ready));
        self.definition.get_or_init(of).clone()
    }

    /// A configuration error at this place of the suite.
    pub(crate) fn invalid(&self, span: Span, message: impl Into<String>) -> Finding {
        Finding::new(Cause::Config, message).at(self.place(span), "")
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        self.run.sources.place(span)
    }
}
