//! The common parts of agentci's servers: a socket with one task per connection, request bodies read within limits, and
//! response bodies sent at once, in pieces, or truncated.

mod body;
mod listen;
mod request_body;

pub use body::{BrokenOffError, PieceEnd, SendProgress, ServedBody};
pub use listen::{ClientLimits, Handler, Serving};
pub use request_body::{RequestBodyError, collect};
