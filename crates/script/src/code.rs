//! Wraps a file into a function that declares everything anew each time it is called.

use agentci_plan::ScriptFile;

use crate::source_map::CodePlaces;
use crate::typescript::{ExportedNames, Stripped, strip};
use crate::{ScriptError, engine};

/// The name of the file in the engine's own messages.
pub(crate) const NAME: &str = "script";

/// Code that the engine can run, made from a script file.
#[derive(Debug)]
pub(crate) struct ReadyCode {
    /// An expression: a function that returns an object of all functions of the file.
    pub(crate) text: String,
    /// The functions of the file.
    pub(crate) functions: Vec<String>,
    /// The functions, and every variable that may be a function.
    pub(crate) names: Vec<String>,
    /// Whether `exports` may add other functions.
    pub(crate) open: bool,
    places: CodePlaces,
    /// How many lines the file has.
    lines: u32,
}

impl ReadyCode {
    /// Prepares a file and compiles it once, to report syntax errors early.
    pub(crate) fn read(file: &ScriptFile) -> Result<Self, ScriptError> {
        let Stripped { code, places, names: ExportedNames { functions, names, object } } = strip(file)?;
        // CommonJS exports are found as well.
        let open = code.contains("exports");
        let parent = if open { "module.exports" } else { "null" };
        // The inner braces are a separate scope: a file may declare `module` and `exports` itself.
        let body = format!("{{{{\n{code}\n;return{{__proto__:{parent},{object}}}}}}}");
        let lines = u32::try_from(code.lines().count()).expect("a file has fewer characters");
        let mut ready = Self { text: wrap("", &body), functions, names, open, places, lines };
        if let Err(error) = engine::compile(&ready) {
            // A file with a top-level `await` needs an async function.
            ready.text = wrap("async", &body);
            engine::compile(&ready).map_err(|_| error)?;
        }
        Ok(ready)
    }

    /// Maps a line and column of the code to the file.
    pub(crate) fn original(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        // The first line and the lines after the file belong to the wrapper.
        let line = line.checked_sub(1).filter(|line| (1..=self.lines).contains(line))?;
        Some((line, self.places.original(line, column)))
    }
}

fn wrap(kind: &str, body: &str) -> String {
    format!("({kind} function(module,exports){body})")
}
