//! Rows of a YAML list of mappings. The file is kept in memory, since YAML cannot be read from the middle.

use std::path::Path;

use agentci_source::{FileId, Files, Node, Reading, Sources, yaml};

use crate::json_lines::object;
use crate::reader::{PlacedRow, RowSource};
use crate::row::{DataError, DataRow, RowSpot};

/// The maximum size of a YAML file in bytes: its rows take about twenty times as much memory.
const YAML_LIMIT: u64 = 10 << 20;

pub(crate) struct YamlList {
    rows: Vec<Result<DataRow, DataError>>,
    next: usize,
}

impl YamlList {
    pub(crate) fn open(files: &dyn Files, path: &Path) -> Result<Self, DataError> {
        let text = files.read_text(path, YAML_LIMIT).map_err(|error| {
            let help = "a YAML file is kept in memory as a whole; CSV and JSON lines are read row by row";
            DataError::from(error).help(help)
        })?;
        let file: FileId = Sources::default().add(path, "");
        let root = yaml::parse(&text, file).map_err(|problem| DataError {
            message: problem.message,
            help: problem.help,
            line: problem.span.line,
            column: problem.span.column,
        })?;
        let Some(items) = root.items() else {
            return Err(DataError::at(root.span.line, root.span.column, "the file must be a list of mappings")
                .help("begin each row with `- `"));
        };
        Ok(Self { rows: items.iter().map(row).collect(), next: 0 })
    }
}

fn row(node: &Node) -> Result<DataRow, DataError> {
    let value = node.value(Reading::Core).map_err(|span| {
        DataError::at(span.line, span.column, "the value has no form in JSON").help("put quotes around it")
    })?;
    object(value, node.span.line, node.span.column)
}

impl RowSource for YamlList {
    fn next(&mut self) -> Option<PlacedRow> {
        let row = self.rows.get(self.next)?.clone();
        let (line, column) = row.as_ref().map_or_else(|error| (error.line, error.column), |row| (row.line, row.column));
        let spot = RowSpot { offset: self.next as u64, line, column };
        self.next += 1;
        Some((spot, row))
    }

    fn seek(&mut self, spot: RowSpot) -> Result<(), DataError> {
        self.next = usize::try_from(spot.offset).unwrap_or(usize::MAX);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    #[test]
    fn refuses_oversized_file() {
        let files = MemoryFiles::default().with("a.yaml", vec![b' '; (10 << 20) + 1]);
        let error = YamlList::open(&files, Path::new("a.yaml")).err().unwrap();
        assert_eq!(error.message, "the file has 10485761 bytes, the limit is 10485760");
    }

    #[test]
    fn rows_have_the_place_of_their_mapping() {
        let files = MemoryFiles::default().with("a.yaml", "- a: 1\n- [x]\n-   a: 2\n");
        let mut list = YamlList::open(&files, Path::new("a.yaml")).unwrap();
        let places: Vec<_> =
            std::iter::from_fn(|| list.next()).map(|(spot, row)| (spot.line, spot.column, row.is_ok())).collect();
        assert_eq!(places, [(1, 3, true), (2, 3, false), (3, 5, true)]);
    }
}
