//! The built-in embedder from outside: every line of the input is a text, as a JSON string, and gives a line of JSON.
//!
//! ```sh
//! echo '"Your refund is on its way."' | cargo run -p agentci-embed --example embed
//! ```
//!
//! prints `{"ids":[101,2115,...],"vector":[0.0123,...]}`; with the argument `ids` the vector is left out, which is quicker.

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
