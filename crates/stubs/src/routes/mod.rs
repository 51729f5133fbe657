//! Tools over HTTP, played by a server of ours: each tool is a path, and each request finds its answer among the fixtures.
//!
//! ```text
//! request ─▶ board: which case ─▶ asked: body or query ─▶ shelf: which fixture ─▶ exchange: the answer, late or spoilt if it is to be
//!                                                     └─▶ forward: the live tool ─▶ recorded ─▶ fixtures in the suite, as its format writes them
//! ```
//!
//! One server serves all cases of a suite: the one that is running at the root, or several at once, each below a path of its
//! own. A request that no fixture is for is answered with the closest one and the first difference, and remembered.
//! `GET /__agentci/misses` tells them all, `POST /__agentci/reset` begins anew. The server stops when it is dropped.

mod content;
mod control;
mod error;
mod exchange;
mod fixtures;
mod forward;
mod late_calls;
mod miss;
mod path;
mod recorded;
mod request;
mod server;
mod session;
mod session_state;
mod sessions;

pub use error::RouteError;
pub use late_calls::LateCalls;
pub use miss::RouteMiss;
pub use server::{RouteServer, RouteServerOptions};
pub use session::{RouteOptions, RouteRecording, RouteSession};
