//! What a suite's format takes for granted, as data.
//!
//! A front end fills [`Habits`] once for its dialect; everything after it asks the habits and never the name of the dialect.
//! [`Habits::USUAL`] are those of the native format, so that a dialect states only where it differs.

use std::time::Duration;

/// What a suite's format takes for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Habits {
    /// What a time limit of the caller covers.
    pub time_limit: TimeLimit,
    /// How many cases run at once by default.
    pub parallelism: Parallelism,
    /// What an invalid check means for its case and its suite.
    pub invalid_checks: InvalidChecks,
    /// What a check means that asks for nothing.
    pub empty_checks: EmptyChecks,
    /// Whether rules apply that the format did not have from the start.
    pub verdicts: Verdicts,
    /// How numbers in the arguments of recorded calls are compared.
    pub recorded_numbers: RecordedNumbers,
    /// What else is in files that hold cases.
    pub case_files: CaseFiles,
    /// Where results go beside the run folder.
    pub result_files: ResultFiles,
    /// Who may write a report.
    pub report_writer: ReportWriter,
}

impl Habits {
    /// The habits of the native format.
    pub const USUAL: Self = Self {
        time_limit: TimeLimit::Case,
        parallelism: Parallelism::Machine,
        invalid_checks: InvalidChecks::RefuseCase,
        empty_checks: EmptyChecks::Refused,
        verdicts: Verdicts::Strict,
        recorded_numbers: RecordedNumbers::ByValue,
        case_files: CaseFiles::WithSettings,
        result_files: ResultFiles::RunFolder,
        report_writer: ReportWriter::BuiltIn,
    };
}

impl Default for Habits {
    fn default() -> Self {
        Self::USUAL
    }
}

/// What a time limit of the caller covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLimit {
    /// Every case, and it takes precedence over the case's own limit.
    Case,
    /// Cases without a limit of their own. The front end has applied it already.
    CaseDefault,
    /// All cases of the suite together; this is the default.
    Suite(Duration),
}

impl TimeLimit {
    /// How long all cases of a suite together may take by default.
    pub fn of_suite(self) -> Option<Duration> {
        match self {
            TimeLimit::Suite(default) => Some(default),
            TimeLimit::Case | TimeLimit::CaseDefault => None,
        }
    }
}

/// How many cases run at once by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parallelism {
    /// As many as the machine has processors.
    Machine,
    /// The same, but one at a time if a gate compares durations, which must not depend on what else runs.
    MachineUnlessTimed,
    /// One at a time.
    One,
}

/// What an invalid check means for its case and its suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidChecks {
    /// The case is not run, and ends with an error.
    RefuseCase,
    /// No case of the suite is run: cases depend on those before them.
    RefuseSuite,
    /// The case is run, and the check fails; loading only warns.
    FailCase,
}

/// What a check means that asks for nothing, such as an empty list of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyChecks {
    /// It is invalid.
    Refused,
    /// An empty order of calls and an empty prohibition pass with a warning; others are invalid.
    PassInOrdersAndProhibitions,
    /// It passes with a warning.
    Pass,
}

/// Whether rules apply that the format did not have from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdicts {
    /// A setting without effect and a limit of something that nothing reports are errors, and a result that says in words that it
    /// failed has failed.
    Strict,
    /// Suites keep the verdicts that their users know: there is at most a warning.
    Kept,
}

/// How numbers in the arguments of recorded calls are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedNumbers {
    /// `20` is `20.0`.
    ByValue,
    /// `20` is not `20.0`.
    AsWritten,
}

/// What else is in files that hold cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseFiles {
    /// The settings of the suite, before or after the cases.
    WithSettings,
    /// Nothing.
    CasesAlone,
}

/// Where results go beside the run folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultFiles {
    /// Nowhere else.
    RunFolder,
    /// Into a file beside the file of cases that was named.
    BesideCases,
    /// Into a folder of results that all runs share, with a log.
    ResultsFolder,
}

/// Who may write a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportWriter {
    /// Only agentci.
    BuiltIn,
    /// Also an agent of the application under test, which is sent the results.
    Agent,
}
