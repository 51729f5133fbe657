//! The MCP servers in the settings of well-known hosts, so that their programs get shims, and are recognised when they
//! run.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::configured_server::ConfiguredServer;
use crate::Roots;

/// Settings of hosts, in the working directory and in the home directory.
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
/// Maximum number of bytes of a settings file.
const LARGEST: u64 = 1 << 20;
/// How deep a command may be nested.
const DEEPEST: usize = 6;

/// Keys whose values contain servers. Settings contain other commands too, such as one for a status line.
const SERVERS: &[&str] = &["mcpServers", "mcp_servers", "servers", "mcp"];

/// The names of programs in the settings; names with a folder are omitted, since they are not looked up on `PATH`.
pub(super) fn commands(roots: &Roots) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for settings in settings(roots) {
        match settings {
            HostSettings::Toml(text) => found.extend(text.lines().filter_map(of_toml)),
            HostSettings::Json(settings) => of_json(&settings, 0, &mut found),
        }
    }
    found.retain(|name| !name.is_empty() && !name.contains(['/', '\0', '\n']));
    found
}

/// The servers in the settings, as far as they can be parsed.
pub(crate) fn configured_servers(roots: &Roots) -> Vec<ConfiguredServer> {
    let mut found = BTreeSet::new();
    for settings in settings(roots) {
        match settings {
            HostSettings::Toml(text) => servers_of_toml(&text, &mut found),
            HostSettings::Json(settings) => servers_of_json(&settings, false, 0, &mut found),
        }
    }
    found.into_iter().collect()
}

enum HostSettings {
    Toml(String),
    Json(Value),
}

fn settings(roots: &Roots) -> impl Iterator<Item = HostSettings> {
    let folders = std::iter::once(roots.cwd.as_path()).chain(roots.home.as_deref());
    folders.flat_map(|folder| FILES.iter().map(|file| folder.join(file))).filter_map(|file| {
        let text = read(&file)?;
        if file.extension().is_some_and(|ending| ending == "toml") {
            Some(HostSettings::Toml(text))
        } else {
            serde_json::from_str(&text).ok().map(HostSettings::Json)
        }
    })
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

/// `"orders": { "command": "npx", "args": ["-y"] }`, or with all words in `command`.
fn servers_of_json(value: &Value, is_server: bool, depth: usize, found: &mut BTreeSet<ConfiguredServer>) {
    let Some(fields) = value.as_object().filter(|_| depth < DEEPEST) else { return };
    for (name, value) in fields {
        let words = |value: &Value| match value {
            Value::String(word) => vec![word.clone()],
            Value::Array(words) => words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
            _ => Vec::new(),
        };
        let command = [words(&value["command"]), words(&value["args"])].concat();
        if is_server && !value["command"].is_null() {
            found.insert(ConfiguredServer { name: name.clone(), command });
        } else {
            servers_of_json(value, is_server || SERVERS.contains(&name.as_str()), depth + 1, found);
        }
    }
}

/// `[mcp_servers.orders]`, `command = "npx"` and `args = ["-y"]`, each on a line. Other notations are ignored.
fn servers_of_toml(text: &str, found: &mut BTreeSet<ConfiguredServer>) {
    for section in text.split("\n[").filter_map(|section| section.trim_start_matches('[').strip_prefix("mcp_servers."))
    {
        let Some((name, lines)) = section.split_once(']') else { continue };
        let Some(program) = lines.lines().find_map(of_toml) else { continue };
        let arguments = lines.lines().find_map(|line| line.trim().strip_prefix("args")?.trim_start().strip_prefix('='));
        let Ok(arguments) = serde_json::from_str::<Vec<String>>(arguments.unwrap_or("[]").trim()) else { continue };
        let command = std::iter::once(program).chain(arguments).collect();
        found.insert(ConfiguredServer { name: name.trim_matches('"').to_owned(), command });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_commands_in_settings() {
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

    #[test]
    fn finds_only_mcp_servers_in_settings() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        };
        write(".mcp.json", r#"{"mcpServers":{"a":{"command":"/opt/a","args":["--stdio"]},"b":{"url":"x"}}}"#);
        write("opencode.json", r#"{"mcp":{"c":{"command":["c","-v"]}},"x":{"command":"y"}}"#);
        write(".claude/settings.json", r#"{"statusLine":{"type":"command","command":"/opt/status"}}"#);
        write(
            ".codex/config.toml",
            "model = \"x\"\n\n[mcp_servers.d]\ncommand = \"/opt/d\"\nargs = [\"-m\", \"x\"]\n[notify]\ncommand = \"n\"\n\
             [mcp_servers.e]\ncommand = \"e\"\nargs = [\n\"x\"]\n",
        );
        let roots = Roots { cwd: folder.path().into(), ..Roots::default() };
        let found: Vec<String> = configured_servers(&roots)
            .iter()
            .map(|server| format!("{}: {}", server.name, server.command.join(" ")))
            .collect();
        assert_eq!(found, ["a: /opt/a --stdio", "c: c -v", "d: /opt/d -m x"]);
    }
}
