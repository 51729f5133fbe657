//! What stands in for the world around an agent: today a recording of its tools.

mod cassette;

pub use cassette::{Entry, Miss, Player, Tape, TapeError};
