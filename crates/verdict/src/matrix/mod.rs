//! Compares the combinations of a matrix: how often each passed, with an interval, and what it cost.

mod axis;
mod grid;
mod numbers;
mod results;
mod tally;

pub use axis::{AxisDifference, AxisResults, AxisValueResults};
pub use grid::{GridCell, GridRow};
pub use numbers::MatrixNumbers;
pub use results::{CombinationResults, MatrixResults};
