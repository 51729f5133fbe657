//! Tools over HTTP, played by a server of ours: each tool is a path, and each request finds its answer among the fixtures.

mod error;
mod server;
mod session;

pub use error::RouteError;
pub use server::{RouteServer, RouteServerOptions};
pub use session::{RouteMiss, RouteOptions, RouteRecording, RouteSession};
