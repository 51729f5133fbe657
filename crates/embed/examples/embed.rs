//! Runs the built-in embedder: reads one text per line, as a JSON string, and prints one line of JSON for each.
//!
//! ```sh
//! echo '"Your refund is on its way."' | cargo run -p agentci-embed --example embed
//! ```
//!
//! prints `{"ids":[101,2115,...],"vector":[0.0123,...]}`; the argument `ids` leaves out the vector, which is faster.

use std::error::Error;
use std::io::{BufRead as _, BufWriter, Write as _, stdin, stdout};

use agentci_embed::Builtin;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let only_ids = std::env::args().nth(1).is_some_and(|argument| argument == "ids");
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let mut answer = json!({ "ids": Builtin.token_ids(&text)? });
        if !only_ids {
            answer["vector"] = json!(Builtin.embed(&text)?);
        }
        writeln!(out, "{answer}")?;
    }
    Ok(out.flush()?)
}
