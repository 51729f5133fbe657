//! A dataset of a suite, and a cursor that reads its rows while cases run.

use std::path::PathBuf;

use agentci_source::{FileId, Files, Span};

use crate::format::DataFormat;
use crate::id_template::IdTemplate;
use crate::index::RowIndex;
use crate::reader::DataReader;
use crate::row::{DataError, DataRow};

/// The rows of data files that make cases.
#[derive(Debug, Clone)]
pub struct Dataset {
    pub files: Vec<DatasetFile>,
    /// Where the rows are, and their ids.
    pub index: RowIndex,
    /// How ids are made; `None` for the number of the row.
    pub id: Option<IdTemplate>,
}

/// A data file.
#[derive(Debug, Clone)]
pub struct DatasetFile {
    pub path: PathBuf,
    pub format: DataFormat,
    /// Its id in places; its text is not kept.
    pub file: FileId,
}

impl Dataset {
    /// The place of a row.
    pub fn span(&self, row: usize) -> Option<Span> {
        let (file, spot) = self.index.spot(row)?;
        Some(Span { file: self.files[file].file, line: spot.line, column: spot.column, width: 1 })
    }

    /// The place of a problem with a row.
    pub fn span_of(&self, row: usize, error: &DataError) -> Option<Span> {
        let span = self.span(row)?;
        if error.line == 0 {
            return Some(span);
        }
        Some(Span { line: error.line, column: error.column, ..span })
    }
}

/// Reads the rows of datasets again, one at a time. The file of the last row stays open.
pub struct RowCursor<'f> {
    files: &'f dyn Files,
    open: Option<(PathBuf, DataReader)>,
}

impl<'f> RowCursor<'f> {
    /// A cursor without an open file.
    pub fn new(files: &'f dyn Files) -> Self {
        Self { files, open: None }
    }

    /// A row of a dataset. It is an error if the file has changed since it was scanned.
    pub fn read(&mut self, dataset: &Dataset, row: usize) -> Result<DataRow, DataError> {
        if let Some(problem) = dataset.index.problem(row) {
            return Err(problem.clone());
        }
        let missing = || DataError::of_file("there is no such row");
        let (position, spot) = dataset.index.spot(row).ok_or_else(missing)?;
        let DatasetFile { path, format, .. } = &dataset.files[position];
        if self.open.as_ref().is_none_or(|(known, _)| known != path) {
            self.open = Some((path.clone(), DataReader::open(self.files, path, *format)?));
        }
        let (_, reader) = self.open.as_mut().expect("it was just opened");
        let changed =
            || DataError::at(spot.line, spot.column, "the file has changed since the run began").help("run it again");
        let found = reader.row_at(spot).ok_or_else(changed)?.map_err(|_| changed())?;
        match &dataset.id {
            Some(template) if template.is_numbered() => Ok(found),
            Some(template) if template.of(&found, "").ok().as_deref() != Some(dataset.index.id(row)) => Err(changed()),
            _ => Ok(found),
        }
    }
}
