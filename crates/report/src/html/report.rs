//! The HTML report as a consumer of events.

use std::io::{self, Write};

use agentci_verdict::RunEvent;

use super::case_details::PageCases;
use super::page::page;
use crate::{DocumentReport, ReportedRun, RunDocument};

/// Makes `report.html`, one page a run.
pub type Html = DocumentReport<HtmlDocument>;

/// What the page is made of.
#[derive(Debug, Default)]
pub struct HtmlDocument {
    run: ReportedRun,
    gathered: PageCases,
}

impl RunDocument for HtmlDocument {
    const REPORT: &'static str = "html";

    fn add(&mut self, event: &RunEvent) {
        self.run.add(event);
        self.gathered.add(event);
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.gathered.close();
        out.write_all(page(&self.run, &self.gathered).as_bytes())
    }
}
