//! Runs Python code of a suite in a child process: functions of check scripts, and tools of a module.
//!
//! The child runs `host.py`, which answers one JSON line for each JSON line that it is sent. Functions that print,
//! crash, loop or fork affect only their own call: output is kept apart from the answers, and a child that is late or
//! has exited is replaced.

mod functions;
mod host;
mod interpreter;
mod outline;
mod printed;

pub use functions::{PythonAnswer, PythonError, PythonException, PythonFunctions, PythonLimits};
pub use host::{HostError, HostExchange, PythonHost, StackFrame};
pub use interpreter::{NO_PYTHON, find_python};
pub use outline::{Outline, OutlineSyntaxError, outlines};

use std::path::Path;

/// Whether a file of functions is Python, by its extension.
pub fn is_python(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "py")
}
