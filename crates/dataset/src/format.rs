//! The formats of data files.

use std::path::Path;

/// The format of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataFormat {
    /// Values separated by commas, or by `;`, tabs or `|` if the header has these and no comma.
    Csv,
    /// Values separated by tabs.
    Tsv,
    /// One JSON object a line.
    JsonLines,
    /// A JSON array of objects.
    Json,
    /// A YAML list of mappings.
    Yaml,
    /// Columns in groups of rows.
    Parquet,
}

impl DataFormat {
    /// The extensions of file names, by format.
    pub const EXTENSIONS: [(&'static str, DataFormat); 8] = [
        ("csv", DataFormat::Csv),
        ("tsv", DataFormat::Tsv),
        ("jsonl", DataFormat::JsonLines),
        ("ndjson", DataFormat::JsonLines),
        ("json", DataFormat::Json),
        ("yaml", DataFormat::Yaml),
        ("yml", DataFormat::Yaml),
        ("parquet", DataFormat::Parquet),
    ];

    /// The format of a file by its extension, in any letter case.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, format)| *format)
    }
}
