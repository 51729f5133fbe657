//! The size of the program.

use crate::measure::megabytes;
use crate::row::Row;
use crate::{Measured, Setting};

pub(crate) fn measure(setting: &Setting) -> Measured {
    let length = std::fs::metadata(setting.program("agentci"))?.len();
    Ok(vec![Row::value("size of the program", "MB", megabytes(length), None)])
}
