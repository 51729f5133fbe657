//! Tools of a Python module, hosted in a Python process.

use std::path::Path;

use agentci_plan::TOOL_TIMEOUT;
use agentci_process::ProcessCommand;
use serde_json::{Value, json};

use super::command::{LongLived, NoResult};

/// The host: imports the module, lists its `TOOLS`, and answers calls, one line each. Output of tools is sent to
/// standard error.
const HOST: &str = r#"
import importlib, json, os, sys
out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
os.dup2(2, 1)
sys.stdout = sys.stderr
def send(message):
    out.write(json.dumps(message) + "\n")
    out.flush()
tools, trouble = {}, None
try:
    sys.path.insert(0, sys.argv[2])
    sys.path.insert(1, os.getcwd())
    module = importlib.import_module(sys.argv[1])
    tools = getattr(module, "TOOLS", None)
    if not isinstance(tools, dict):
        trouble = "module `%s` has no mapping TOOLS" % sys.argv[1]
except BaseException as error:
    trouble = "module `%s` cannot be imported: %s: %s" % (sys.argv[1], type(error).__name__, error)
for line in sys.stdin:
    request = json.loads(line)
    if request.get("list"):
        send({"error": trouble} if trouble else {"tools": sorted(str(name) for name in tools)})
        continue
    try:
        tool = tools[request["tool"]]
        call = tool.call if hasattr(tool, "call") else tool
        send({"ok": True, "result": call(request["args"])})
    except BaseException as error:
        send({"ok": False, "error": str(error) or type(error).__name__})
"#;

/// A Python process that hosts a module.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) host: LongLived,
    /// The names of its tools.
    pub(super) names: Vec<String>,
}

impl Module {
    /// Starts the host and lists the tools of the module.
    pub(super) async fn open(module: &str, folder: &Path) -> Result<Self, String> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let arguments = vec!["-u".into(), "-c".into(), HOST.into(), module.into(), folder.into_os_string()];
        let command = ProcessCommand { program: "python3".into(), arguments, ..ProcessCommand::default() };
        let host = LongLived::new(command, TOOL_TIMEOUT);
        let answer = host.exchange(&json!({ "list": true })).await.map_err(|none| match none {
            NoResult::Failed(words) | NoResult::NotStarted(words) => words,
        })?;
        if let Some(error) = answer["error"].as_str() {
            host.close().await;
            return Err(error.to_owned());
        }
        let names = answer["tools"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Ok(Self { names: names.collect(), host })
    }
}
