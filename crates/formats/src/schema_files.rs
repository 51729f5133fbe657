//! The file types of all dialects, with their JSON Schemas.
//!
//! ```
//! let native = agentci_formats::schemas().iter().find(|file| file.name == "native").unwrap();
//! let schema = native.schema(&[]);
//! assert_eq!(schema["definitions"]["suite"]["required"], serde_json::json!(["suite", "cases"]));
//! ```

use agentci_plan::Dialect;
use agentci_source::schema::{self, Table};
use agentci_source::shape::{CheckShape, Kind, Shape};
use serde_json::Value;

use crate::{ananke, aumai, mcp_script, model_script, native, runledger, scenario, yao};

/// A file type.
#[derive(Debug, Clone, Copy)]
pub struct SchemaFile {
    /// The name of its schema, for `agentci schema`.
    pub name: &'static str,
    /// Its dialect; `None` for model and MCP server scripts, which several dialects share.
    pub dialect: Option<Dialect>,
    /// A short description.
    pub title: &'static str,
    /// Path patterns of such files; empty if they may have any name.
    pub paths: &'static [&'static str],
    /// Whether each line is a separate document, so that editors cannot use the schema.
    pub by_line: bool,
    root: Kind,
}

/// All file types; the main one of a dialect comes first.
pub fn schemas() -> &'static [SchemaFile] {
    &SCHEMAS
}

static SCHEMAS: [SchemaFile; 14] = [
    file(
        "native",
        Some(Dialect::Native),
        "agentci suite or project settings",
        &["agentci.yaml", "agentci.yml"],
        Kind::Having("cases", &native::SUITE, &scenario::SETTINGS),
    ),
    mapping("model-script", None, "agentci model script", &["model.yaml", "models/*.yaml"], &model_script::SCRIPT),
    mapping("mcp-script", None, "agentci MCP server script", &["*.mcp.yaml"], &mcp_script::SCRIPT),
    mapping("runledger", Some(Dialect::Runledger), "RunLedger suite", &["suite.yaml", "suite.yml"], &runledger::SUITE),
    mapping("runledger-case", Some(Dialect::Runledger), "RunLedger case", &["cases/*.yaml"], &runledger::CASE),
    file("aumai", Some(Dialect::Aumai), "AumAI tests", &[], aumai::FILE),
    mapping(
        "aumai-mock",
        Some(Dialect::Aumai),
        "AumAI mock configuration",
        &["mock_config.yaml", "mock_config.yml"],
        &aumai::CONFIG,
    ),
    mapping("scenario", Some(Dialect::Scenario), "Scenario", &["tests/*/**/*.yaml"], &scenario::SCENARIO),
    SchemaFile {
        by_line: true,
        ..mapping("yao", Some(Dialect::Yao), "Yao test (one line of a file)", &["tests/*.jsonl"], &yao::RECORD)
    },
    mapping("yao-package", Some(Dialect::Yao), "Yao assistant", &["package.yao"], &yao::PACKAGE_FILE),
    file("yao-connector", Some(Dialect::Yao), "Yao connector", &["connectors/**/*.conn.yao"], yao::CONNECTOR),
    file("yao-prompts", Some(Dialect::Yao), "Yao prompts", &["prompts.yml", "prompts/**/*.yml"], yao::PROMPTS),
    mapping("ananke", Some(Dialect::Ananke), "Ananke test", &["*.test.yaml", "*.test.yml"], &ananke::TEST),
    mapping(
        "ananke-config",
        Some(Dialect::Ananke),
        "Ananke configuration",
        &["ananke.config.yaml", "ananke.config.yml"],
        &ananke::CONFIG,
    ),
];

const fn file(
    name: &'static str,
    dialect: Option<Dialect>,
    title: &'static str,
    paths: &'static [&'static str],
    root: Kind,
) -> SchemaFile {
    SchemaFile { name, dialect, title, paths, by_line: false, root }
}

const fn mapping(
    name: &'static str,
    dialect: Option<Dialect>,
    title: &'static str,
    paths: &'static [&'static str],
    shape: &'static Shape,
) -> SchemaFile {
    file(name, dialect, title, paths, Kind::Shape(shape))
}

impl SchemaFile {
    /// The kind of the whole file.
    pub fn root(&self) -> &Kind {
        &self.root
    }

    /// Its JSON Schema, draft-07; `checks` are the checks that a native suite may use.
    pub fn schema(&self, checks: &[&'static CheckShape]) -> Value {
        schema::schema(self.title, &self.root, checks)
    }

    /// Its mappings with their keys, in the order in which they appear in the file.
    pub fn tables(&self, checks: &[&'static CheckShape]) -> Vec<Table> {
        schema::tables(&self.root, checks)
    }
}
