//! The text layer: parses files and keeps the position of every part.
//!
//! A suite file becomes [`Node`]s ([`yaml`]) with their file, line and column. [`read`] and [`shape`] turn them into
//! values, and every problem is a [`Diagnostic`] that points at its place. Nothing here touches the clock, the network,
//! the environment or the disk: files are read through the [`Files`] trait.

mod diagnostic;
mod files;
mod name;
mod node;
pub mod read;
mod scalar;
pub mod schema;
pub mod shape;
mod source;
mod units;
pub mod yaml;

pub use diagnostic::{AddedProblem, Diagnostic, Diagnostics, Severity, did_you_mean};
pub use files::{DataInput, FileError, FileKind, Files, FolderEntry, MemoryFiles, UnusableEntry, join, relative};
pub use name::Name;
pub use node::{Content, Key, Node, Pair};
pub use read::Reader;
pub use scalar::{Reading, Scalar};
pub use source::{FileId, Place, Sources, Span, Spanned};
pub use units::{parse_duration, print_duration};
