//! Generated ids: UUIDs, ULIDs, hexadecimal numbers, tokens with a prefix such as `call_`, nanoids, and other random
//! tokens.

mod find;
mod form;
mod randomness;
#[cfg(test)]
mod tests;

pub(super) use find::{ids_in, masked, pair_over, places_of_ids};
pub(super) use randomness::randomness;
