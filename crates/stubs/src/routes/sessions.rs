//! Finds the case that a path belongs to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use agentci_text::percent_decoded;
use agentci_wire::lock;

use super::{error::RouteError, session_state::SessionState};

/// The cases whose routes are served: one at the root, and any number below a scope.
#[derive(Debug, Default)]
pub(super) struct RouteSessions(Mutex<RouteCases>);

#[derive(Debug, Default)]
struct RouteCases {
    served: BTreeMap<Option<String>, Arc<SessionState>>,
    /// The last case that was served at the root and has ended; its agent may still make calls.
    former: Option<Arc<SessionState>>,
}

impl RouteSessions {
    /// Starts to serve a case.
    pub(super) fn add(&self, active: Arc<SessionState>) -> Result<(), RouteError> {
        let mut open = lock(&self.0);
        if open.served.contains_key(&active.scope) {
            let below = active.scope.as_deref().unwrap_or_default();
            return Err(RouteError::Taken(format!("/{below}")));
        }
        open.served.insert(active.scope.clone(), active);
        Ok(())
    }

    /// Stops serving a case.
    pub(super) fn remove(&self, active: &Arc<SessionState>) {
        let mut open = lock(&self.0);
        open.served.remove(&active.scope);
        if active.scope.is_none() {
            open.former = Some(Arc::clone(active));
        }
    }

    /// The previous case that was served at the root.
    pub(super) fn former(&self) -> Option<Arc<SessionState>> {
        lock(&self.0).former.clone()
    }

    /// The case that a path belongs to, and the rest of the path without a leading slash.
    pub(super) fn find<'p>(&self, path: &'p str) -> Option<(Arc<SessionState>, &'p str)> {
        let open = lock(&self.0);
        let path = path.strip_prefix('/').unwrap_or(path);
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        if let Some(active) = open.served.get(&Some(percent_decoded(first))) {
            return Some((Arc::clone(active), rest));
        }
        let root = open.served.get(&None).or_else(|| {
            let mut alone = open.served.values().filter(|active| active.alone && open.former.is_none());
            alone.next()
        });
        root.map(|active| (Arc::clone(active), path))
    }

    /// All cases, ordered by scope.
    pub(super) fn all(&self) -> Vec<Arc<SessionState>> {
        lock(&self.0).served.values().cloned().collect()
    }
}
