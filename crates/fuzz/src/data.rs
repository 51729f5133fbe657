//! Data files.

use std::path::Path;

use agentci_dataset::{DataFormat, DataReader};
use agentci_source::MemoryFiles;

/// The formats by the first byte.
const FORMATS: [DataFormat; 5] =
    [DataFormat::Csv, DataFormat::Tsv, DataFormat::JsonLines, DataFormat::Json, DataFormat::Yaml];

pub(crate) fn files(bytes: &[u8]) {
    let Some((first, content)) = bytes.split_first() else { return };
    let format = FORMATS[usize::from(*first) % FORMATS.len()];
    let files = MemoryFiles::default().with("data", content);
    let open = || DataReader::open(&files, Path::new("data"), format);
    let Ok(mut reader) = open() else { return };
    let mut rows = Vec::new();
    while let Some((spot, row)) = reader.next_row() {
        assert!(rows.len() <= content.len(), "more rows than bytes");
        rows.push((spot, row));
    }
    let mut again = open().unwrap();
    for (spot, row) in rows.iter().rev().take(50) {
        // Where the rows end with an error, nothing is left to be read.
        if let Ok(row) = row {
            assert_eq!(again.row_at(*spot).unwrap().as_ref(), Ok(row), "{spot:?}");
        }
    }
}
