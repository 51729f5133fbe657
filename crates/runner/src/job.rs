//! A case that is being run, over all of its attempts.

use std::sync::Arc;

use agentci_checks::ReadyCase;
use agentci_plan::Case;
use agentci_source::{Place, Span};
use agentci_verdict::{Cause, Finding};

use crate::{pending::NextCase, resources::CaseResources, secrets::Secrets, suite_run::SuiteRun};

/// A case and what its attempts have in common.
pub(crate) struct CaseJob<'j> {
    pub(crate) run: &'j SuiteRun<'j>,
    pub(crate) case: &'j Case,
    /// Its name, as every event has it.
    pub(crate) case_id: Arc<str>,
    pub(crate) ready: &'j ReadyCase,
    /// The position of the case among those selected.
    pub(crate) index: usize,
    pub(crate) secrets: Secrets,
    /// What its drivers have made ready once.
    pub(crate) resources: CaseResources<'j>,
}

impl<'j> CaseJob<'j> {
    pub(crate) fn new(run: &'j SuiteRun<'j>, next: &'j NextCase) -> Self {
        let NextCase { case, ready, index } = next;
        Self {
            run,
            case,
            case_id: case.id.shared(),
            ready,
            index: *index,
            secrets: Secrets::new(&run.secrets),
            resources: CaseResources::new(&run.shared.library, &case.id, run.options.settings.seed),
        }
    }

    /// What is wrong there, where the suite is or what it names.
    pub(crate) fn invalid(&self, span: Span, message: impl Into<String>) -> Finding {
        Finding::new(Cause::Config, message).at(self.place(span), "")
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        self.run.sources.place(span)
    }
}
