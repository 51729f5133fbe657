//! The combination of a matrix that a case is.

use serde::{Deserialize, Serialize};

/// A case of a suite with a matrix: the case as the suite has it, and the value of each axis.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseCombination {
    /// The id of the case without axes.
    pub of: String,
    /// The axes, in the order of the suite.
    pub axes: Vec<AxisSetting>,
}

/// The value of an axis in a case.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AxisSetting {
    /// The name of the axis.
    pub axis: String,
    /// The value as text.
    pub value: String,
}
