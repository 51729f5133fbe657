//! An annotation: a log line that GitHub shows next to a line of a file.
//!
//! ```text
//! ::error file=evals/demo/cases/t2.yaml,line=9,col=13,title=agentci%3A demo/t2::`must_call` failed: `create_issue` was never called
//! ```

use std::path::{Path, PathBuf};

use agentci_source::{Place, join};
use agentci_verdict::NotLoaded;

use crate::{cut, printable};

/// The maximum length of a message.
const MESSAGE_LIMIT: usize = 4 * 1024;

/// The location of the checkout. GitHub identifies files by their path below its top.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// The top folder of the checkout.
    pub top: PathBuf,
    /// The folder that paths are relative to.
    pub here: PathBuf,
}

impl Checkout {
    /// A path as GitHub expects it; paths outside the checkout stay as they are.
    fn path(&self, shown: &str) -> String {
        let whole = join(&self.here, shown);
        whole.strip_prefix(&self.top).ok().and_then(Path::to_str).unwrap_or(shown).to_owned()
    }
}

/// A path, line and column; the line is 0 for a file as a whole.
pub(crate) type Spot<'s> = (&'s str, u32, u32);

pub(crate) fn spot(place: &Place) -> Spot<'_> {
    (&place.path, place.line, place.column)
}

/// `::error file=..,line=9,col=13,title=..::message`
pub(crate) fn annotation(
    checkout: Option<&Checkout>,
    level: &str,
    place: Option<Spot<'_>>,
    title: &str,
    message: &str,
) -> String {
    let mut properties = Vec::new();
    if let Some((path, line, column)) = place {
        let path = checkout.map_or_else(|| path.to_owned(), |checkout| checkout.path(path));
        properties.push(format!("file={}", property(&path)));
        if line > 0 {
            properties.push(format!("line={line},col={column}"));
        }
    }
    properties.push(format!("title={}", property(&format!("agentci: {title}"))));
    format!("::{level} {}::{}\n", properties.join(","), data(cut::head(message, MESSAGE_LIMIT).0))
}

/// The annotations of suites and cases that could not be loaded, each with its reason in one line and how to fix it.
pub fn not_loaded_annotations(problems: &[NotLoaded], checkout: Option<&Checkout>) -> String {
    let of = |problem: &NotLoaded| {
        let reason = problem.message.lines().next().unwrap_or_default();
        let help = problem.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        annotation(checkout, "error", Some(spot(&problem.place)), "not loaded", &format!("{reason}{help}"))
    };
    problems.iter().map(of).collect()
}

/// Escapes text after the last `::`.
fn data(text: &str) -> String {
    printable(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")).into_owned()
}

/// Escapes text before the last `::`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_paths_are_relative_to_the_checkout() {
        let checkout = Checkout { top: "/w/repo".into(), here: "/w/repo/bots/a".into() };
        assert_eq!(checkout.path("evals/x.yaml"), "bots/a/evals/x.yaml");
        assert_eq!(checkout.path("./../b/x.yaml"), "bots/b/x.yaml");
        assert_eq!(checkout.path("/w/repo/x.yaml"), "x.yaml");
        assert_eq!(checkout.path("/elsewhere/x.yaml"), "/elsewhere/x.yaml");
    }

    #[test]
    fn escapes_properties_and_data() {
        assert_eq!(property("a:b,c%\n::x"), "a%3Ab%2Cc%25%0A%3A%3Ax");
        assert_eq!(data("50%\r\n::stop"), "50%25%0D%0A::stop");
    }
}
