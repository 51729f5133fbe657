//! Prints what `agentci` costs beside the floor of each thing it does, as ratios measured in one run.
#![expect(clippy::print_stdout, reason = "a bench is there to print")]

mod agui;
mod llm;
mod measure;
mod process;
mod scripts;

use std::error::Error;

use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = std::env::args().nth(1).map_or(Ok(9), |rounds| rounds.parse())?;
    let only = std::env::args().nth(2);
    let wanted = |name| only.as_deref().is_none_or(|only| only == name);
    let mut results = Vec::new();
    if wanted("process") {
        results.extend([process::measure(rounds, 1)?, process::measure(rounds, 2)?]);
    }
    if wanted("agui") {
        results.extend([agui::measure(rounds, 0)?, agui::measure(rounds, 50)?]);
    }
    if wanted("scripts") {
        results.push(scripts::measure(rounds)?);
    }
    println!("{:<28} {:>10} {:>10} {:>9} {:>9}", "bench", "agentci ms", "floor ms", "wall", "cpu");
    for result in &results {
        println!(
            "{:<28} {:>10.1} {:>10.1} {:>8.2}x {:>8.2}x",
            result.name, result.wall_ms, result.floor_wall_ms, result.wall_ratio, result.cpu_ratio
        );
    }
    let mut rows: Vec<_> = results
        .iter()
        .map(|result| {
            json!({
                "name": result.name, "wall_ms": result.wall_ms, "floor_wall_ms": result.floor_wall_ms,
                "wall_ratio": result.wall_ratio, "cpu_ratio": result.cpu_ratio, "rounds": rounds,
            })
        })
        .collect();
    if wanted("llm") {
        rows.extend(llm::measure(rounds)?);
    }
    std::fs::write("target/bench.json", format!("{:#}\n", serde_json::Value::from(rows)))?;
    Ok(())
}
