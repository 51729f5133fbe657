//! Texts that are made to be unique: UUIDs, ULIDs, hexadecimal numbers, tokens with a prefix such as `call_`, nanoids, and
//! what else only chance writes.

mod chance;
mod find;
mod form;
#[cfg(test)]
mod tests;

pub(super) use chance::randomness;
pub(super) use find::{ids_in, masked, pair_over, places_of_ids};
