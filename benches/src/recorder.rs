//! The recorder: replaying compared with the scripted model that answers the same request, and forwarding compared with
//! no proxy.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::llm::{self, Client, Server};
use crate::measure::median;
use crate::row::{Bar, Row};
use crate::{Measured, Setting};

/// The number of requests of a round.
const REQUESTS: usize = 800;
/// Maximum cost of a replayed request, relative to one to the scripted model.
const BAR: f64 = 2.0;
/// Maximum time that forwarding adds to a request, in milliseconds.
const ADDED: f64 = 1.0;
/// Every request has its own exchange, since a recorded answer is only given once.
const HOST: &str = "http://model.example";

pub(crate) fn measure(setting: &Setting) -> Measured {
    Ok(vec![replayed(setting)?, forwarded(setting)?])
}

/// CPU time of a replayed request, compared with one to the scripted model that gives the same answer.
fn replayed(setting: &Setting) -> Result<Row, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("model.yaml");
    std::fs::write(&script, llm::script(1)?)?;
    let model = Server::model(setting, &script)?;
    let mut floor = Client::connect(model.address, &llm::body(false))?;
    let answer = floor.once()?;
    let start = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or("the answer has no head")? + 4;
    let file = folder.path().join("recording.jsonl");
    std::fs::write(&file, recording(std::str::from_utf8(&answer[start..])?)?)?;
    let mut costs = Vec::new();
    for round in 0..=setting.rounds {
        let ours = replay(setting, &file)?;
        let before = model.cpu()?;
        floor.many(REQUESTS)?;
        let bare = each(model.cpu()?.saturating_sub(before).as_secs_f64());
        // The first round is a warm-up.
        if round > 0 {
            costs.push((ours, bare));
        }
    }
    Ok(Row::compared("recorder, a replayed request: cpu", "us", &costs, Some(Bar::Ratio(BAR))))
}

/// CPU time of a request in a separate session, in microseconds.
fn replay(setting: &Setting, file: &Path) -> Result<f64, Box<dyn Error>> {
    let mut command = setting.agentci();
    command.arg("replay").arg(file).args(["--", "sh", "-c", "echo $HTTP_PROXY; exec sleep 600"]);
    let session = Server::start(&mut command)?;
    let mut client = Client::through(session.address, HOST, &llm::body(false))?;
    let before = session.cpu()?;
    client.many(REQUESTS)?;
    Ok(each(session.cpu()?.saturating_sub(before).as_secs_f64()))
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred")]
fn each(seconds: f64) -> f64 {
    seconds * 1e6 / REQUESTS as f64
}

/// As many equal exchanges as a round has requests.
fn recording(answer: &str) -> Result<String, Box<dyn Error>> {
    let mut text =
        json!({ "v": 2, "type": "recording", "command": [], "now_ms": 0, "roots": { "cwd": "/" } }).to_string();
    text.push('\n');
    let body: serde_json::Value = serde_json::from_str(&llm::body(false))?;
    for id in 1..=REQUESTS {
        let request = json!({
            "type": "request", "id": id, "at_us": id, "to": HOST, "method": "POST", "path": "/v1/chat/completions",
            "speaks": "openai.chat", "headers": { "content-type": "application/json" }, "json": body,
        });
        let headers = json!({ "content-type": "application/json" });
        let response = json!({ "type": "response", "id": id, "at_us": id, "status": 200, "headers": headers });
        let frame = json!({ "type": "frame", "id": id, "at_us": id, "text": answer });
        let end = json!({ "type": "end", "id": id, "at_us": id, "how": "closed" });
        write!(text, "{request}\n{response}\n{frame}\n{end}\n")?;
    }
    Ok(text)
}

/// The additional time of a recorded request to a bare server, compared with a direct one.
fn forwarded(setting: &Setting) -> Result<Row, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let answer = folder.path().join("answer");
    std::fs::write(&answer, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"ok\":true}")?;
    let bare = Server::bare(setting, &answer)?;
    let mut command = setting.agentci();
    command.args(["record", "--yes", "-o"]).arg(folder.path().join("kept.jsonl"));
    command.args(["--", "sh", "-c", "echo $HTTP_PROXY; exec sleep 600"]);
    let session = Server::start(&mut command)?;
    let origin = format!("http://{}", bare.address);
    let mut direct = Client::connect(bare.address, &llm::body(false))?;
    let mut through = Client::through(session.address, &origin, &llm::body(false))?;
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..REQUESTS {
        ours.push(timed(&mut through)?);
        floor.push(timed(&mut direct)?);
    }
    let added = median(ours) - median(floor);
    Ok(Row::value("recorder, a forwarded request: added", "ms", added, Some(Bar::Value(ADDED))))
}

/// The time of one request, in milliseconds.
fn timed(client: &mut Client) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    client.once()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
