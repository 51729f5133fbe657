//! The console report as a consumer of events.

use std::collections::BTreeMap;
use std::io::Write;

use agentci_verdict::{Body, CaseRow, CaseStatus, RunEvent};

use super::detail::CaseLines;
use super::grouped::{self, FirstFailures};
use super::lines;
use super::progress::RunProgress;
use crate::failures::LISTED;
use crate::shared_runs::RunsInView;
use crate::{
    BufferedReporter, Paint, ReportError, ReportOutput, ReportedRun, Reporter, SharedRuns, agents, findings, gates,
    matrix, one_line, recheck, score, similarity,
};

/// The number of lines of an agent's standard error that are shown without `--verbose`.
const STDERR_LINES: usize = 10;

/// Options of the console report.
#[derive(Default)]
pub struct ConsoleOptions {
    /// Whether to use colors.
    pub color: bool,
    /// The terminal that shows the progress line, if there is one.
    pub live: Option<Box<dyn Write>>,
    /// Whether to show tool calls, checks and the whole recorded standard error.
    pub verbose: bool,
    /// The number of columns of the terminal; 0 means no limit.
    pub width: usize,
}

/// The console report: one line per case, then the failures with their reasons, then totals. It can show several runs
/// one after another.
pub struct Console {
    out: Box<dyn Write>,
    paint: Paint,
    verbose: bool,
    width: usize,
    progress: Option<RunProgress>,
    /// Whether a run was shown before, so that the next one is separated from it.
    again: bool,
    runs: RunsInView,
    shown: Option<ShownRun>,
}

/// The run that is being shown.
struct ShownRun {
    number: usize,
    /// The position of the first case that was not printed.
    next: usize,
    /// Complete cases that wait for an earlier one, by position; `None` for those that are not shown.
    waiting: BTreeMap<usize, Option<CaseRow>>,
    detail: Option<CaseLines>,
    /// Set if there are too many cases to list them.
    grouped: Option<FirstFailures>,
}

impl Console {
    /// Reports to `out`.
    pub fn new(out: Box<dyn Write>, options: ConsoleOptions) -> Self {
        Self {
            out,
            paint: Paint::new(options.color),
            verbose: options.verbose,
            width: options.width,
            progress: options.live.map(|terminal| RunProgress::new(terminal, options.width)),
            again: false,
            runs: RunsInView::default(),
            shown: None,
        }
    }

    /// The report without colors, written to `output` when it is complete.
    pub(crate) fn whole(output: ReportOutput) -> Box<dyn Reporter> {
        let console = |out| -> Box<dyn Reporter> { Box::new(Self::new(out, ConsoleOptions::default())) };
        Box::new(BufferedReporter::new("console", output, console))
    }

    /// The lines of all cases that do not wait for an earlier case, once a case is complete.
    fn ready_cases(&mut self) -> String {
        let mut text = String::new();
        let Some(shown) = &mut self.shown else { return text };
        let Some(run) = self.runs.get(shown.number) else { return text };
        if let Some(position) = run.completed {
            let failed = |row: &&CaseRow| matches!(row.status(), CaseStatus::Fail | CaseStatus::Error);
            let row = run.rows.get(position).filter(|row| shown.grouped.is_none() || failed(row));
            shown.waiting.insert(position, row.cloned());
        }
        while let Some(row) = shown.waiting.remove(&shown.next) {
            if let Some(row) = row.filter(|row| shown.grouped.as_mut().is_none_or(|first| first.shows(row))) {
                lines::case(&row, self.paint, &mut text);
            }
            text += &shown.detail.as_mut().map(|detail| detail.take(shown.next)).unwrap_or_default();
            shown.next += 1;
        }
        text
    }

    /// The part after the last case.
    fn close(&mut self) -> String {
        let mut text = String::new();
        let Some(ShownRun { number, next, waiting, mut detail, grouped }) = self.shown.take() else { return text };
        let Some(run) = self.runs.get(number) else { return text };
        if grouped.is_some() {
            text += &grouped::section(&run, self.paint);
            text += &grouped::warnings(&run, self.paint);
        } else {
            // No more events follow, so the cases that these waited for never end.
            let mut rest: BTreeMap<usize, CaseRow> =
                waiting.into_iter().filter_map(|(position, row)| Some((position, row?))).collect();
            let incomplete = run.rows.kept().filter(|row| row.index() >= next && !row.complete());
            rest.extend(incomplete.map(|row| (row.index(), row.clone())));
            for (position, row) in rest {
                lines::case(&row, self.paint, &mut text);
                text += &detail.as_mut().map(|detail| detail.take(position)).unwrap_or_default();
            }
            text += &self.failures(&run);
        }
        text += &lines::stability(&run, self.verbose);
        text += &matrix::section(&run, self.width);
        if let Some(report) = &run.gates {
            text.push('\n');
            text += &gates::section(report, self.paint);
        }
        text += &agents::section(&run, self.paint);
        text += &recheck::section(&run, self.paint);
        text.push('\n');
        let tally = run.rows.tally();
        for line in similarity::totals(&tally.similarities).into_iter().chain(score::totals(&tally.scores)) {
            text += &one_line(&line);
            text.push('\n');
        }
        text += &lines::totals(&run);
        text += &lines::agents(&run);
        self.again = true;
        text
    }

    /// All cases that did not pass, in full.
    fn failures(&self, run: &ReportedRun) -> String {
        let mut text = String::new();
        let stderr_lines = if self.verbose { usize::MAX } else { STDERR_LINES };
        for row in run.rows.failed() {
            text.push('\n');
            text += &findings::render(&run.suite, row, stderr_lines, self.paint);
        }
        text
    }

    fn write(&mut self, text: &str) -> Result<(), ReportError> {
        if !text.is_empty() {
            self.progress.iter_mut().for_each(RunProgress::wipe);
            let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
            written.map_err(|source| ReportError::Write { report: "console", source })?;
        }
        Ok(())
    }
}

impl Reporter for Console {
    fn share(&mut self, runs: &SharedRuns) {
        self.runs.share(runs);
    }

    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        let mut text = String::new();
        if matches!(event.body, Body::RunStart(_)) {
            text += &self.close();
        }
        let (verbose, width) = (self.verbose, self.width);
        let number = self.runs.add(event);
        let shown = self.shown.get_or_insert_with(|| ShownRun {
            number,
            next: 0,
            waiting: BTreeMap::new(),
            detail: verbose.then(|| CaseLines::new(width)),
            grouped: None,
        });
        if let Some(detail) = &mut shown.detail {
            detail.add(event);
        }
        match &event.body {
            Body::RunStart(start) => {
                shown.grouped = (start.cases_total > LISTED && !verbose).then(FirstFailures::default);
                text += if self.again { "\n" } else { "" };
                text += &self.runs.get(number).map(|run| lines::heading(&run)).unwrap_or_default();
            }
            Body::CaseEnd(_) => text += &self.ready_cases(),
            Body::RunEnd(_) => text += &self.close(),
            _ => {}
        }
        self.write(&text)?;
        if let Some(progress) = &mut self.progress {
            let completed = self.runs.get(number).is_some_and(|run| run.completed.is_some());
            progress.add(event, completed);
            if matches!(event.body, Body::TaskStart(_) | Body::CaseEnd(_) | Body::RunEnd(_)) {
                progress.draw();
            }
        }
        Ok(())
    }

    fn on_tick(&mut self, unix_ms: u64) {
        self.progress.iter_mut().for_each(|progress| progress.tick(unix_ms));
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.progress.iter_mut().for_each(RunProgress::wipe);
        let text = self.close();
        self.write(&text)
    }
}
