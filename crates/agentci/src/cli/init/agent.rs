//! Generates the suite for the user's own agent, or for an example agent.

use std::path::Path;

use agentci::source;

use super::kind::AgentKind;
use super::words;
use crate::cli::{CliError, command_line};

/// The suite file.
pub(super) const SUITE: &str = "agentci.yaml";

const COMMAND: &str = include_str!("../../../templates/own/command.yaml");
const TEXT: &str = include_str!("../../../templates/own/text.yaml");
const HTTP: &str = include_str!("../../../templates/own/http.yaml");
const AGUI: &str = include_str!("../../../templates/own/agui.yaml");
const A2A: &str = include_str!("../../../templates/own/a2a.yaml");
const MCP: &str = include_str!("../../../templates/own/mcp.yaml");
const SDK: &str = include_str!("../../../templates/own/sdk.yaml");
const MODEL: &str = include_str!("../../../templates/own/model.yaml");

/// The comment that shows how to script the model of a server that the run starts.
const MODEL_OF_SERVER: &str = "\
# If your agent calls a model, it can be scripted: agentci serves the OpenAI and Anthropic APIs on this machine, and
# sets OPENAI_BASE_URL, ANTHROPIC_BASE_URL and API keys in the environment of your agent. No real key is needed, and
# nothing costs anything. Uncomment the line below, and edit `model.yaml`.
#
# world: { model: { script: model.yaml } }
";

/// The path of the agent card on a server.
const CARD: &str = "/.well-known/agent-card.json";

/// The user's agent; an example if neither command nor URL is set.
#[derive(Debug, Default)]
pub(super) struct OwnAgent {
    command: Option<Vec<String>>,
    url: Option<String>,
}

impl OwnAgent {
    /// Checks that the command and the URL fit the kind of agent.
    pub(super) fn new(kind: AgentKind, command: Option<&str>, url: Option<&str>) -> Result<Self, CliError> {
        let word = kind.word();
        if command.is_some() && !kind.has_command() {
            return Err(CliError::new(format!("an agent of kind `{word}` has no command"), instead(kind)));
        }
        if url.is_some() && !kind.has_url() {
            return Err(CliError::new(format!("an agent of kind `{word}` has no URL"), instead(kind)));
        }
        if kind == AgentKind::Http && command.is_some() && url.is_none() {
            let help = "add its URL: `--url 'http://127.0.0.1:${PORT}/ask'`; the command reads the port from `PORT`";
            return Err(CliError::new("a server that is started with `--command` also needs `--url`", help));
        }
        if kind == AgentKind::Mcp && command.is_some() && url.is_some() {
            let help = "use either `--command` or `--url`";
            return Err(CliError::new("an MCP server has either a command or a URL", help));
        }
        if let Some(url) = url.filter(|url| !is_address(url)) {
            let help = "include the scheme: `http://127.0.0.1:8000/`";
            return Err(CliError::new(format!("`{}` is not a URL", url.escape_debug()), help));
        }
        let typed = "write it as you would type it in a shell, for example `python3 agent.py`";
        let command = command.map(words::split).transpose().map_err(|message| CliError::new(message, typed))?;
        Ok(Self { command, url: url.map(str::to_owned) })
    }

    /// Whether the question is an argument of the command; such an agent prints its answer.
    fn is_told_in_command(&self) -> bool {
        self.command.iter().flatten().any(|word| words::asks(word))
    }

    /// The command as typed after `agentci record --`, if the agent calls a model itself and the command has no
    /// variables.
    pub(super) fn recordable(&self, kind: AgentKind) -> Option<String> {
        let command = self.command.as_ref().filter(|_| kind == AgentKind::Sdk)?;
        let is_whole = !command.iter().any(|word| word.contains("${"));
        is_whole.then(|| command_line(command))
    }

    /// The names and contents of the files to write.
    pub(super) fn files(&self, kind: AgentKind, folder: &Path, name: &str, shown: &str) -> Vec<(&'static str, String)> {
        let fill = |text: &str| filled(text, &[("suite", name), ("folder", shown)]);
        if self.command.is_none() && self.url.is_none() {
            return kind.example().iter().map(|(name, text)| (*name, fill(text))).collect();
        }
        let here = Path::new(".");
        let work = words::in_yaml(&relative(folder, here));
        let command = self.command.as_ref().map(|parts| written(parts, folder, str::to_owned)).unwrap_or_default();
        let url = self.url.as_deref().unwrap_or_default();
        let server = match (kind, self.command.is_some()) {
            (AgentKind::Mcp, true) => format!("    command: {command}"),
            (AgentKind::Mcp, false) => format!("    url: {}", words::in_yaml(url)),
            (_, true) => format!("    command: {command}\n    folder: {work}"),
            (_, false) => SERVER_RUNS.to_owned(),
        };
        let (card, url) = match (kind, url.split_once("://")) {
            // The URL of a server without a path: the card contains the endpoint.
            (AgentKind::A2a, Some((_, host))) if !host.trim_end_matches('/').contains('/') => {
                ("card_url", format!("{}{CARD}", url.trim_end_matches('/')))
            }
            (AgentKind::A2a, _) if is_card(url) => ("card_url", url.to_owned()),
            _ => ("endpoint", url.to_owned()),
        };
        let url = words::in_yaml(&url);
        let model = if self.command.is_some() { MODEL_OF_SERVER } else { "" };
        let values = [
            ("command", command.as_str()),
            ("work", &work),
            ("server", &server),
            ("card", card),
            ("url", &url),
            ("model", model),
            ("suite", name),
            ("folder", shown),
        ];
        let own = |text: &str| filled(text, &values);
        match kind {
            AgentKind::Http if self.command.is_some() => vec![(SUITE, own(HTTP)), ("model.yaml", MODEL.to_owned())],
            AgentKind::Http => vec![(SUITE, own(HTTP))],
            AgentKind::AgUi => vec![(SUITE, own(AGUI))],
            AgentKind::A2a => vec![(SUITE, own(A2A))],
            AgentKind::Mcp => vec![(SUITE, own(MCP))],
            AgentKind::Sdk => vec![(SUITE, own(SDK)), ("model.yaml", MODEL.to_owned())],
            AgentKind::Command if self.is_told_in_command() => vec![(SUITE, own(TEXT))],
            AgentKind::Command | AgentKind::Prompts | AgentKind::Answers => vec![(SUITE, own(COMMAND))],
        }
    }
}

/// The comment in place of the command of a server.
const SERVER_RUNS: &str = "    # The server must be running. With `command: [python3, server.py]` and `${PORT}` in
    # `url`, it is started before the first case, with a free port in its variable `PORT`, and stopped after the last.";

fn instead(kind: AgentKind) -> String {
    match (kind.has_command(), kind.has_url()) {
        (true, _) => "set the command that starts it with `--command`".into(),
        (false, true) => "set its URL with `--url`".into(),
        (false, false) => "leave it out: the suite contains an example for you to edit".into(),
    }
}

/// Whether a text is the URL of a server; it may contain variables.
fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let plain = |letter: char| !letter.is_whitespace() && !letter.is_control();
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain)) || url.starts_with("${")
}

/// Whether a URL is that of an A2A agent card.
fn is_card(url: &str) -> bool {
    url.contains("/.well-known/") || Path::new(url).extension().is_some_and(|extension| extension == "json")
}

/// A command as written in a suite in `folder`: paths of existing files are relative to `folder`, and variables are
/// escaped.
pub(in crate::cli) fn command(parts: &[String], folder: &Path) -> String {
    written(parts, folder, |part| part.replace("${", "$${"))
}

/// A command as written in a suite in `folder`; `text` converts words that are not paths.
fn written(parts: &[String], folder: &Path, text: impl Fn(&str) -> String) -> String {
    let from_there = |(number, part): (usize, &String)| {
        let path = Path::new(part);
        let may_be_path = !part.starts_with('-') && path.is_relative();
        // A bare program name is searched for in `PATH`, even if such a file exists here.
        let plain = number > 0 && path.is_file();
        let is_path = may_be_path && (plain || (part.contains('/') && path.exists()));
        words::in_yaml(&if is_path { relative(folder, path) } else { text(part) })
    };
    let written: Vec<String> = parts.iter().enumerate().map(from_there).collect();
    format!("[{}]", written.join(", "))
}

/// The relative path from a folder to a file.
pub(in crate::cli) fn relative(from: &Path, to: &Path) -> String {
    let absolute = |path: &Path| source::join(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()), "");
    source::relative(&absolute(from), &absolute(to)).display().to_string()
}

/// A template with its `@names@` replaced. Inserted values are not expanded again.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('@') {
        text.push_str(before);
        let value = after.split_once('@').and_then(|(name, behind)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((value, behind))
        });
        let (put, behind) = value.unwrap_or((&"@", after));
        text.push_str(put);
        rest = behind;
    }
    text + rest
}
