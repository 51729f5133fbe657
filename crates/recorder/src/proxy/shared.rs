//! What all connections of a session share.

use std::net::SocketAddr;
use std::sync::Arc;

use super::{Ledger, Reach, Replay, Upstream};
use crate::authority::Authority;
use crate::leaks::Programs;

/// What all connections of a session share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The address of the proxy.
    pub(crate) address: SocketAddr,
    pub(crate) authority: Authority,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) reach: Reach,
    pub(crate) upstream: Upstream,
    /// The recording that answers; absent while recording.
    pub(crate) replay: Option<Replay>,
    /// Who is at the other end.
    pub(crate) programs: Programs,
}
