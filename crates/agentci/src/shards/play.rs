//! Plays several shards as one run.

use std::sync::Arc;

use agentci_ledger::{LedgerError, play};
use agentci_plan::Mode;
use agentci_verdict::{Body, CaseEnd, CaseRow, CaseStatus, Policy, Rows, RunEnd, RunEvent, RunStart, StabilitySummary};

use super::GatheredShards;

/// The number of rows that are kept in any case: the order of few rows matters to the last digit of a mean.
const KEPT: usize = 10_000;

/// What the end of the merged run needs to know about its cases.
#[derive(Default)]
struct MergedRows {
    /// Whether there are gates, which look at every row.
    keeps_all: bool,
    rows: Rows,
    /// Cases without a row, which were run once and passed.
    passed_once: usize,
    lacks_agent: bool,
}

impl MergedRows {
    fn add(&mut self, event: &RunEvent, end: &CaseEnd) {
        self.lacks_agent |= end.played.as_ref().is_some_and(|played| !played.meant);
        let needed = self.keeps_all || end.runs > 1 || end.most_runs.is_some() || self.rows.len() < KEPT;
        match end.status {
            CaseStatus::Pass if !needed => self.passed_once += 1,
            CaseStatus::Skipped if !needed => {}
            _ => {
                self.rows.add(event);
            }
        }
    }

    /// The stability of all cases, if any is configured to run more than once.
    fn stability(&self) -> Option<StabilitySummary> {
        let several = self.rows.iter().any(CaseRow::repeated);
        several.then(|| StabilitySummary::of_rows(self.rows.iter(), self.passed_once))
    }
}

impl GatheredShards {
    /// Plays the shards as one run. Returns the worst status of all cases, and at least a failure if a gate failed.
    pub fn play(
        &self,
        run_id: &str,
        policy: Option<&Policy>,
        mut on_event: impl FnMut(RunEvent),
    ) -> Result<CaseStatus, LedgerError> {
        let suite: Arc<str> = self.suite.as_str().into();
        let of_run =
            |timestamp, body| RunEvent { suite: Arc::clone(&suite), case_id: None, attempt: None, timestamp, body };
        let start = self.start(run_id);
        let (whole, require_agent) = (start.cases_left_out == 0, start.require_agent);
        let loaded = start.not_loaded.is_empty();
        let mut rows = MergedRows { keeps_all: policy.is_some(), ..MergedRows::default() };
        // What could not be loaded has no case.
        let mut worst = if loaded { CaseStatus::Pass } else { CaseStatus::Error };
        let mode = start.mode.clone();
        let mut begun = Some(start);
        for part in &self.parts {
            play(&part.path, |event| match &event.body {
                Body::RunStart(_) => {
                    let merged = begun.take().map(|start| of_run(event.timestamp, Body::RunStart(Box::new(start))));
                    merged.into_iter().for_each(&mut on_event);
                }
                Body::Gates(_) | Body::RunEnd(_) => {}
                body => {
                    if let Body::CaseEnd(end) = body {
                        worst = worst.max(end.status);
                        rows.add(&event, end);
                    }
                    on_event(event);
                }
            })?;
        }
        let ended_at = self.parts.iter().map(|part| part.ended_at).max().expect("there are shards");
        if let Some(policy) = policy {
            let mut report = policy.judge(&self.suite, &mode, &rows.rows, whole);
            let recorded = self.parts[0].start.mode == Mode::Record.name();
            worst = report.decide(worst, loaded && !recorded && rows.rows.all_run());
            on_event(of_run(ended_at, Body::Gates(Box::new(report))));
        }
        let ends = self.parts.iter().map(|part| &part.end);
        let longest = ends.max_by_key(|end| end.micros()).expect("there are shards");
        let (wall_ms, micros) = (longest.wall_ms, longest.wall_us);
        let unobserved_cost = self.parts.iter().map(|part| part.end.unobserved_cost).sum();
        let stability = rows.stability();
        on_event(of_run(
            ended_at,
            Body::RunEnd(RunEnd { wall_ms, wall_us: micros, stability, unobserved_cost, ..RunEnd::default() }),
        ));
        if require_agent && rows.lacks_agent {
            worst = worst.max(CaseStatus::Fail);
        }
        Ok(worst)
    }

    /// The start of the merged run.
    fn start(&self, run_id: &str) -> RunStart {
        let parts = || self.parts.iter().map(|part| &part.start);
        let (first, cases) = (&self.parts[0].start, self.parts[0].shard.cases);
        let all = first.cases_total + first.cases_left_out;
        RunStart {
            run_id: run_id.to_owned(),
            shard: None,
            session: None,
            resumed: None,
            cases_total: cases,
            cases_left_out: all.saturating_sub(cases),
            seed: first.seed.filter(|_| parts().all(|start| start.seed == first.seed)),
            not_loaded: self.not_loaded(),
            cases_played: parts().map(|start| start.cases_played).sum(),
            cases_without_agent: parts().map(|start| start.cases_without_agent).sum(),
            require_agent: parts().any(|start| start.require_agent),
            ..first.clone()
        }
    }
}
