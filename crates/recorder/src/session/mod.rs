//! A session: the proxy and its surroundings, for one command or one attempt at a case.

mod finished;
mod keys;
mod options;
mod running;

pub use finished::{Bypass, FinishedSession};
pub use options::{OnMiss, ReplayPace, SeenHow, SessionError, SessionEvent, SessionMode, SessionOptions};
pub use running::RecorderSession;
