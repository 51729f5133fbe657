//! The `scenario` dialect from files to a plan.

mod convert;
mod finding;
mod fixtures;
mod hostile;
mod project;
mod settings;
mod test_file;
