//! The `ananke` dialect from files to a plan.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod asked;
mod config;
mod example;
mod finding;
mod hostile;
mod inheritance;
mod project;
mod test_file;
