//! Which combination of a matrix a case is.

use agentci_source::Name;

/// A combination of the axes of a matrix: a case of a suite file becomes one case of the plan for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination {
    /// The id of the case in the suite file, without axes.
    pub of: Name,
    /// The axes with their values as text, in the order of the suite.
    pub axes: Box<[(Name, Name)]>,
}

impl Combination {
    /// A tag for each axis: `model=gpt-5-mini`.
    pub fn tags(&self) -> impl Iterator<Item = String> {
        self.axes.iter().map(|(axis, value)| format!("{axis}={value}"))
    }
}
