//! Stubs for the tools of an agent: recordings, fixtures, scripted answers and injected faults; and the tools
//! themselves when they are executed.

mod cassette;
mod closest;
mod faults;
mod normalize;
mod routes;
mod tools;
mod wildcard;

pub use cassette::{CassetteMiss, CassettePlayer, CassetteRecorder, Tape, TapeEntry, TapeError};
pub use faults::Faults;
pub use normalize::Normalizer;
pub use routes::{
    LateCalls, RouteError, RouteMiss, RouteOptions, RouteRecording, RouteServer, RouteServerOptions, RouteSession,
};
pub use tools::{ScriptedTools, Tool, Toolbox, ToolboxError, fill_command};
