//! Resource limits of this process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Limits the memory of this process and disables core dumps. Allocations beyond the limit abort. Only Linux enforces
/// the limit.
pub fn bound_memory(bytes: u64) {
    let bound = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    // Not the address space: that includes the program itself and memory that threads only reserve.
    let _ = setrlimit(Resource::Data, bound(bytes));
    let _ = setrlimit(Resource::Core, bound(0));
}

/// The limit on open files and sockets; `None` if there is none.
pub fn open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
