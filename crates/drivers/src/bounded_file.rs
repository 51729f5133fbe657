//! Reads a suite's files within a size limit.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Reads a regular file of at most `limit` bytes; `too_large` is the error message for a larger one.
pub(crate) fn read_bounded(path: &Path, limit: u64, too_large: &str) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(io::Error::other(too_large)) } else { Ok(bytes) }
}
