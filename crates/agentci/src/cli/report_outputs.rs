//! Where reports are written: complete files, streamed files, and standard output.

use std::io::{self, Write as _};
use std::path::Path;

use agentci::ledger::write_pieces;
use agentci::report::{PieceSink, ReportKind};

/// The file of a report, written during the run if the report is streamed.
pub(crate) fn destination(kind: &ReportKind, path: &Path) -> PieceSink {
    if kind.streams { growing(path) } else { to_file(path) }
}

/// A file that is written piece by piece, each of which is flushed. An existing file is truncated.
fn growing(path: &Path) -> PieceSink {
    let path = path.to_path_buf();
    let mut open: Option<fs_err::File> = None;
    Box::new(move |write| {
        if open.is_none() {
            if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                fs_err::create_dir_all(parent)?;
            }
            open = Some(fs_err::File::create(&path)?);
        }
        let Some(file) = &mut open else { return Ok(()) };
        write(file)?;
        file.flush()
    })
}

/// A file that is written completely or not at all.
pub(super) fn to_file(path: &Path) -> PieceSink {
    let path = path.to_path_buf();
    // A closed pipe at this path is a report that got lost, unlike standard output that `head` closes.
    Box::new(move |write| write_pieces(&path, write).map_err(io::Error::other))
}

/// Standard output.
pub(super) fn to_stdout() -> PieceSink {
    Box::new(|write| {
        let mut stdout = io::stdout().lock();
        write(&mut stdout)?;
        stdout.flush()
    })
}
