//! Assumptions of a suite's format, as data.
//!
//! A front end fills [`FormatConventions`] once for its dialect; the rest of the program uses the conventions and never
//! the name of the dialect. [`FormatConventions::USUAL`] are those of the native format, so that a dialect lists only
//! its differences.

use std::time::Duration;

/// Assumptions of a suite's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatConventions {
    /// What a timeout set by the caller covers.
    pub time_limit: TimeLimit,
    /// How many cases run at once by default.
    pub parallelism: Parallelism,
    /// What an invalid check means for its case and its suite.
    pub invalid_checks: InvalidChecks,
    /// What a check that expects nothing means.
    pub empty_checks: EmptyChecks,
    /// Whether rules apply that the original tool of the format does not have.
    pub verdicts: Verdicts,
    /// How numbers in the arguments of recorded calls are compared.
    pub recorded_numbers: RecordedNumbers,
    /// What files with cases contain in addition to cases.
    pub case_files: CaseFiles,
    /// Where results are written in addition to the run folder.
    pub result_files: ResultFiles,
    /// Who may write a report.
    pub report_writer: ReportWriter,
}

impl FormatConventions {
    /// The conventions of the native format.
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

impl Default for FormatConventions {
    fn default() -> Self {
        Self::USUAL
    }
}

/// What a timeout set by the caller covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLimit {
    /// Every case, and it takes precedence over the case's own limit.
    Case,
    /// Cases without a limit of their own. The front end has already applied it.
    CaseDefault,
    /// All cases of the suite together; the value is the default.
    Suite(Duration),
}

impl TimeLimit {
    /// The default timeout of all cases of a suite together.
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
    /// The same, but one at a time if a gate compares durations, which must not depend on what else is running.
    MachineUnlessTimed,
    /// One at a time.
    One,
}

/// What an invalid check means for its case and its suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidChecks {
    /// The case does not run and ends with an error.
    RefuseCase,
    /// No case of the suite runs: cases depend on those before them.
    RefuseSuite,
    /// The case runs and the check fails; loading only warns.
    FailCase,
}

/// What a check that expects nothing means, such as one with an empty list of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyChecks {
    /// It is invalid.
    Refused,
    /// An empty call order and an empty prohibition pass with a warning; others are invalid.
    PassInOrdersAndProhibitions,
    /// It passes with a warning.
    Pass,
}

/// Whether rules apply that the original tool of the format does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdicts {
    /// A setting without effect, or a limit on something that nothing reports, is an error, and a tool result whose
    /// text reports a failure counts as failed.
    Strict,
    /// Suites keep the verdicts of their original tool; at most there is a warning.
    Kept,
}

/// How numbers in the arguments of recorded calls are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedNumbers {
    /// `20` equals `20.0`.
    ByValue,
    /// `20` does not equal `20.0`.
    AsWritten,
}

/// What files with cases contain in addition to cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseFiles {
    /// The settings of the suite, before or after the cases.
    WithSettings,
    /// Nothing.
    CasesAlone,
}

/// Where results are written in addition to the run folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultFiles {
    /// Nowhere else.
    RunFolder,
    /// Into a file next to the specified file of cases.
    BesideCases,
    /// Into a results folder shared by all runs, with a log.
    ResultsFolder,
}

/// Who may write a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportWriter {
    /// Only agentci.
    BuiltIn,
    /// Also an agent of the application under test, which receives the results.
    Agent,
}
