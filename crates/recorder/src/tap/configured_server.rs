//! An MCP server in the settings of a host, and the processes that run it.

/// A server in the settings of a host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ConfiguredServer {
    /// Its name in the settings.
    pub(crate) name: String,
    /// Its program and arguments.
    pub(crate) command: Vec<String>,
}

impl ConfiguredServer {
    /// Whether this is the command line of a process that runs it. A script follows its interpreter, optionally with an
    /// option in between: `script` is the interpreted file.
    pub(crate) fn is(&self, line: &[String], script: Option<&str>) -> bool {
        const MOST_BEFORE: usize = 2;
        let Some((program, arguments)) = self.command.split_first() else { return false };
        let Some(at) = line.len().checked_sub(self.command.len()).filter(|at| *at <= MOST_BEFORE) else { return false };
        let (Some(started), Some(rest)) = (line.get(at), line.get(at + 1..)) else { return false };
        if at > 0 && script != Some(started.as_str()) {
            return false;
        }
        // Hosts replace variables and the home directory.
        let is_filled = |word: &str| word.contains('$') || word.starts_with('~');
        let same = |(wanted, word): (&String, &String)| wanted == word || is_filled(wanted);
        file_name(program) == file_name(started) && arguments.iter().zip(rest).all(same)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().expect("a split has a first part")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_process_by_server_command() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let runs = |command: &str, line: &str, script: Option<&str>| {
            ConfiguredServer { name: "orders".into(), command: words(command) }.is(&words(line), script)
        };
        let is = |command: &str, line: &str| runs(command, line, None);
        assert!(is("/opt/orders --stdio", "/opt/orders --stdio"));
        assert!(runs("/opt/orders --stdio", "/usr/bin/python3 -u /opt/orders --stdio", Some("/opt/orders")));
        assert!(!is("/opt/orders", "tail -f /var/log/orders"));
        assert!(is("/opt/orders --db ${HOME}/x", "orders --db /home/me/x"));
        for other in ["/opt/orders", "/opt/orders --version", "/opt/orders --stdio x", "/opt/stock --stdio", "--stdio"]
        {
            assert!(!is("/opt/orders --stdio", other), "{other}");
        }
        assert!(!is("/opt/orders", "grep -r x /opt/orders"));
        assert!(!ConfiguredServer { name: String::new(), command: Vec::new() }.is(&words("x"), None));
    }
}
