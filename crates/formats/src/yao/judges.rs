//! Assistants that are no target of a test but are asked about it: judges, and whoever writes the report.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentci_plan::Target;
use agentci_source::Spanned;

use super::app::App;
use super::{assistant, folders};
use crate::document::Loading;

/// The assistants that are asked, each read once.
#[derive(Default)]
pub(super) struct Judges {
    /// By the name under which the suite knows them; nothing where one can not be used.
    found: BTreeMap<String, Option<Arc<Target>>>,
}

impl Judges {
    /// The name of an assistant in the suite, with another connector where one is chosen; `None` where there is none.
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

    /// All that can be asked.
    pub(super) fn finish(self) -> Vec<(String, Arc<Target>)> {
        self.found.into_iter().filter_map(|(name, target)| Some((name, target?))).collect()
    }
}
