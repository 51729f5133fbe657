//! Files on disk: written whole or not at all, and read within a size limit.
//!
//! Run folders, recordings and snapshots are read while other processes write them, and a run may be killed at any
//! time. What is read was written by others, and may be larger than memory, a pipe or a device.

mod atomic_file;
mod bounded_file;

pub use atomic_file::{is_temporary, write_pieces, write_whole};
pub use bounded_file::{ReadError, read_bounded};
