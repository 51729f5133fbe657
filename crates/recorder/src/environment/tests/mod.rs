//! Real Python and Node programs against a proxy that counts requests.

mod files;
mod node;
mod python;
mod world;
