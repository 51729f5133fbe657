//! The command of an MCP server in a recording: the same on another machine, in another folder, for another user.

use std::path::Path;

use agentci_text::{is_shell_safe, shell_quoted};

use crate::Roots;

/// The prefix of the origin of such a server.
const SCHEME: &str = "stdio:";

/// Whether an origin is that of an MCP server over standard input and output.
pub fn is_stdio(origin: &str) -> bool {
    origin.starts_with(SCHEME)
}

/// The origin of a server: the name of its program, and its arguments without the folders of this machine.
pub(super) fn origin(command: &[String], roots: &Roots) -> String {
    let mut words = unwrapped(command).iter();
    let program = words.next().map(|program| plain_name(program)).unwrap_or_default();
    let arguments = words.map(|word| marked(&portable(word, roots)));
    let all: Vec<String> = std::iter::once(program).chain(arguments).collect();
    format!("{SCHEME}{}", all.join(" "))
}

/// The command without `agentci tap`: the server is the same with and without it.
fn unwrapped(command: &[String]) -> &[String] {
    match command {
        [agentci, tap, dashes, rest @ ..] if agentci.ends_with("agentci") && tap == "tap" && dashes == "--" => rest,
        _ => command,
    }
}

/// The name of a program without its folder. An interpreter has many names: `python3.11` in a recording is `python` in
/// CI.
fn plain_name(program: &str) -> String {
    let name = program.rsplit('/').next().expect("a split has a first part");
    let version = name.strip_prefix("python");
    let is_python = version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    if is_python { "python".into() } else { name.to_owned() }
}

/// A word with marks for the folders of this machine. A path in the working directory becomes relative to it. In the
/// temporary directory only the last name counts, since the others are generated.
fn portable(word: &str, roots: &Roots) -> String {
    let word = word.strip_prefix("./").unwrap_or(word);
    // The value of `--db=/home/me/shop.db`.
    let (flag, path) = match word.split_once('=') {
        Some((flag, path)) if flag.starts_with('-') => (format!("{flag}="), path),
        _ => (String::new(), word),
    };
    let below = |root: &Path| Path::new(path).strip_prefix(root).ok().map(|rest| rest.to_string_lossy().into_owned());
    let known = |root: Option<&Path>| root.filter(|root| root.parent().is_some()).and_then(below);
    let marked = if let Some(rest) = known(Some(&roots.cwd)) {
        if rest.is_empty() { ".".into() } else { rest }
    } else if let Some(rest) = known(roots.tmp.as_deref()) {
        let last = rest.rsplit('/').next().filter(|_| rest.contains('/')).unwrap_or("*");
        format!("$TMPDIR/{last}")
    } else if let Some(rest) = known(roots.home.as_deref()) {
        format!("~/{rest}")
    } else {
        path.to_owned()
    };
    flag + &marked
}

/// A command as it can be written in a shell.
pub(crate) fn line(command: &[String]) -> String {
    command.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word of an origin: quoted as in a shell, but the marks of folders, such as `~` and `$TMPDIR`, stay readable. An
/// origin is compared with those in recordings and never run.
fn marked(word: &str) -> String {
    let is_plain = |letter: char| is_shell_safe(letter) || "~*$".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { shell_quoted(word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> String {
        let roots = Roots { cwd: "/home/me/shop".into(), home: Some("/home/me".into()), tmp: Some("/tmp".into()) };
        origin(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), &roots)
    }

    #[test]
    fn server_name_is_the_same_on_all_machines() {
        assert_eq!(of(&["npx", "-y", "@x/orders"]), "stdio:npx -y @x/orders");
        assert_eq!(of(&["/opt/agentci", "tap", "--", "npx", "-y", "@x/orders"]), "stdio:npx -y @x/orders");
        for python in ["python", "python3", "/usr/bin/python3.11", "/home/me/shop/.venv/bin/python3"] {
            for server in ["server.py", "./server.py", "/home/me/shop/server.py"] {
                assert_eq!(of(&[python, server]), "stdio:python server.py");
            }
        }
        assert_eq!(of(&["/opt/x/orders", "--db", "/tmp/tmpx81ab/orders.db"]), "stdio:orders --db $TMPDIR/orders.db");
        assert_eq!(
            of(&["orders", "--db=/home/me/o.db", "/tmp/tmpx81ab"]),
            "stdio:orders --db=~/o.db '$TMPDIR/*'".replace('\'', "")
        );
    }

    #[test]
    fn different_servers_have_different_names() {
        assert_ne!(of(&["npx", "-y @x/orders"]), of(&["npx", "-y", "@x/orders"]));
        assert_ne!(of(&["python3", "one.py"]), of(&["python3", "two.py"]));
        assert_ne!(of(&["python3", "server.py"]), of(&["pythonic", "server.py"]));
        assert_ne!(of(&["x", "/home/me"]), of(&["x", "/home/you"]));
        assert_ne!(of(&["x", "/home/me/shopping"]), of(&["x", "ping"]));
    }
}
