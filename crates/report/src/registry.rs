//! The reports that can be selected by name.

use std::path::Path;

use crate::{
    Console, Csv, Github, Html, Jsonl, Junit, Markdown, PieceSink, ReportOutput, Reporter, Summary, ananke, aumai,
    in_one_piece, of_pieces, scenario, yao,
};

/// The name of the JSON result.
pub(crate) const JSON: &str = "json";

/// A report that can be selected by name.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReportKind {
    /// The name of the report.
    pub name: &'static str,
    /// The default file name in a run folder.
    pub file: &'static str,
    /// The file extensions that select it.
    pub extensions: &'static [&'static str],
    /// Whether several of them can be concatenated.
    pub joins: bool,
    /// Whether it is written piece by piece during the run.
    pub streams: bool,
    make: fn(PieceSink) -> Box<dyn Reporter>,
}

/// All reports, in the order they are listed.
pub static REPORTS: [ReportKind; 9] = [
    ReportKind::new("summary", "summary.json", &[], |output| Box::new(Summary::streamed(output))),
    ReportKind::new(JSON, "result.json", &["json"], |output| Box::new(Summary::streamed(output))),
    ReportKind::new("junit", "junit.xml", &["xml"], |output| Box::new(Junit::streamed(output))),
    ReportKind::new("markdown", "report.md", &["md", "markdown"], |output| Box::new(Markdown::streamed(output)))
        .joining(),
    ReportKind::new("html", "report.html", &["html", "htm"], |output| Box::new(Html::streamed(output))),
    ReportKind::new("jsonl", "events.jsonl", &["jsonl"], |output| Box::new(Jsonl::new(of_pieces(output)))).joining(),
    ReportKind::new("csv", "report.csv", &["csv"], |output| Box::new(Csv::streamed(output))),
    ReportKind::new("console", "report.txt", &["txt"], |output| Console::whole(of_pieces(output))).joining(),
    ReportKind::new("github", "annotations.log", &[], |output| Github::streamed(output, None)).joining(),
];

/// The formats with their own reports, by the name that is stored in runs.
static OWN: [&OwnReports; 4] = [&ananke::REPORTS, &aumai::REPORTS, &scenario::REPORTS, &yao::REPORTS];

/// The reports of a format that differ from those of other formats. A stored run only has the name of its format.
#[derive(Debug)]
pub(crate) struct OwnReports {
    /// The name of the format.
    pub(crate) dialect: &'static str,
    /// Replacements for the reports of the same names.
    pub(crate) kinds: &'static [ReportKind],
    /// Whether `junit.xml` uses the format's own labels for assertions.
    pub(crate) words_in_junit: bool,
}

impl OwnReports {
    /// The reports of a format, if it has its own.
    pub(crate) fn of(dialect: &str) -> Option<&'static Self> {
        OWN.iter().find(|own| own.dialect == dialect).copied()
    }
}

impl ReportKind {
    /// A report that is written in one piece and cannot be concatenated.
    pub(crate) const fn new(
        name: &'static str,
        file: &'static str,
        extensions: &'static [&'static str],
        make: fn(PieceSink) -> Box<dyn Reporter>,
    ) -> Self {
        Self { name, file, extensions, joins: false, streams: false, make }
    }

    /// Marks a report that can be concatenated.
    pub(crate) const fn joining(self) -> Self {
        Self { joins: true, ..self }
    }

    /// Marks a report that is written piece by piece during the run.
    pub(crate) const fn streaming(self) -> Self {
        Self { streams: true, ..self.joining() }
    }

    /// The same report in the format that users of a dialect know.
    pub fn spelt_for(&'static self, dialect: &str) -> &'static Self {
        let kinds = OwnReports::of(dialect).map_or(&[][..], |own| own.kinds);
        kinds.iter().find(|own| own.name == self.name).unwrap_or(self)
    }

    /// The JSON result that a dialect has in addition to the summary, if any.
    pub fn json_of(dialect: &str) -> Option<&'static Self> {
        OwnReports::of(dialect)?.kinds.iter().find(|own| own.name == JSON)
    }

    /// The report with this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        REPORTS.iter().find(|kind| kind.name == name)
    }

    /// The report that the extension of this file selects.
    pub fn by_extension(path: &Path) -> Option<&'static Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        REPORTS.iter().find(|kind| kind.extensions.contains(&extension.as_str()))
    }

    /// Creates the report, which is written to `output` in one piece.
    pub fn make(&self, output: ReportOutput) -> Box<dyn Reporter> {
        self.make_streamed(in_one_piece(output))
    }

    /// Creates the report, which is written to `output` piece by piece if it is long.
    pub fn make_streamed(&self, output: PieceSink) -> Box<dyn Reporter> {
        (self.make)(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_file_and_extension_selects_one_report() {
        for kind in &REPORTS {
            let same = |found: Option<&ReportKind>| found.is_some_and(|found| found.name == kind.name);
            assert!(same(ReportKind::by_name(kind.name)));
            let file = ReportKind::by_extension(Path::new(kind.file));
            assert!(same(file) || kind.extensions.is_empty(), "{}", kind.name);
            assert!(kind.extensions.iter().all(|word| same(ReportKind::by_extension(Path::new(&format!("a.{word}"))))));
        }
        assert!(ReportKind::by_extension(Path::new("A.HTML")).is_some());
        assert!(ReportKind::by_extension(Path::new("html")).is_none());
        assert!(ReportKind::by_name("Junit").is_none());
    }
}
