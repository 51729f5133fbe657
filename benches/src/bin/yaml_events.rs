//! The floor of reading a suite: parses the events of a YAML file with their positions, and discards them.

use std::error::Error;
use std::hint::black_box;

use libyaml_safer::{EventData, Parser};

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(std::env::args().nth(1).ok_or("which file?")?)?;
    let mut input = text.as_bytes();
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    loop {
        let event = black_box(parser.parse()?);
        if matches!(event.data, EventData::StreamEnd) {
            return Ok(());
        }
    }
}
