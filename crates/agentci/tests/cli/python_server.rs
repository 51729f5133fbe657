//! A Python server for tests: the script prints its port, and is stopped at the end of the test.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::suite::Suite;

pub(crate) struct PythonServer {
    child: Child,
    pub(crate) port: String,
}

impl PythonServer {
    /// Starts `server.py` in the suite's folder with these arguments.
    pub(crate) fn start(suite: &Suite, arguments: &[&str]) -> Self {
        let mut command = Command::new("python3");
        command.arg("server.py").args(arguments).current_dir(suite.path("")).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, port: port.trim().to_owned() }
    }
}

impl Drop for PythonServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
