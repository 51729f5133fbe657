//! Reads the rows of one file.

use std::path::Path;

use agentci_source::Files;

use crate::csv_rows::CsvRows;
use crate::format::DataFormat;
use crate::json_lines::JsonLines;
use crate::json_list::JsonList;
use crate::row::{DataError, DataRow, RowSpot};
use crate::yaml_list::YamlList;

/// A row, or what is wrong with it, and where it begins.
pub(crate) type PlacedRow = (RowSpot, Result<DataRow, DataError>);

/// The rows of a file in one format.
pub(crate) trait RowSource {
    /// The next row; a bad one does not end the rows.
    fn next(&mut self) -> Option<PlacedRow>;
    /// A reason to doubt that the last row is one row.
    fn doubt(&mut self) -> Option<DataError> {
        None
    }
    /// Continues at a row that was read before.
    fn seek(&mut self, spot: RowSpot) -> Result<(), DataError>;
}

/// Reads the rows of a file in order, or again from any of them.
pub struct DataReader(Box<dyn RowSource>);

impl DataReader {
    /// Opens a file. The error is about the file as a whole.
    pub fn open(files: &dyn Files, path: &Path, format: DataFormat) -> Result<Self, DataError> {
        let source: Box<dyn RowSource> = match format {
            DataFormat::Csv => Box::new(CsvRows::open(files.open(path)?, None)?),
            DataFormat::Tsv => Box::new(CsvRows::open(files.open(path)?, Some(b'\t'))?),
            DataFormat::JsonLines => Box::new(JsonLines::open(files.open(path)?)?),
            DataFormat::Json => Box::new(JsonList::open(files.open(path)?)?),
            DataFormat::Yaml => Box::new(YamlList::open(files, path)?),
            DataFormat::Parquet => parquet(files, path)?,
        };
        Ok(Self(source))
    }

    /// The next row and where it begins; a bad row does not end the rows.
    pub fn next_row(&mut self) -> Option<(RowSpot, Result<DataRow, DataError>)> {
        self.0.next()
    }

    /// A reason to doubt that the last row is one row.
    pub(crate) fn doubt(&mut self) -> Option<DataError> {
        self.0.doubt()
    }

    /// The row at a spot; `None` if nothing is there. Reading rows in order is as fast as [`DataReader::next_row`].
    pub fn row_at(&mut self, spot: RowSpot) -> Option<Result<DataRow, DataError>> {
        match self.0.seek(spot) {
            Ok(()) => Some(self.0.next()?.1),
            Err(error) => Some(Err(error)),
        }
    }
}

#[cfg(feature = "parquet")]
fn parquet(files: &dyn Files, path: &Path) -> Result<Box<dyn RowSource>, DataError> {
    Ok(Box::new(crate::parquet_rows::ParquetRows::open(files, path)?))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_files: &dyn Files, _path: &Path) -> Result<Box<dyn RowSource>, DataError> {
    Err(DataError::of_file("this build of agentci does not read Parquet")
        .help("use a released package, build with `--features parquet`, or convert the file to CSV or JSON lines"))
}
