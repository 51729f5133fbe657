//! What an agent finds: real Python and Node programs against a proxy that counts.

mod files;
mod node;
mod python;
mod world;
