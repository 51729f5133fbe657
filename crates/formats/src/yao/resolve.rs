//! Finds the assistant under test: the one that was named, else the one whose folder contains the tests.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::Target;
use agentci_source::{FileKind, Sources, Span, Spanned, join};

use super::app::App;
use super::assistant::{self, AssistantPackage};
use super::folders::{self, PACKAGE};
use crate::document::{Loading, upward};
use crate::suggestion::meant_or_known;
use crate::{LoadOptions, native};

/// The assistant or target under test.
pub(super) enum TestedAssistant {
    /// An assistant of the application.
    Assistant(Box<AssistantPackage>),
    /// A target of a native file, with its name.
    Target(String, Arc<Target>),
}

impl TestedAssistant {
    pub(super) fn id(&self) -> &str {
        match self {
            TestedAssistant::Assistant(assistant) => &assistant.id,
            TestedAssistant::Target(name, _) => name,
        }
    }
}

/// A value from the command line, with its flag as the place for diagnostics.
pub(super) fn chosen(flag: &str, value: &str, sources: &mut Sources) -> Spanned<String> {
    Spanned::new(value.to_owned(), Span::whole(sources.add(Path::new(flag), "")))
}

/// Finds the agent for tests in a folder, and opens its application.
pub(super) fn resolve<'a>(
    options: &'a LoadOptions,
    folder: &Path,
    loading: &mut Loading<'a>,
) -> Option<(App<'a>, TestedAssistant)> {
    let yao = &options.yao;
    let connector = yao.connector.as_ref().map(|id| chosen("-c", id, loading.sources));
    let open = |app: &App<'a>, folder: &Path, loading: &mut Loading<'a>| {
        let assistant = assistant::open(app, folder, connector.as_ref(), loading)?;
        Some(TestedAssistant::Assistant(Box::new(assistant)))
    };
    if let Some(id) = &options.agent {
        let root =
            yao.app.clone().or_else(|| folders::app_of(loading.files, folder)).unwrap_or_else(|| join(folder, ""));
        let app = App::open(yao, root, loading);
        let named = folders::folder_of(&app.root, id).filter(|folder| folders::is_assistant(loading.files, folder));
        let agent = match named {
            Some(folder) => open(&app, &folder, loading)?,
            None => native_target(folder, id, loading).or_else(|| unknown(&app, id, loading))?,
        };
        if let (TestedAssistant::Target(name, _), Some(connector)) = (&agent, &connector) {
            let message = format!("`{name}` is a target of a native suite; its connector cannot be changed");
            loading.problems.error(connector.span, message, "").help("remove `-c`");
        }
        return Some((app, agent));
    }
    let Some(own) = folders::assistant_of(loading.files, folder) else {
        let span = Span::whole(loading.sources.add(folder, ""));
        let message = format!("no `{PACKAGE}` found in `{}` or its parent folders", folder.display());
        let help = "name the assistant with `-n ID`, or run agentci in its folder";
        loading.problems.error(span, message, "").help(help);
        return None;
    };
    let root = yao.app.clone().or_else(|| folders::app_of(loading.files, &own)).unwrap_or_else(|| own.clone());
    let app = App::open(yao, root, loading);
    let agent = open(&app, &own, loading)?;
    Some((app, agent))
}

/// A target of this name in the nearest native file that has one.
fn native_target(folder: &Path, name: &str, loading: &mut Loading<'_>) -> Option<TestedAssistant> {
    for folder in upward(loading.files, folder, folders::UP_LIMIT) {
        for file in native::NAMES {
            let path = join(&folder, file);
            if loading.files.kind(&path) == Some(FileKind::File)
                && let Some(target) = native::named_target(&path, name, loading)
            {
                return Some(TestedAssistant::Target(name.to_owned(), target));
            }
        }
    }
    None
}

fn unknown(app: &App<'_>, id: &str, loading: &mut Loading<'_>) -> Option<TestedAssistant> {
    let known = folders::known_ids(app.files, &app.root);
    let help = if known.is_empty() {
        let folder = join(&app.root, "assistants");
        format!("assistants are read from `{}`; choose another application with `-a`", folder.display())
    } else {
        meant_or_known(id, &known, "known assistants")
    };
    let named = chosen("-n", id, loading.sources);
    loading.problems.error(named.span, format!("unknown assistant `{}`", id.escape_debug()), "").help(help);
    None
}
