//! Secrets that are fetched during a run, such as access tokens.

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::lock;

/// A list of fetched secrets, shared between the code that fetches them and the code that redacts them. A secret is
/// added before its first use, so that it is known before anything can repeat it.
#[derive(Clone, Default)]
pub struct FetchedSecrets(Arc<Mutex<Vec<String>>>);

impl FetchedSecrets {
    pub fn add(&self, secret: &str) {
        let mut known = lock(&self.0);
        if !known.iter().any(|known| known == secret) {
            known.push(secret.to_owned());
        }
    }

    /// Calls a function with each secret so far.
    pub fn each(&self, show: impl FnMut(&str)) {
        lock(&self.0).iter().map(String::as_str).for_each(show);
    }
}

impl fmt::Debug for FetchedSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchedSecrets").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_shared_once_and_never_printed() {
        let fetched = FetchedSecrets::default();
        let other = fetched.clone();
        other.add("token-1");
        other.add("token-1");
        let mut seen = Vec::new();
        fetched.each(|secret| seen.push(secret.to_owned()));
        assert_eq!(seen, ["token-1"]);
        assert!(!format!("{fetched:?}").contains("token-1"));
    }
}
