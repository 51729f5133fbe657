//! Rows of Parquet files. Pages are decoded one after another, so that a large group of rows is never in memory as a
//! whole; reading a row before the last one begins again at the start of the file.

use std::io::{self, Read, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use agentci_source::{DataInput, Files};
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader as _, Length};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::reader::RowIter;

use crate::json_lines::object;
use crate::reader::{PlacedRow, RowSource};
use crate::row::{DataError, RowSpot};

/// The maximum size of a chunk that is read at once: the page of a column, or the description of the file.
const CHUNK_LIMIT: usize = 256 << 20;

pub(crate) struct ParquetRows {
    file: SharedFile,
    rows: RowIter<'static>,
    /// The number of the next row, from 0.
    next: u64,
}

impl ParquetRows {
    pub(crate) fn open(files: &dyn Files, path: &Path) -> Result<Self, DataError> {
        let mut input = files.open(path)?;
        let size = input.seek(SeekFrom::End(0))?;
        let file = SharedFile { input: Arc::new(Mutex::new(input)), size };
        let rows = file.rows()?;
        Ok(Self { file, rows, next: 0 })
    }
}

impl RowSource for ParquetRows {
    fn next(&mut self) -> Option<PlacedRow> {
        let row = self.rows.next()?;
        let line = u32::try_from(self.next + 1).unwrap_or(u32::MAX);
        let spot = RowSpot { offset: self.next, line, column: 1 };
        self.next += 1;
        let read = row.map_err(|error| DataError::at(line, 1, format!("the row cannot be decoded: {error}")));
        Some((spot, read.and_then(|row| object(row.to_json_value(), line, 1))))
    }

    fn seek(&mut self, spot: RowSpot) -> Result<(), DataError> {
        if spot.offset < self.next {
            self.rows = self.file.rows()?;
            self.next = 0;
        }
        while self.next < spot.offset && self.rows.next().is_some() {
            self.next += 1;
        }
        Ok(())
    }
}

/// A file that several readers of columns share.
#[derive(Clone)]
struct SharedFile {
    input: Arc<Mutex<Box<dyn DataInput>>>,
    size: u64,
}

impl SharedFile {
    fn rows(&self) -> Result<RowIter<'static>, DataError> {
        let wrong = |error: ParquetError| DataError::of_file(format!("it is not a Parquet file: {error}"));
        let reader = SerializedFileReader::new(self.clone()).map_err(wrong)?;
        let count = reader.metadata().file_metadata().num_rows();
        if u32::try_from(count).is_err() {
            return Err(DataError::of_file(format!("the file has {count} rows")));
        }
        Ok(RowIter::from_file_into(Box::new(reader)))
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        input.seek(SeekFrom::Start(position))?;
        input.read(buffer)
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for SharedFile {
    type T = FilePart;

    fn get_read(&self, start: u64) -> Result<FilePart, ParquetError> {
        Ok(FilePart { file: self.clone(), position: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        if length > CHUNK_LIMIT || start.saturating_add(length as u64) > self.size {
            return Err(ParquetError::General(format!("a part of {length} bytes at {start} is outside of the file")));
        }
        let mut bytes = vec![0; length];
        self.get_read(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// A reader with a position of its own.
struct FilePart {
    file: SharedFile,
    position: u64,
}

impl Read for FilePart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(self.position, buffer)?;
        self.position += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn parts_outside_of_the_file_are_refused() {
        let input: Box<dyn DataInput> = Box::new(Cursor::new(vec![0; 8]));
        let file = SharedFile { input: Arc::new(Mutex::new(input)), size: 8 };
        assert!(file.get_bytes(4, 4).is_ok());
        assert!(file.get_bytes(4, 5).is_err() && file.get_bytes(u64::MAX, 1).is_err());
        assert!(file.get_bytes(0, CHUNK_LIMIT + 1).is_err());
        assert!(file.rows().is_err());
    }
}
