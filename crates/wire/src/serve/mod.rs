//! What the servers here have in common: a socket with a task for each connection, bodies read within limits, and bodies sent
//! at once, bit by bit, or not to their end.

mod body;
mod listen;
mod request_body;

pub use body::{BrokenOffError, Mark, SendProgress, ServedBody};
pub use listen::{ClientLimits, Handler, Serving};
pub use request_body::{RequestBodyError, collect};
