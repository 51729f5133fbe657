//! Assistants that are not under test: the judges of answers, and the writer of the report.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_plan::Target;
use agentci_source::Spanned;

use super::app::App;
use super::{assistant, folders};
use crate::document::Loading;

/// Opened assistants, each read once.
#[derive(Default)]
pub(super) struct Judges {
    /// By their name in the suite; `None` for one that cannot be used.
    found: BTreeMap<String, Option<Arc<Target>>>,
}

impl Judges {
    /// Opens an assistant, optionally with another connector, and returns its name in the suite. `None` if it does not
    /// exist or cannot be used.
    pub(super) fn open(
        &mut self,
        app: &App<'_>,
        id: &Spanned<String>,
        connector: Option<&Spanned<String>>,
        loading: &mut Loading<'_>,
    ) -> Option<String> {
        let folder = folders::folder_of(&app.root, &id.value)?;
        if !folders::is_assistant(app.files, &folder) {
            return None;
        }
        let name = match connector {
            Some(connector) => format!("{} ({})", id.value, connector.value),
            None => id.value.clone(),
        };
        let known = self.found.entry(name.clone()).or_insert_with(|| {
            let found = assistant::open(app, &folder, connector, loading)?;
            Some(Arc::new(Target::Chat(Box::new(found.target))))
        });
        known.as_ref().map(|_| name)
    }

    /// All assistants that can be used.
    pub(super) fn finish(self) -> Vec<(String, Arc<Target>)> {
        self.found.into_iter().filter_map(|(name, target)| Some((name, target?))).collect()
    }
}
