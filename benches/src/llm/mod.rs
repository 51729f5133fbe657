//! The scripted model beside a bare server that sends the same bytes, with few rules and many, and its pace with many readers.

mod client;
mod server;
mod streams;

use std::error::Error;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::measure::median;
use client::{Client, percentile};
use server::Server;

/// How many requests make a round.
const REQUESTS: usize = 4_000;
const RULES: [usize; 3] = [1, 1_000, 10_000];

/// A row: requests with a script of so many rules.
#[derive(Debug)]
struct Row {
    name: String,
    per_cpu_second: f64,
    floor_per_cpu_second: f64,
    cpu_ratio: f64,
    p99_us: f64,
    floor_p99_us: f64,
}

/// Measures and prints; the rows for the file come back.
pub(crate) fn measure(rounds: usize) -> Result<Vec<Value>, Box<dyn Error>> {
    println!(
        "\n{:<28} {:>11} {:>11} {:>8} {:>9} {:>9}",
        "scripted model", "req/cpu-s", "bare", "cpu", "p99 us", "bare p99"
    );
    let mut values = Vec::new();
    for stream in [false, true] {
        for rules in RULES {
            let row = requests(rounds, rules, stream)?;
            println!(
                "{:<28} {:>11.0} {:>11.0} {:>7.2}x {:>9.0} {:>9.0}",
                row.name, row.per_cpu_second, row.floor_per_cpu_second, row.cpu_ratio, row.p99_us, row.floor_p99_us
            );
            values.push(json!({
                "name": row.name, "requests_per_cpu_second": row.per_cpu_second,
                "floor_requests_per_cpu_second": row.floor_per_cpu_second, "cpu_ratio": row.cpu_ratio,
                "p99_us": row.p99_us, "floor_p99_us": row.floor_p99_us, "rounds": rounds,
            }));
        }
    }
    let late = streams::measure()?;
    println!(
        "{:<28} {} tokens, lateness p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms",
        "1,000 streams, 50 ms apart", late.tokens, late.p50_ms, late.p99_ms, late.most_ms
    );
    values.push(json!({
        "name": "1,000 streams, 50 ms apart", "tokens": late.tokens, "late_p50_ms": late.p50_ms,
        "late_p99_ms": late.p99_ms, "late_most_ms": late.most_ms,
    }));
    Ok(values)
}

/// A script in which the last rule is the one that fits.
fn script(rules: usize) -> Result<String, std::fmt::Error> {
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

fn requests(rounds: usize, rules: usize, stream: bool) -> Result<Row, Box<dyn Error>> {
    let body = json!({
        "model": "gpt-4o", "stream": stream,
        "messages": [
            { "role": "system", "content": "You help the customers of a shop that sells all kinds of things." },
            { "role": "user", "content": "Please, I should like to have a refund of order A-17, it came too late." },
        ],
    });
    let model = Server::model(&script(rules)?)?;
    let mut client = Client::connect(model.address, &body.to_string())?;
    let bare = Server::bare(client.once()?)?;
    let mut floor = Client::connect(bare.address, &body.to_string())?;
    let (mut ratios, mut ours, mut floors, mut late, mut floor_late) = (vec![], vec![], vec![], vec![], vec![]);
    for round in 0..=rounds {
        let ours_now = run(&model, &mut client)?;
        let floor_now = run(&bare, &mut floor)?;
        // The first round warms up.
        if round > 0 {
            ratios.push(floor_now.0 / ours_now.0);
            ours.push(ours_now.0);
            floors.push(floor_now.0);
            late.push(ours_now.1);
            floor_late.push(floor_now.1);
        }
    }
    Ok(Row {
        name: format!("{}, {rules} rules", if stream { "streamed" } else { "plain" }),
        per_cpu_second: median(ours),
        floor_per_cpu_second: median(floors),
        cpu_ratio: median(ratios),
        p99_us: median(late),
        floor_p99_us: median(floor_late),
    })
}

/// Requests per CPU second of the server's thread, and the 99th percentile of their time in microseconds.
fn run(server: &Server, client: &mut Client) -> Result<(f64, f64), Box<dyn Error>> {
    let before = server.cpu()?;
    let times = client.many(REQUESTS)?;
    let cpu = server.cpu()?.saturating_sub(before);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let per_second = times.len() as f64 / cpu.as_secs_f64();
    Ok((per_second, percentile(times, 99)))
}
