//! The `scenario` dialect from files to a plan.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

mod convert;
mod finding;
mod fixtures;
mod hostile;
mod project;
mod settings;
mod test_file;
