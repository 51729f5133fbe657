//! The commands of MCP servers in the settings of well-known hosts, so that these have shims as well.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::Roots;

/// Settings of hosts, in the working folder and at home.
const FILES: &[&str] = &[
    ".mcp.json",
    "mcp.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".gemini/settings.json",
    ".claude/settings.json",
    ".codex/config.toml",
    ".config/opencode/opencode.json",
    "opencode.json",
];
/// The most bytes of a file that is looked at.
const LARGEST: u64 = 1 << 20;
/// How deep a command may stand.
const DEEPEST: usize = 6;

/// The names of programs in the settings in sight; those with a folder are left out, since no `PATH` leads to them.
pub(super) fn commands(roots: &Roots) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in std::iter::once(roots.cwd.as_path()).chain(roots.home.as_deref()) {
        for file in FILES.iter().map(|file| folder.join(file)) {
            let Some(text) = read(&file) else { continue };
            if file.extension().is_some_and(|ending| ending == "toml") {
                found.extend(text.lines().filter_map(of_toml));
            } else if let Ok(settings) = serde_json::from_str(&text) {
                of_json(&settings, 0, &mut found);
            }
        }
    }
    found.retain(|name| !name.is_empty() && !name.contains(['/', '\0', '\n']));
    found
}

fn read(path: &Path) -> Option<String> {
    let small = fs_err::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    small.then(|| fs_err::read_to_string(path).ok()).flatten()
}

/// `command = "npx"`.
fn of_toml(line: &str) -> Option<String> {
    let value = line.trim().strip_prefix("command")?.trim_start().strip_prefix('=')?.trim();
    let value = value.strip_prefix(['"', '\''])?;
    Some(value.split(['"', '\'']).next()?.to_owned())
}

/// `"command": "npx"`, or `"command": ["npx", "-y"]`.
fn of_json(value: &Value, depth: usize, found: &mut BTreeSet<String>) {
    let Some(fields) = value.as_object().filter(|_| depth < DEEPEST) else { return };
    for (name, value) in fields {
        let command = if let Value::Array(words) = value { words.first() } else { Some(value) };
        match command.and_then(Value::as_str).filter(|_| name == "command") {
            Some(command) => found.extend([command.to_owned()]),
            None => of_json(value, depth + 1, found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_settings() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        };
        write(
            ".mcp.json",
            r#"{"mcpServers":{"a":{"command":"orders-server"},"b":{"command":"/opt/x"},"c":{"url":"x"}}}"#,
        );
        write("opencode.json", r#"{"mcp":{"a":{"command":["stock-server","-v"]}}}"#);
        write(".codex/config.toml", "[mcp_servers.a]\n command = \"mail-server\"\nargs = []\n");
        write(".cursor/mcp.json", "not JSON");
        let deep =
            (0..DEEPEST).fold(r#"{"command":"deep-server"}"#.to_owned(), |inner, _| format!(r#"{{"a":{inner}}}"#));
        write("mcp.json", &deep);
        let large = format!(r#"{{"command":"large-server","x":"{}"}}"#, "x".repeat(1 << 20));
        write(".vscode/mcp.json", &large);
        let roots = Roots { cwd: folder.path().into(), ..Roots::default() };
        let names: Vec<String> = commands(&roots).into_iter().collect();
        assert_eq!(names, ["mail-server", "orders-server", "stock-server"]);
    }
}
