//! What stands in for the world around an agent: a model that is a script, recordings of its tools, faults on purpose, and the
//! tools themselves when they are really executed.

mod cassette;
mod closest;
mod faults;
mod llm;
mod normalize;
mod routes;
mod serve;
mod tools;
mod wildcard;

pub use cassette::{Entry, Miss, Player, Recorder, Tape, TapeError, replace_file};
pub use faults::Faults;
pub use llm::{
    IndexError, ModelCall, ModelReply, ModelServer, ModelSpeech, ScriptIndex, ScriptMind, ServerError, ServerOptions,
};
pub use normalize::Normalizer;
pub use routes::{
    LateCalls, RouteError, RouteMiss, RouteOptions, RouteRecording, RouteServer, RouteServerOptions, RouteSession,
};
pub use tools::{Scripted, Tool, Toolbox, ToolboxError};
