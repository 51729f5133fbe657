//! The run folder: create, append, write whole, read back.
