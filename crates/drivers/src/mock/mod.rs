//! Mock models with scripted answers take the place of the agent: nothing is started, and nothing waits.
//!
//! The answer to a case depends only on its position in the suite and on the seed, never on what ran before it. Each
//! case gets the same answer whether it runs alone, in parallel or in sequence.

mod answer;
mod draws;
mod driver;
mod mersenne;

pub use answer::MockAnswer;
pub use draws::{MockDraws, failure};
pub(crate) use driver::MockDriver;
pub use mersenne::first_random;
