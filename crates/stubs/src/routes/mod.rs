//! The stub tool server: each tool is a path, and each request is answered by a matching fixture.
//!
//! ```text
//! request ─▶ sessions: which case ─▶ request: body or query ─▶ fixtures: which one ─▶ exchange: the answer
//!                                                          └─▶ forward: the live tool ─▶ recorded: new fixtures
//! ```
//!
//! One server serves all cases of a suite: the running case at the root, or several concurrent cases, each below its
//! own path. A request that no fixture matches is a miss: the answer names the closest fixture and the first
//! difference. `GET /__agentci/misses` lists all misses, `POST /__agentci/reset` resets the state. The server stops
//! when it is dropped.

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
