//! Writes the generated pages and schemas, and lists those that changed.

use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for file in agentci_dev::files().iter().filter(|file| file.kept() != file.text) {
        file.write()?;
        writeln!(out, "wrote docs/reference/{}", file.path)?;
    }
    Ok(())
}
