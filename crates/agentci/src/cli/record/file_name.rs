//! The name of a recording: that of the program, or of the script that an interpreter runs.

use std::ffi::OsString;
use std::path::Path;

/// For a program that runs another one, whose name says more: the words that may stand between them. `None` for other
/// programs.
fn words_between(runner: &str) -> Option<&'static [&'static str]> {
    match runner {
        "python" | "node" | "bunx" | "npx" | "tsx" | "ts-node" | "uvx" | "ruby" | "sh" | "bash" => Some(&[]),
        "deno" | "pipx" | "poetry" => Some(&["run"]),
        "bun" => Some(&["run", "x"]),
        "npm" => Some(&["run", "exec"]),
        "pnpm" => Some(&["run", "exec", "dlx"]),
        "uv" => Some(&["run", "tool"]),
        _ => None,
    }
}

/// Flags of these programs that take a value.
const WITH_VALUE: [&str; 12] = [
    "-X",
    "-W",
    "-r",
    "--require",
    "--import",
    "--loader",
    "--with",
    "--python",
    "--project",
    "--directory",
    "--env-file",
    "--package",
];

/// The longest generated name, in characters.
const LONGEST_NAME: usize = 64;

/// The name for a command; `agent` if it contains no valid file name.
pub(in crate::cli) fn program_name(command: &[OsString]) -> String {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let name: String = named(&words, 0)
        .chars()
        .map(|letter| if letter.is_alphanumeric() || "._-".contains(letter) { letter } else { '-' })
        .take(LONGEST_NAME)
        .collect();
    let name = name.trim_matches(['.', '-']);
    if name.is_empty() { "agent".into() } else { name.into() }
}

/// Parses the name of a recording, without the extension that is added to it.
pub(super) fn given(text: &str) -> Result<String, String> {
    let name = text.strip_suffix(".jsonl").unwrap_or(text);
    if name.contains(['/', '\\']) || ["", ".", ".."].contains(&name) {
        return Err("expected the name of a file in `recordings`; `--out FILE` writes elsewhere".into());
    }
    Ok(name.to_owned())
}

/// How many programs that run another one are followed.
const DEPTH: usize = 4;

fn named(words: &[String], depth: usize) -> String {
    let Some((program, rest)) = words.split_first() else { return String::new() };
    let own = stem(program);
    // `python3.12` is `python`.
    let bare = own.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let Some(between) = words_between(bare).filter(|_| depth < DEPTH) else { return own };
    let mut rest = rest.iter().enumerate();
    while let Some((at, word)) = rest.next() {
        match word.as_str() {
            "-m" => {
                let Some((_, module)) = rest.next() else { return own };
                return module.rsplit('.').next().expect("a split has at least one part").to_owned();
            }
            // The script is in the command line itself.
            "-c" | "-e" | "-p" | "--eval" => return own,
            flag if WITH_VALUE.contains(&flag) => {
                rest.next();
            }
            flag if flag.starts_with('-') => {}
            word if at == 0 && between.contains(&word) => {}
            _ => return named(&words[at + 1..], depth + 1),
        }
    }
    own
}

/// `@openai/codex@latest` is `codex`, `./src/agent.py` is `agent`.
fn stem(program: &str) -> String {
    let name = Path::new(program).file_name().map_or_else(|| program.into(), |name| name.to_string_lossy());
    let name = name.split('@').find(|part| !part.is_empty()).unwrap_or_default();
    let known = ["py", "js", "mjs", "cjs", "ts", "mts", "rb", "sh"];
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && known.contains(&extension) => stem.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_names_outside_the_recordings_folder() {
        for (text, name) in [("foo", Some("foo")), ("foo.jsonl", Some("foo")), ("a.b", Some("a.b"))] {
            assert_eq!(given(text).ok().as_deref(), name, "{text}");
        }
        for wrong in ["", ".jsonl", "..", "../../x", "/tmp/x", "a/b"] {
            assert!(given(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_recording_after_the_script_not_its_launcher() {
        for (line, name) in [
            ("claude -p hi", "claude"),
            ("./bin/agent --x", "agent"),
            ("python3 agent.py", "agent"),
            ("/usr/bin/python3.12 -u -X dev src/shop.py 1", "shop"),
            ("python -m shop.agents.refunds x", "refunds"),
            ("python3 -c print(1)", "python3"),
            ("python3", "python3"),
            ("node --require x.cjs dist/index.mjs", "index"),
            ("npx -y @openai/codex@latest exec", "codex"),
            ("uv run --with httpx python agent.py", "agent"),
            ("uv run agent.py", "agent"),
            ("bun run agent.ts", "agent"),
            ("../..", "agent"),
            ("my agent", "my"),
            ("./über;rm", "über-rm"),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(program_name(&words), name, "{line}");
        }
    }
}
