//! The results as one JSON document.

use std::io::{self, Write};

use agentci_verdict::{CaseRow, RunEvent, iso_utc};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::record;
use super::run_rows::YaoRun;
use crate::json_object::object;
use crate::{DocumentReport, ReportedRun, RunDocument, write_json};

/// Writes the JSON document of a suite's results, one per run.
pub type YaoDocument = DocumentReport<YaoResultsPage>;

/// The data of the document.
#[derive(Debug, Default)]
pub struct YaoResultsPage(YaoRun);

impl RunDocument for YaoResultsPage {
    const REPORT: &'static str = "json";

    fn add(&mut self, event: &RunEvent) {
        self.0.add(event);
    }

    fn write(&mut self, _: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        write_json(out, &YaoJson::of(&self.0))
    }
}

#[derive(serde::Serialize)]
struct YaoJson<'g> {
    summary: Value,
    environment: &'g std::collections::BTreeMap<String, String>,
    results: ResultSequence<'g>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability_results: Option<ResultSequence<'g>>,
    metadata: Value,
}

impl<'g> YaoJson<'g> {
    fn of(gathered: &'g YaoRun) -> Self {
        let run = &gathered.run;
        let several = run.rows.kept().any(CaseRow::repeated);
        Self {
            summary: summary(run),
            environment: &run.start.environment,
            results: ResultSequence { of: gathered, several: false },
            stability_results: several.then_some(ResultSequence { of: gathered, several }),
            metadata: metadata(run),
        }
    }
}

/// Serializes results one after another: all of them at once would take several times the memory of their source.
struct ResultSequence<'g> {
    of: &'g YaoRun,
    /// Whether to include only cases that are run more than once.
    several: bool,
}

impl Serialize for ResultSequence<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let told = self.of.iter().filter(|told| !self.several || told.row.repeated());
        serializer.collect_seq(told.map(record::result))
    }
}

fn summary(run: &ReportedRun) -> Value {
    let agent = object([
        ("agent_id", Some(record::agent(run).into())),
        ("agent_path", run.start.agent_path.as_deref().map(Value::from)),
        ("connector", run.start.connector.as_deref().map(Value::from)),
    ]);
    record::summary(run).into_iter().chain(agent).collect()
}

fn metadata(run: &ReportedRun) -> Value {
    let mut options: Map<String, Value> = run.start.options.clone().into_iter().collect();
    let output_file = options.remove("out");
    Value::Object(object([
        ("started_at", Some(iso_utc(run.begun()).into())),
        ("completed_at", Some(iso_utc(run.last_seen).into())),
        ("version", Some(run.start.agentci_version.as_str().into())),
        ("input_file", Some(run.start.suite_path.as_str().into())),
        ("output_file", output_file),
        ("options", Some(options.into())),
    ]))
}
