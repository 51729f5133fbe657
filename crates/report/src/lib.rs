//! Consumers of the one event stream.
