//! A model whose answers are written down stands where the agent would: nothing is started, and nothing is waited for.
//!
//! What a case is answered depends on its position in the whole suite and on the seed alone, never on what ran before it. So a
//! run of one case, of some, or of all at once gives each case the answer that it has when all run one after another.

mod answer;
mod draws;
mod driver;
mod mersenne;

pub use answer::MockAnswer;
pub use draws::{MockDraws, failure};
pub(crate) use driver::MockDriver;
pub use mersenne::first_random;
