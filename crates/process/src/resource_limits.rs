//! What the system lets this process have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Bounds the memory that this process may still ask for, and has the system write no image of it when it breaks down for want of
/// more. What asks for more then aborts. Only Linux heeds the bound.
pub fn bound_memory(bytes: u64) {
    let bound = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    // Not the address space: that counts the program itself and what threads only reserve.
    let _ = setrlimit(Resource::Data, bound(bytes));
    let _ = setrlimit(Resource::Core, bound(0));
}

/// The limit of the system on open files and sockets; `None` where there is none.
pub fn open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
