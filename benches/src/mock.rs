//! Mock cases with all artifacts of a run, compared with parsing the events of the same YAML and discarding them.

use std::process::Command;

use crate::growth::write_suite;
use crate::measure::{compare, program};
use crate::{Measured, Setting};

const SIZES: [usize; 2] = [1_000, 10_000];

pub(crate) fn measure(setting: &Setting) -> Measured {
    let folder = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for cases in SIZES {
        let suite = folder.path().join(format!("{cases}.yaml"));
        write_suite(&suite, cases)?;
        let mut run = setting.agentci();
        run.arg("run").arg(&suite).current_dir(folder.path());
        let mut floor = Command::new(setting.program("yaml_events"));
        floor.arg(&suite);
        let name = format!("mock, {cases} cases");
        let pairs = compare(name, setting.rounds, &mut || program(&mut run), &mut || program(&mut floor))?;
        rows.push(pairs.cpu(None));
    }
    Ok(rows)
}
