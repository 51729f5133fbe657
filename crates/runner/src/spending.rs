//! Counts what an attempt spends, for the ceiling for the cost of a run.
//!
//! Usage counts if a real model may have answered: not for scripted and recorded models. Calls through the recorder are
//! counted where they are answered.

use agentci_plan::{AnsweredBy, ChatApi, Target};
use agentci_protocols::chat::AnswerUsage;
use agentci_trace::{Event, EventKind, Usage};

use crate::job::CaseJob;
use crate::recorded_world::price_table;

/// What an attempt has spent so far.
#[derive(Debug, Default)]
pub(crate) struct AttemptSpending {
    /// The model of the last call that was observed.
    model: Option<String>,
    /// Whether usage was observed.
    told: bool,
}

impl AttemptSpending {
    pub(crate) fn count(&mut self, job: &CaseJob<'_>, event: &Event) {
        let Some(budget) = job.run.options.settings.budget.as_ref() else { return };
        match &event.kind {
            EventKind::ModelCall { request, response } if budget.limits_cost() => {
                let model = response["model"].as_str().or(request["model"].as_str());
                self.model = model.map(str::to_owned);
            }
            EventKind::Usage(usage) if is_spent(job) => {
                self.told = true;
                let cost = usage.cost_usd.or_else(|| self.priced(job, *usage).filter(|_| budget.limits_cost()));
                budget.report(&job.case.id, self.model.as_deref(), cost);
            }
            _ => {}
        }
    }

    /// Ends the attempt.
    pub(crate) fn conclude(&self, job: &CaseJob<'_>) {
        if let Some(budget) = job.run.options.settings.budget.as_ref().filter(|_| !self.told && is_spent(job)) {
            budget.unobserved();
        }
    }

    /// The cost of usage by the price of the model, if both are known.
    fn priced(&self, job: &CaseJob<'_>, usage: Usage) -> Option<f64> {
        let used = AnswerUsage { input: usage.tokens_in, output: usage.tokens_out, ..AnswerUsage::default() };
        price_table(&job.run.suite.prices).cost(self.model.as_deref()?, &used)
    }
}

/// Whether the usage that an attempt reports costs money, as far as the suite says.
fn is_spent(job: &CaseJob<'_>) -> bool {
    let scripted = match &*job.case.target {
        Target::Chat(chat) => matches!(chat.connector.api, ChatApi::Scripted(_)),
        Target::Process(_) | Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Http(_) => {
            job.case.world.model.is_some()
        }
    };
    let answered_by = job.case.answered_by(job.run.options.mode);
    answered_by == AnsweredBy::Agent && !scripted && job.case.recorded_world().is_none()
}
