//! Rows of data files, from which cases are made.
//!
//! A [`DataReader`] reads the rows of one file in order, or one row at a [`RowSpot`]; only YAML and Parquet files are
//! kept in memory, as a whole or a group of rows at a time. A [`RowIndex`] has the spots and the ids of all rows of a
//! [`Dataset`], some tens of bytes each, and a [`RowCursor`] reads a row again when its case runs.

mod bounded_lines;
mod columns;
mod csv_record;
mod csv_rows;
mod dataset;
mod filter;
mod format;
mod id_template;
mod index;
mod json_lines;
mod json_list;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod reader;
mod row;
mod scan;
mod yaml_list;

pub use columns::Columns;
pub use dataset::{Dataset, DatasetFile, RowCursor};
pub use filter::{Condition, RowFilter};
pub use format::DataFormat;
pub use id_template::IdTemplate;
pub use index::RowIndex;
pub use reader::DataReader;
pub use row::{DataError, DataRow, RowSpot, value_text};
pub use scan::{Scan, scan};
