//! What stands in for the world: recorded tools.
