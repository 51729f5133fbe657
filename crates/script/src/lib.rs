//! Runs JavaScript and TypeScript functions in a sandbox. A file is prepared once; its functions are called with JSON
//! and return JSON. Each call has a time and a memory limit, and no access to files, the network, processes or the
//! state of other calls.

mod code;
mod engine;
mod error;
mod exception;
mod limits;
mod program;
mod source_map;
mod surrogates;
mod typescript;
mod workers;

pub use error::ScriptError;
pub use limits::CallLimits;
pub use program::ScriptProgram;
