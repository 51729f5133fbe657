//! What may be asked of a trace: compile and pure evaluate, one file per check.
