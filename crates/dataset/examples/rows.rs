//! Prints the rows of a data file as JSON lines; the tests compare them with those of other readers.

#![expect(clippy::disallowed_methods, reason = "an example reads the disk itself")]

use std::path::Path;

use agentci_dataset::{DataFormat, DataReader};
use agentci_source::{DataInput, FileError, FileKind, Files, FolderEntry};

struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, _limit: u64) -> Result<Vec<u8>, FileError> {
        std::fs::read(path).map_err(|error| FileError::Other(error.to_string()))
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DataInput>, FileError> {
        let file = std::fs::File::open(path).map_err(|error| FileError::Other(error.to_string()))?;
        Ok(Box::new(file))
    }

    fn list(&self, _folder: &Path) -> Result<Vec<FolderEntry>, FileError> {
        Err(FileError::Missing)
    }

    fn kind(&self, _path: &Path) -> Option<FileKind> {
        Some(FileKind::File)
    }
}

#[expect(clippy::print_stdout, reason = "its output")]
fn main() {
    let path = std::env::args().nth(1).expect("the path of a data file");
    let path = Path::new(&path);
    let format = DataFormat::of(path).expect("a known extension");
    let mut reader = DataReader::open(&Disk, path, format).unwrap_or_else(|error| panic!("{}", error.message));
    let mut spots = Vec::new();
    while let Some((spot, row)) = reader.next_row() {
        spots.push(spot);
        match row {
            Ok(row) => println!("{}", serde_json::Value::Object(row.fields)),
            Err(error) => println!("{}:{}: {}", error.line, error.column, error.message),
        }
    }
    // The last rows can be read again, backwards.
    for spot in spots.into_iter().rev().take(10) {
        assert!(reader.row_at(spot).is_some(), "no row at {spot:?}");
    }
}
