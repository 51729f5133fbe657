//! What stands in for the tools of an agent: recordings, scripts, faults on purpose, and the tools themselves when they are really
//! executed.

mod cassette;
mod closest;
mod faults;
mod normalize;
mod routes;
mod tools;
mod wildcard;

pub use cassette::{CassetteMiss, CassettePlayer, CassetteRecorder, Tape, TapeEntry, TapeError, replace_file};
pub use faults::Faults;
pub use normalize::Normalizer;
pub use routes::{
    LateCalls, RouteError, RouteMiss, RouteOptions, RouteRecording, RouteServer, RouteServerOptions, RouteSession,
};
pub use tools::{ScriptedTools, Tool, Toolbox, ToolboxError, fill_command};
