//! Code that the engine can run: the file as a function that declares everything anew each time it is called.

use agentci_plan::ScriptFile;

use crate::source_map::CodePlaces;
use crate::typescript::{ExportedNames, Stripped, strip};
use crate::{ScriptError, engine};

/// The name of the file in the engine's own messages.
pub(crate) const NAME: &str = "script";

/// Code that the engine can run.
#[derive(Debug)]
pub(crate) struct ReadyCode {
    /// An expression: a function that returns an object of all functions of the file.
    pub(crate) text: String,
    /// The functions of the file.
    pub(crate) functions: Vec<String>,
    /// These and every variable that may be one.
    pub(crate) names: Vec<String>,
    /// Whether it may hand out others.
    pub(crate) open: bool,
    places: CodePlaces,
    /// How many lines the file has.
    lines: u32,
}

impl ReadyCode {
    /// Makes a file ready and has the engine compile it once, to know that it can be.
    pub(crate) fn read(file: &ScriptFile) -> Result<Self, ScriptError> {
        let Stripped { code, places, names: ExportedNames { functions, names, object } } = strip(file)?;
        // What a file hands out in the older way is found as well.
        let open = code.contains("exports");
        let parent = if open { "module.exports" } else { "null" };
        // The braces within are a scope of their own: a file may declare what it is handed.
        let body = format!("{{{{\n{code}\n;return{{__proto__:{parent},{object}}}}}}}");
        let lines = u32::try_from(code.lines().count()).expect("a file has fewer characters");
        let mut ready = Self { text: wrap("", &body), functions, names, open, places, lines };
        if let Err(error) = engine::compile(&ready) {
            // With `await` outside of all functions the whole file is a function that is waited for.
            ready.text = wrap("async", &body);
            engine::compile(&ready).map_err(|_| error)?;
        }
        Ok(ready)
    }

    /// Line and column in the file of a place in the code.
    pub(crate) fn original(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        // The first line is ours, and so are those behind the file.
        let line = line.checked_sub(1).filter(|line| (1..=self.lines).contains(line))?;
        Some((line, self.places.original(line, column)))
    }
}

fn wrap(kind: &str, body: &str) -> String {
    format!("({kind} function(module,exports){body})")
}
