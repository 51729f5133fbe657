//! The agent's own line in a traceback whose last lines are a library's.
//!
//! ```text
//! Traceback (most recent call last):
//!   File "/srv/agent.py", line 42, in handle          <- the agent's own code: /srv/agent.py:42 in handle: order = fetch(7)
//!     order = fetch(7)
//!   File "/venv/lib/python3.11/site-packages/httpx/_api.py", line 195, in get
//!     return request(
//! httpx.ConnectError: [Errno 111] Connection refused
//! ```

/// Parts of paths that are not the agent's: installed packages, the standard library, the runtime itself.
const LIBRARIES: [&str; 8] =
    ["site-packages", "dist-packages", "/lib/python3", "\\Lib\\", "node_modules", "node:", "<", "internal/"];

/// A line of a traceback.
#[derive(Debug)]
struct Frame {
    path: String,
    line: String,
    function: String,
    code: String,
}

/// A note that names the innermost frame of the agent's own code, if library frames follow it. Without any, the end of the
/// traceback already shows it.
pub(crate) fn note(stderr: &[String]) -> Option<String> {
    let lines: Vec<&str> = stderr.iter().flat_map(|entry| entry.lines()).collect();
    let frames = python(&lines).or_else(|| node(&lines))?;
    let at = frames.iter().position(Frame::is_own).filter(|at| *at > 0)?;
    let Frame { path, line, function, code } = &frames[at];
    let function = if function.is_empty() { String::new() } else { format!(" in {function}") };
    let code = if code.is_empty() { String::new() } else { format!(": {code}") };
    Some(format!("the agent's own code: {path}:{line}{function}{code}"))
}

impl Frame {
    fn is_own(&self) -> bool {
        !LIBRARIES.iter().any(|part| self.path.contains(part))
    }
}

/// The frames of the last Python traceback with a frame of the agent's own, innermost first.
fn python(lines: &[&str]) -> Option<Vec<Frame>> {
    // Tracebacks of exception groups have bars before each line.
    let bare = |line: &str| line.trim_start_matches([' ', '|', '+', '-']).to_owned();
    let mut tracebacks: Vec<Vec<Frame>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = bare(line);
        if line.starts_with("Traceback (most recent call last)") || line.starts_with("Exception Group Traceback") {
            tracebacks.push(Vec::new());
        } else if let Some(mut frame) = python_frame(&line)
            && let Some(traceback) = tracebacks.last_mut()
        {
            let next = lines.get(at + 1).map(|next| bare(next)).unwrap_or_default();
            if python_frame(&next).is_none() {
                next.trim_end().clone_into(&mut frame.code);
            }
            traceback.push(frame);
        }
    }
    let mut frames = tracebacks.into_iter().rfind(|frames| frames.iter().any(Frame::is_own))?;
    frames.reverse();
    Some(frames)
}

/// `File "/srv/agent.py", line 42, in handle`
fn python_frame(line: &str) -> Option<Frame> {
    let (path, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
    let (line, function) = rest.trim_end().split_once(", in ").unwrap_or((rest.trim_end(), ""));
    let function = if function == "<module>" { "" } else { function };
    Some(Frame { path: path.into(), line: line.into(), function: function.into(), code: String::new() })
}

/// The frames of the last Node stack with a frame of the agent's own, innermost first.
fn node(lines: &[&str]) -> Option<Vec<Frame>> {
    let mut stacks: Vec<Vec<Frame>> = Vec::new();
    let mut within = false;
    for line in lines {
        let frame = node_frame(line);
        if frame.is_some() && !within {
            stacks.push(Vec::new());
        }
        within = frame.is_some();
        if let (Some(frame), Some(stack)) = (frame, stacks.last_mut()) {
            stack.push(frame);
        }
    }
    stacks.into_iter().rfind(|frames| frames.iter().any(Frame::is_own))
}

/// `    at handle (/srv/agent.mjs:42:7)`, `    at async file:///srv/agent.mjs:42:7`
fn node_frame(line: &str) -> Option<Frame> {
    let rest = line.trim_end().strip_prefix(' ')?.trim_start().strip_prefix("at ")?;
    let (function, place) = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((function, place)) => (function, place),
        None => ("", rest.strip_prefix("async ").unwrap_or(rest)),
    };
    let (before_column, column) = place.rsplit_once(':')?;
    let (path, line) = before_column.rsplit_once(':')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let path = path.strip_prefix("file://").unwrap_or(path);
    (digits(line) && digits(column)).then(|| Frame {
        path: path.into(),
        line: line.into(),
        function: function.strip_prefix("async ").unwrap_or(function).into(),
        code: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        note(&text.lines().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn finds_own_frame_in_python_traceback() {
        let text = "starting\nTraceback (most recent call last):\n  File \"/srv/main.py\", line 3, in <module>\n    run()\n  \
            File \"/srv/agent.py\", line 42, in handle\n    order = fetch(7)\n            ^^^^^^^^\n  \
            File \"/venv/lib/python3.11/site-packages/httpx/_api.py\", line 195, in get\n    return request(\n  \
            File \"<frozen runpy>\", line 198, in _run\nhttpx.ConnectError: refused\n";
        assert_eq!(of(text).unwrap(), "the agent's own code: /srv/agent.py:42 in handle: order = fetch(7)");
    }

    #[test]
    fn ignores_traceback_that_ends_in_own_code() {
        assert_eq!(
            of("Traceback (most recent call last):\n  File \"agent.py\", line 1, in <module>\n    1/0\nError\n"),
            None
        );
        assert_eq!(of("TypeError: x\n    at handle (/srv/agent.mjs:42:7)\n    at node:internal/main:1:1\n"), None);
        assert_eq!(of("all is well\nFile \"agent.py\", line 1\n"), None);
        let library =
            "Traceback (most recent call last):\n  File \"/usr/lib/python3.11/json/x.py\", line 1, in loads\nError\n";
        assert_eq!(of(library), None);
    }

    #[test]
    fn parses_exception_groups_and_chains() {
        let text = "  + Exception Group Traceback (most recent call last):\n  |   File \"/srv/agent.py\", line 9, in main\n  \
            |     async with group:\n  |   File \"/v/site-packages/anyio/x.py\", line 1, in __aexit__\n  |     raise\n\n\
            During handling of the above exception, another exception occurred:\n\n\
            Traceback (most recent call last):\n  File \"/v/site-packages/anyio/y.py\", line 2, in run\n";
        assert_eq!(of(text).unwrap(), "the agent's own code: /srv/agent.py:9 in main: async with group:");
    }

    #[test]
    fn finds_own_frame_in_node_stack() {
        let text = "APIError: 404\n    at OpenAI.makeRequest (/a/node_modules/openai/client.js:314:30)\n    \
            at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n    \
            at async answer (file:///a/agent.mjs:12:20)\n    at async file:///a/agent.mjs:30:1\n";
        assert_eq!(of(text).unwrap(), "the agent's own code: /a/agent.mjs:12 in answer");
    }
}
