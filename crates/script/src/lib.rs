//! JavaScript and TypeScript in a box: a file is made ready once, its functions are called with JSON and return JSON. A function
//! has a limit on time and on memory, and reaches neither files nor network nor processes nor what another call left behind.

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
