//! Which reports are written for a run, and where.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agentci::ledger::safe_name;
use agentci::report::{ConsoleOptions, FanOut, Github, PieceSink, REPORTS, ReportError, ReportKind, Reporter};
use clap::Args;

use super::github_job::{STEP_SUMMARY, checkout};
use super::report_outputs::{destination, to_file, to_stdout};
use super::{CliContext, CliError, dialect, meant_or};

/// The reports in every run folder.
pub(crate) const USUAL: [&str; 3] = ["summary", "junit", "html"];

/// The placeholder for the suite in a path.
const SUITE: &str = "{suite}";

/// Flags that ask for reports.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReportFlags {
    #[arg(
        long = "report",
        value_name = "NAME[=PATH]",
        value_parser = by_name,
        help = report_help(),
        help_heading = "Reports and output"
    )]
    reports: Vec<WantedReport>,
    #[arg(
        short,
        long,
        visible_alias = "output",
        value_name = "PATH",
        value_parser = by_extension,
        help = out_help(),
        help_heading = "Reports and output"
    )]
    out: Vec<WantedReport>,
}

/// The help text of `--report`, with the names of all reports.
fn report_help() -> String {
    format!(
        "Write NAME to the run folder or PATH, `-` is stdout (may be repeated): {}",
        listed(REPORTS.iter().map(|kind| kind.name.to_owned()), "or")
    )
}

/// The help text of `--out`, with the first extension of every report that has one.
fn out_help() -> String {
    let extensions = REPORTS.iter().filter_map(|kind| kind.extensions.first());
    dialect::out_help(&listed(extensions.map(|extension| format!(".{extension}")), "or"))
}

/// `a, b and c`.
fn listed(words: impl Iterator<Item = String>, conjunction: &str) -> String {
    let mut words: Vec<String> = words.collect();
    match (words.pop(), words.is_empty()) {
        (Some(last), false) => format!("{} {conjunction} {last}", words.join(", ")),
        (last, _) => last.unwrap_or_default(),
    }
}

/// A requested report.
#[derive(Debug, Clone)]
struct WantedReport {
    kind: &'static ReportKind,
    to: Destination,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Destination {
    RunFolder,
    Stdout,
    File(String),
    /// A folder, for formats that write their results to one.
    Folder(String),
}

impl WantedReport {
    /// The file that it is written to, before the suite is inserted.
    fn file(&self) -> Option<&str> {
        if let Destination::File(path) = &self.to { Some(path) } else { None }
    }
}

fn by_name(text: &str) -> Result<WantedReport, String> {
    let (name, path) = text.split_once('=').map_or((text, None), |(name, path)| (name, Some(path)));
    let Some(kind) = ReportKind::by_name(name) else {
        let names = REPORTS.each_ref().map(|kind| kind.name);
        let remedy = meant_or(name, names, &format!("expected one of {}", names.join(", ")));
        return Err(format!("unknown report; {remedy}"));
    };
    let to = match path {
        None => Destination::RunFolder,
        Some("-") => Destination::Stdout,
        Some("") => return Err("the path after `=` is missing".into()),
        Some(path) => Destination::File(path.to_owned()),
    };
    Ok(WantedReport { kind, to })
}

fn by_extension(text: &str) -> Result<WantedReport, String> {
    let path = Path::new(text);
    let folder = !text.is_empty() && (path.extension().is_none() || text.ends_with('/') || path.is_dir());
    if let Some(kind) = REPORTS.iter().find(|kind| kind.name == "csv").filter(|_| folder) {
        return Ok(WantedReport { kind, to: Destination::Folder(text.to_owned()) });
    }
    let kind = ReportKind::by_extension(path).ok_or_else(no_such_extension)?;
    Ok(WantedReport { kind, to: Destination::File(text.to_owned()) })
}

fn no_such_extension() -> String {
    let known: Vec<String> = REPORTS.iter().flat_map(|kind| kind.extensions).map(|word| format!(".{word}")).collect();
    format!("no report has this extension; expected one of {}", known.join(", "))
}

/// The run that reports are written for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportOf<'r> {
    pub(crate) suite: &'r str,
    pub(crate) dialect: &'r str,
    pub(crate) folder: &'r Path,
}

impl ReportFlags {
    /// Whether no report was requested.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// Whether a report is written to standard output.
    pub(crate) fn take_stdout(&self) -> bool {
        self.all().any(|wanted| wanted.to == Destination::Stdout)
    }

    /// The folder for the results of formats that have one.
    pub(crate) fn folder(&self) -> Option<&str> {
        self.out.iter().find_map(|wanted| match &wanted.to {
            Destination::Folder(path) => Some(path.as_str()),
            Destination::RunFolder | Destination::Stdout | Destination::File(_) => None,
        })
    }

    /// Refuses such a folder, if no selected format uses one.
    pub(crate) fn no_folder(&self) -> Result<(), CliError> {
        let Some(path) = self.folder() else { return Ok(()) };
        Err(CliError::new(format!("`--out {path}`: {}", no_such_extension()), dialect::RESULTS_FOLDER))
    }

    /// Checks that all reports can be written for these suites without overwriting each other; `json` also uses
    /// standard output.
    pub(crate) fn fit(&self, suites: &[&str], json: bool) -> Result<(), CliError> {
        let on_stdout = self.all().filter(|wanted| wanted.to == Destination::Stdout);
        if on_stdout.count() + usize::from(json) > 1 {
            let message = "only one report can be written to standard output";
            return Err(CliError::new(message, "set a path for the others: `--report NAME=PATH`"));
        }
        let mut taken = Vec::new();
        for wanted in self.all() {
            let name = wanted.kind.name;
            match &wanted.to {
                Destination::Stdout if suites.len() > 1 && !wanted.kind.joins => {
                    let message = format!("{} suites cannot share one {name} report on standard output", suites.len());
                    let help = format!("write one per suite: `--report {name}=PATH` with `{SUITE}` in the path");
                    return Err(CliError::new(message, help));
                }
                Destination::File(path) if suites.len() > 1 && !path.contains(SUITE) => {
                    let message = format!("{} suites would all write their report to `{path}`", suites.len());
                    return Err(CliError::new(message, format!("put `{SUITE}` into the path, or run one suite")));
                }
                Destination::File(path) => {
                    taken.extend(suites.iter().map(|suite| (resolved(path, suite), name, *suite)));
                }
                Destination::Stdout | Destination::RunFolder | Destination::Folder(_) => {}
            }
        }
        each_alone(taken)
    }

    /// Adds the requested reports of a suite, except those that are written to its folder anyway. Returns the paths of
    /// those that are written to files.
    pub(crate) fn add_to(&self, reports: &mut FanOut, of: ReportOf<'_>, anyway: &[&str]) -> Vec<PathBuf> {
        let ReportOf { suite, dialect, folder } = of;
        let mut paths = Vec::new();
        for wanted in self.all() {
            // JSON has the shape of the suite's format.
            let kind = wanted.kind.spelt_for(dialect);
            let path = match &wanted.to {
                Destination::Folder(_) => continue,
                Destination::RunFolder if anyway.contains(&kind.name) => continue,
                Destination::RunFolder => folder.join(kind.file),
                Destination::File(path) => resolved(path, suite),
                Destination::Stdout => {
                    reports.add(format!("{} on standard output", kind.name), make(kind, to_stdout()));
                    continue;
                }
            };
            if !paths.contains(&path) {
                reports.add(shown(&path), make(kind, destination(kind, &path)));
                paths.push(path);
            }
        }
        paths
    }

    /// Whether a report is written to a folder or to standard output.
    pub(crate) fn need_folder(&self) -> bool {
        self.all().any(|wanted| !matches!(wanted.to, Destination::File(_)))
    }

    /// Refuses reports in the run folder, which a recheck leaves as it is.
    pub(super) fn leave_run_folder(&self) -> Result<(), CliError> {
        let Some(wanted) = self.all().find(|wanted| wanted.to == Destination::RunFolder) else { return Ok(()) };
        let name = wanted.kind.name;
        let message = format!("`--recheck` does not change the run folder: `--report {name}` needs a path");
        let help =
            format!("set one, `--report {name}=PATH`, or create a run folder for the recheck: `--output-dir DIR`");
        Err(CliError::new(message, help))
    }

    /// The first file from `--out`.
    pub(crate) fn first_out(&self) -> Option<&str> {
        self.out.iter().find_map(WantedReport::file)
    }

    /// The files that the reports of a suite are written to.
    pub(crate) fn files(&self, suite: &str) -> Vec<PathBuf> {
        self.all().filter_map(WantedReport::file).map(|path| resolved(path, suite)).collect()
    }

    /// The files from `--out`, for a suite.
    pub(crate) fn out_paths(&self, suite: &str) -> Vec<PathBuf> {
        self.out.iter().filter_map(WantedReport::file).map(|path| resolved(path, suite)).collect()
    }

    fn all(&self) -> impl Iterator<Item = &WantedReport> {
        self.reports.iter().chain(&self.out)
    }
}

/// Checks that no two reports are written to the same file. Each item is a path, the name of the report, and the suite.
fn each_alone(mut taken: Vec<(PathBuf, &str, &str)>) -> Result<(), CliError> {
    taken.sort();
    let Some(pair) = taken.windows(2).find(|pair| pair[0].0 == pair[1].0) else { return Ok(()) };
    let help = if pair[0].2 == pair[1].2 && pair[0].1 == pair[1].1 {
        "run suites of the same name one at a time"
    } else {
        "give each report its own path"
    };
    let message = format!("two reports would be written to `{}`", pair[0].0.display());
    Err(CliError::new(message, help))
}

/// Adds the reports that a run folder always has.
pub(crate) fn add_usual(reports: &mut FanOut, folder: &Path) -> Vec<PathBuf> {
    let kinds = USUAL.iter().filter_map(|name| ReportKind::by_name(name));
    let paths = kinds.map(|kind| {
        let path = folder.join(kind.file);
        reports.add(shown(&path), kind.make_streamed(to_file(&path)));
        path
    });
    paths.collect()
}

/// The writer and the options of the console report; with `aside` it is printed to standard error.
pub(crate) fn console(aside: bool, verbose: bool, context: &CliContext) -> (Box<dyn Write>, ConsoleOptions) {
    let out: Box<dyn Write> = if aside { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
    let color = if aside { context.stderr_color } else { context.stdout_color };
    (out, ConsoleOptions { color, live: None, verbose, width: context.width })
}

/// Reports what could not be written. Returns the names of the reports whose failure fails the command.
pub(crate) fn tell_unwritten(unwritten: Vec<(String, ReportError)>, context: &CliContext) -> Vec<String> {
    let mut failed = Vec::new();
    for (name, error) in unwritten {
        let message = format!("the report {name} could not be written: {error}");
        if name == STEP_SUMMARY {
            // It was not requested by a flag, and the file may be unreachable in a container.
            context.say(&format!("warning: {message}\n"));
        } else if !error.is_broken_pipe() {
            // A closed pipe, such as to `head`, is not a failure.
            context.complain(&message, None);
            failed.push(name);
        }
    }
    failed
}

/// A requested report.
fn make(kind: &ReportKind, output: PieceSink) -> Box<dyn Reporter> {
    if kind.name == "github" { Github::streamed(output, checkout()) } else { kind.make_streamed(output) }
}

/// A path with the suite inserted.
fn resolved(path: &str, suite: &str) -> PathBuf {
    PathBuf::from(path.replace(SUITE, &safe_name(suite)))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(reports: &[&str], out: &[&str]) -> ReportFlags {
        ReportFlags {
            reports: reports.iter().map(|text| by_name(text).unwrap()).collect(),
            out: out.iter().map(|text| by_extension(text).unwrap()).collect(),
        }
    }

    fn misfit(reports: &[&str], out: &[&str], suites: &[&str], json: bool) -> String {
        flags(reports, out).fit(suites, json).unwrap_err().message
    }

    #[test]
    fn parses_report_name_with_optional_path() {
        assert_eq!(by_name("junit").unwrap().to, Destination::RunFolder);
        assert_eq!(by_name("junit=-").unwrap().to, Destination::Stdout);
        assert_eq!(by_name("junit=a=b.xml").unwrap().to, Destination::File("a=b.xml".into()));
        assert_eq!(by_name("junti").unwrap_err(), "unknown report; did you mean `junit`?");
        assert!(
            by_name("pdf").unwrap_err().contains("expected one of summary, json, junit, markdown, html, jsonl, csv, ")
        );
        assert_eq!(by_name("junit=").unwrap_err(), "the path after `=` is missing");
    }

    #[test]
    fn help_lists_every_report() {
        for kind in &REPORTS {
            assert!(report_help().contains(kind.name), "{}", kind.name);
            assert!(
                kind.extensions.first().is_none_or(|first| out_help().contains(&format!(".{first}"))),
                "{}",
                kind.name
            );
        }
        assert_eq!(listed(["a", "b", "c"].map(str::to_owned).into_iter(), "or"), "a, b or c");
    }

    #[test]
    fn refuses_two_reports_with_the_same_destination() {
        assert_eq!(flags(&["summary=-"], &["a.xml", "b.html"]).fit(&["one"], false), Ok(()));
        assert_eq!(flags(&["markdown=-"], &["{suite}.xml"]).fit(&["one", "two"], false), Ok(()));
        assert_eq!(misfit(&["summary=-"], &[], &["one"], true), "only one report can be written to standard output");
        assert_eq!(misfit(&[], &["a.xml"], &["one", "two"], false), "2 suites would all write their report to `a.xml`");
        assert_eq!(misfit(&[], &["{suite}.md"], &["one", "one"], false), "two reports would be written to `one.md`");
        assert_eq!(misfit(&["html=a.md"], &["a.md"], &["one"], false), "two reports would be written to `a.md`");
        assert!(misfit(&["junit=-"], &[], &["one", "two"], false).starts_with("2 suites cannot share one junit"));
    }

    #[test]
    fn suite_name_cannot_escape_the_output_folder() {
        let path = resolved("out/{suite}.md", "../../etc");
        assert_eq!(path.parent(), Some(Path::new("out")));
    }
}
