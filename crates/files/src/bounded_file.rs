//! Reads files within a size limit.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Why a file was not read. The messages do not name the path.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is a folder, a pipe or a device: these could block forever, or never end.
    #[error("it is not a regular file")]
    NotRegular,
    /// It is larger than the limit.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// Its size in bytes, as far as it was read.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system reports an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads a regular file of at most `limit` bytes.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(ReadError::NotRegular);
    }
    let mut bytes = Vec::new();
    let mut size = metadata.len();
    if size <= limit {
        bytes.reserve_exact(usize::try_from(size).unwrap_or_default());
        // The file may grow while it is read.
        File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
        size = bytes.len() as u64;
    }
    if size > limit { Err(ReadError::TooLarge { size, limit }) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_regular_files_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert!(matches!(read_bounded(&path, 3), Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound));
        assert!(matches!(read_bounded(folder.path(), 3), Err(ReadError::NotRegular)));
        fs::write(&path, "abc").unwrap();
        assert_eq!(read_bounded(&path, 3).unwrap(), b"abc");
        assert!(matches!(read_bounded(&path, 2), Err(ReadError::TooLarge { size: 3, limit: 2 })));
    }
}
