//! Help texts for unknown words.

use agentci_source::{did_you_mean, read};

/// Suggests the word that was probably meant, or else lists the known ones: `known types are ..`.
pub(crate) fn meant_or_known<T: AsRef<str>>(word: &str, known: &[T], what: &str) -> String {
    match did_you_mean(word, known.iter().map(AsRef::as_ref)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => all_known(known, what),
    }
}

/// Suggests the word that was probably meant, if any, and lists the known ones.
pub(crate) fn meant_and_known<T: AsRef<str>>(word: &str, known: &[T], what: &str) -> String {
    let all = all_known(known, what);
    match did_you_mean(word, known.iter().map(AsRef::as_ref)) {
        Some(meant) => format!("did you mean `{meant}`? {all}"),
        None => all,
    }
}

fn all_known<T: AsRef<str>>(known: &[T], what: &str) -> String {
    format!("{what} are {}", read::quoted_list(known))
}
