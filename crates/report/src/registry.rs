//! The reports that can be asked for by name.
//!
//! ```text
//! name      file             extensions
//! summary   summary.json
//! json      result.json      json
//! junit     junit.xml        xml
//! markdown  report.md        md markdown
//! html      report.html      html htm
//! jsonl     events.jsonl     jsonl
//! csv       report.csv       csv
//! console   report.txt       txt
//! github    annotations.log
//! ```

use std::path::Path;

use crate::whole::Whole;
use crate::{
    Console, ConsoleOptions, Csv, Github, Html, Jsonl, Junit, Markdown, Output, Reporter, ScenarioResults, Summary,
    TestList, TestSuite, YaoDocument, YaoLines, YaoMarkdown,
};

/// A report that can be asked for.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReportKind {
    /// What it is asked for by.
    pub name: &'static str,
    /// Its file in a run folder, unless another is asked for.
    pub file: &'static str,
    /// The extensions of file names that ask for it.
    pub extensions: &'static [&'static str],
    /// Whether two of them, one after the other, can still be read.
    pub joins: bool,
    /// Whether its output gets it piece by piece, as the run goes on.
    pub streams: bool,
    make: fn(Output) -> Box<dyn Reporter>,
}

/// Every report, in the order they are told of.
pub static REPORTS: [ReportKind; 9] = [
    ReportKind {
        name: "summary",
        file: "summary.json",
        extensions: &[],
        joins: false,
        streams: false,
        make: |output| Box::new(Summary::new(output)),
    },
    ReportKind {
        name: "json",
        file: "result.json",
        extensions: &["json"],
        joins: false,
        streams: false,
        make: |output| Box::new(Summary::new(output)),
    },
    ReportKind {
        name: "junit",
        file: "junit.xml",
        extensions: &["xml"],
        joins: false,
        streams: false,
        make: |output| Box::new(Junit::new(output)),
    },
    ReportKind {
        name: "markdown",
        file: "report.md",
        extensions: &["md", "markdown"],
        joins: true,
        streams: false,
        make: |output| Box::new(Markdown::new(output)),
    },
    ReportKind {
        name: "html",
        file: "report.html",
        extensions: &["html", "htm"],
        joins: false,
        streams: false,
        make: |output| Box::new(Html::new(output)),
    },
    ReportKind {
        name: "jsonl",
        file: "events.jsonl",
        extensions: &["jsonl"],
        joins: true,
        streams: false,
        make: |output| Box::new(Jsonl::new(output)),
    },
    ReportKind {
        name: "csv",
        file: "report.csv",
        extensions: &["csv"],
        joins: false,
        streams: false,
        make: |output| Box::new(Csv::new(output)),
    },
    ReportKind {
        name: "console",
        file: "report.txt",
        extensions: &["txt"],
        joins: true,
        streams: false,
        make: |output| {
            let console = |out| -> Box<dyn Reporter> { Box::new(Console::new(out, ConsoleOptions::default())) };
            Box::new(Whole::new("console", output, console))
        },
    },
    ReportKind {
        name: "github",
        file: "annotations.log",
        extensions: &[],
        joins: true,
        streams: false,
        make: |output| Github::whole(output, None),
    },
];

/// What stands for the summary where JSON is asked for and the dialect has a JSON result of its own.
static TEST_SUITE: ReportKind = ReportKind {
    name: "json",
    file: "result.json",
    extensions: &["json"],
    joins: false,
    streams: false,
    make: |output| Box::new(TestSuite::new(output)),
};

/// The same for another.
static TEST_LIST: ReportKind = ReportKind {
    name: "json",
    file: "result.json",
    extensions: &["json"],
    joins: false,
    streams: false,
    make: |output| Box::new(TestList::new(output)),
};

/// What the results of the yao dialect look like.
static YAO: [ReportKind; 3] = [
    ReportKind {
        name: "json",
        file: "result.json",
        extensions: &["json"],
        joins: false,
        streams: false,
        make: |output| Box::new(YaoDocument::new(output)),
    },
    ReportKind {
        name: "jsonl",
        file: "results.jsonl",
        extensions: &["jsonl"],
        joins: true,
        streams: true,
        make: |output| Box::new(YaoLines::new(output)),
    },
    ReportKind {
        name: "markdown",
        file: "report.md",
        extensions: &["md", "markdown"],
        joins: true,
        streams: false,
        make: |output| Box::new(YaoMarkdown::new(output)),
    },
];

/// What stands for the table where the dialect has one of its own.
static RESULTS: ReportKind = ReportKind {
    name: "csv",
    file: "results.csv",
    extensions: &["csv"],
    joins: false,
    streams: false,
    make: |output| Box::new(ScenarioResults::new(output)),
};

impl ReportKind {
    /// The same report in the shape that users of a dialect know.
    pub fn spelt_for(&'static self, dialect: &str) -> &'static Self {
        match dialect {
            "aumai" if self.name == TEST_SUITE.name => &TEST_SUITE,
            "ananke" if self.name == TEST_LIST.name => &TEST_LIST,
            "yao" => YAO.iter().find(|own| own.name == self.name).unwrap_or(self),
            "scenario" if self.name == RESULTS.name => &RESULTS,
            _ => self,
        }
    }

    /// The JSON result that a dialect has beside the summary, if it has one.
    pub fn json_of(dialect: &str) -> Option<&'static Self> {
        let summary = Self::by_name(TEST_SUITE.name)?;
        let own = summary.spelt_for(dialect);
        (!std::ptr::eq(own, summary)).then_some(own)
    }

    /// The report of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        REPORTS.iter().find(|kind| kind.name == name)
    }

    /// The report that a file of this name asks for.
    pub fn by_extension(path: &Path) -> Option<&'static Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        REPORTS.iter().find(|kind| kind.extensions.contains(&extension.as_str()))
    }

    /// The report, to be written to `output`.
    pub fn make(&self, output: Output) -> Box<dyn Reporter> {
        (self.make)(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_file_and_extension_leads_to_one_report() {
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
