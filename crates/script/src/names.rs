//! What a file declares at its top level.

/// What a file declares at its top level.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Every name that may be a function: what it is called from outside, and what it is called in the file.
    reachable: Vec<(String, String)>,
    /// Those that are written as functions.
    functions: Vec<String>,
    aliases: Vec<(String, String)>,
}

/// What can be called from outside.
pub(crate) struct Known {
    /// The functions.
    pub(crate) functions: Vec<String>,
    /// These and every variable that may be one.
    pub(crate) names: Vec<String>,
    /// The code that maps each name to what it stands for: `"Check":Check`.
    pub(crate) object: String,
}

impl Names {
    /// A function or a variable.
    pub(crate) fn declare(&mut self, name: &str, function: bool) {
        self.reachable.push((name.into(), name.into()));
        if function {
            self.functions.push(name.into());
        }
    }

    /// Another name to the outside.
    pub(crate) fn alias(&mut self, local: &str, exported: &str) {
        if local != exported {
            self.aliases.push((local.into(), exported.into()));
        }
    }

    /// All of them, now that no more come.
    pub(crate) fn finish(mut self) -> Known {
        for (local, exported) in self.aliases {
            // What a file declares itself is nearer than what it exports under that name.
            if self.reachable.iter().any(|(name, _)| *name == exported) {
                continue;
            }
            if self.functions.contains(&local) {
                self.functions.push(exported.clone());
            }
            self.reachable.push((exported, local));
        }
        let code: Vec<String> = self.reachable.iter().map(|(name, local)| format!("{name:?}:{local}")).collect();
        let names = self.reachable.into_iter().map(|(name, _)| name).collect();
        Known { functions: self.functions, names, object: code.join(",") }
    }
}
