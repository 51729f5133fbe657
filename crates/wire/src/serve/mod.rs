//! What the servers here have in common: a socket with a task for each connection, bodies read within limits, and bodies sent
//! at once, bit by bit, or not to their end.

mod intake;
mod listen;
mod speech;

pub use intake::{Unread, collect};
pub use listen::{Handler, Limits, Serving};
pub use speech::{BrokenOff, Mark, Progress, Speech};
