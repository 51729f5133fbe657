//! Reads all rows of some files once, to find where they are.

use std::path::Path;

use agentci_source::Files;

use crate::columns::Columns;
use crate::filter::RowFilter;
use crate::format::DataFormat;
use crate::id_template::IdTemplate;
use crate::index::RowIndex;
use crate::reader::DataReader;
use crate::row::{DataError, DataRow, RowSpot};

/// The maximum number of bad rows in all files: the data is something else then.
const MOST_BAD: usize = 1000;
/// The maximum number of doubts that are kept.
const MOST_DOUBTS: usize = 10;

/// What the scan of some files found.
#[derive(Debug, Default)]
pub struct Scan {
    /// The rows that the filter accepts, and all bad ones.
    pub index: RowIndex,
    /// The columns of all rows, also of those that the filter refuses.
    pub columns: Columns,
    /// The number of rows that could be read.
    pub rows: usize,
    /// The files that could not be read, by position.
    pub failed: Vec<(usize, DataError)>,
    /// The first rows that may be several, by the position of their file.
    pub doubts: Vec<(usize, DataError)>,
}

/// Scans files. Without a template, an id is the name of the file and the number of the row.
pub fn scan(files: &dyn Files, paths: &[(&Path, DataFormat)], filter: &RowFilter, id: Option<&IdTemplate>) -> Scan {
    let mut scan = Scan::default();
    for (position, (path, format)) in paths.iter().enumerate() {
        scan.index.begin_file();
        if let Err(error) = scan.file((files, path, *format), position, filter, id) {
            scan.failed.push((position, error));
        }
    }
    scan.index.shrink();
    scan
}

impl Scan {
    fn file(
        &mut self,
        (files, path, format): (&dyn Files, &Path, DataFormat),
        position: usize,
        filter: &RowFilter,
        template: Option<&IdTemplate>,
    ) -> Result<(), DataError> {
        let mut reader = DataReader::open(files, path, format)?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut number = 0_usize;
        while let Some((spot, row)) = reader.next_row() {
            number += 1;
            if let Some(doubt) = reader.doubt().filter(|_| row.is_ok() && self.doubts.len() < MOST_DOUBTS) {
                self.doubts.push((position, doubt));
            }
            let usual = || format!("{stem}-{number}");
            let added = match row {
                Err(error) => self.add_bad(spot, &usual(), error)?,
                Ok(row) => {
                    self.rows += 1;
                    self.columns.add(&row);
                    if !filter.accepts(&row) {
                        continue;
                    }
                    match template.map(|template| template.of(&row, &usual())) {
                        None => self.index.add(spot, &usual()),
                        Some(Ok(id)) => self.index.add(spot, &id),
                        Some(Err(message)) => self.add_bad(spot, &usual(), bad_id(&row, message))?,
                    }
                }
            };
            if !added {
                let message = format!("there are more than {} rows", RowIndex::MOST_ROWS);
                return Err(DataError::at(spot.line, 1, message).help("select rows with `where`, or split the suite"));
            }
        }
        Ok(())
    }

    fn add_bad(&mut self, spot: RowSpot, id: &str, error: DataError) -> Result<bool, DataError> {
        if self.index.problems().count() < MOST_BAD {
            return Ok(self.index.add_bad(spot, id, error));
        }
        let help = "check the format of the file";
        Err(DataError { message: format!("more than {MOST_BAD} rows are bad: {}", error.message), ..error }.help(help))
    }
}

fn bad_id(row: &DataRow, message: String) -> DataError {
    DataError::at(row.line, row.column, message).help("fill in the column, or make ids from other columns")
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;
    use crate::dataset::{Dataset, DatasetFile, RowCursor};

    fn scanned(files: &MemoryFiles, id: Option<&str>) -> Scan {
        let id = id.map(IdTemplate::parse);
        scan(files, &[(Path::new("a.csv"), DataFormat::Csv)], &RowFilter::default(), id.as_ref())
    }

    #[test]
    fn files_of_bad_rows_are_refused() {
        let rows = |count: usize| format!("a,b\n{}", "1\n".repeat(count));
        let files = MemoryFiles::default().with("a.csv", rows(MOST_BAD));
        assert_eq!(scanned(&files, None).failed, []);
        let failed = scanned(&files.with("a.csv", rows(MOST_BAD + 1)), None).failed;
        assert!(failed[0].1.message.starts_with("more than 1000 rows are bad"), "{failed:?}");
    }

    #[test]
    fn changed_files_are_noticed_when_a_row_is_read_again() {
        let before = MemoryFiles::default().with("a.csv", "id,t\n1,a\n2,b\n");
        let index = scanned(&before, Some("{id}")).index;
        let file = agentci_source::Sources::default().add(Path::new("a.csv"), "");
        let files = vec![DatasetFile { path: "a.csv".into(), format: DataFormat::Csv, file }];
        let dataset = Dataset { files, index, id: Some(IdTemplate::parse("{id}")) };
        let text =
            |files: &MemoryFiles, row| RowCursor::new(files).read(&dataset, row).map(|row| row.fields["t"].clone());
        assert_eq!((text(&before, 1), text(&before, 0)), (Ok("b".into()), Ok("a".into())));
        for after in ["id,t\n0,x\n1,a\n2,b\n", "id,t\n1,a\n", "id,t\n1,a\n3,b\n"] {
            let after = before.clone().with("a.csv", after);
            let error = text(&after, 1).unwrap_err();
            assert_eq!(error.message, "the file has changed since the run began");
        }
    }
}
