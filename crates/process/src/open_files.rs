//! How many files and sockets this process may have open.

use rustix::process::{Resource, getrlimit};

/// The limit of the system on open files and sockets; `None` where there is none.
pub fn open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
