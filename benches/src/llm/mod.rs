//! The scripted model compared with a bare server that sends the same bytes, with few rules and many, and its pace with
//! many readers.

mod client;
mod server;
mod streams;

use std::error::Error;
use std::fmt::Write as _;

use serde_json::json;

use crate::row::{Bar, Row};
use crate::{Measured, Setting};
pub(crate) use client::Client;
pub(crate) use server::Server;

use client::percentile;

/// The number of requests of a round.
const REQUESTS: usize = 4_000;
const RULES: [usize; 3] = [1, 1_000, 10_000];
/// On the slowest processor so far; `instructions` finds out whether a request became slower.
const BAR: f64 = 2.2;

pub(crate) fn measure(setting: &Setting) -> Measured {
    let mut rows = Vec::new();
    for stream in [false, true] {
        for rules in RULES {
            rows.extend(requests(setting, rules, stream)?);
        }
    }
    rows.extend(streams::measure(setting)?);
    Ok(rows)
}

/// A script whose last rule matches.
pub(crate) fn script(rules: usize) -> Result<String, std::fmt::Error> {
    let mut text = String::from("rules:\n");
    for rule in 1..rules {
        writeln!(
            text,
            "- when: {{ user: order number {rule} of the customer }}\n  reply: It is on its way, number {rule}."
        )?;
    }
    text.push_str("- when: { user: refund of order A-17 }\n");
    text.push_str(
        "  reply: The order A-17 was found and twenty euros of it were refunded to the card that was used.\n",
    );
    Ok(text)
}

/// A request that the last rule matches.
pub(crate) fn body(stream: bool) -> String {
    let body = json!({
        "model": "gpt-4o", "stream": stream,
        "messages": [
            { "role": "system", "content": "You help the customers of a shop that sells all kinds of things." },
            { "role": "user", "content": "Please, I should like to have a refund of order A-17, it came too late." },
        ],
    });
    body.to_string()
}

/// The CPU time of the server's thread per request, and the latency of the slowest percent.
fn requests(setting: &Setting, rules: usize, stream: bool) -> Result<[Row; 2], Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (model_script, answer) = (folder.path().join("model.yaml"), folder.path().join("answer"));
    std::fs::write(&model_script, script(rules)?)?;
    let model = Server::model(setting, &model_script)?;
    let mut client = Client::connect(model.address, &body(stream))?;
    std::fs::write(&answer, client.once()?)?;
    let bare = Server::bare(setting, &answer)?;
    let mut floor = Client::connect(bare.address, &body(stream))?;
    let (mut costs, mut waits) = (Vec::new(), Vec::new());
    for round in 0..=setting.rounds {
        let ours = run(&model, &mut client)?;
        let bare = run(&bare, &mut floor)?;
        // The first round is a warm-up.
        if round > 0 {
            costs.push((ours.0, bare.0));
            waits.push((ours.1, bare.1));
        }
    }
    let name = format!("llm {}, {rules} rules", if stream { "streamed" } else { "plain" });
    Ok([
        Row::compared(format!("{name}: cpu"), "us", &costs, Some(Bar::Ratio(BAR))),
        Row::compared(format!("{name}: p99"), "us", &waits, None),
    ])
}

/// The CPU time of the server's thread per request, and the 99th percentile of the latencies, in microseconds.
fn run(server: &Server, client: &mut Client) -> Result<(f64, f64), Box<dyn Error>> {
    let before = server.cpu()?;
    let times = client.many(REQUESTS)?;
    let cpu = server.cpu()?.saturating_sub(before);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let each = cpu.as_secs_f64() * 1e6 / times.len() as f64;
    Ok((each, percentile(times, 99)))
}
