//! Plain HTTP/1.1 to a server on this machine.
//!
//! A general client hands every chunk of a body from the task of its connection to ours, one at a time. An agent sends a chunk
//! for every word, thousands of them; here they are taken from the socket as they lie there, all that came at once, by the
//! task that waits for them. Encryption, proxies, redirections and other machines are the general client's.

mod body;
mod connection;
mod head;
pub mod outside;
mod pool;

pub(super) use body::Body;
pub(super) use connection::{Request, send};
pub(super) use head::Head;
