//! The arguments of the command line.

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The number of measured rounds.
    pub(crate) rounds: usize,
    /// Whether a missed bar is a failure.
    pub(crate) check: bool,
    /// Whether to print only the names.
    pub(crate) list: bool,
    /// The selected benches; empty for all.
    pub(crate) names: Vec<String>,
}

pub(crate) const USAGE: &str = "usage: benches/run [--rounds N] [--check] [--list] [BENCH...]";

impl Arguments {
    /// Parses the arguments; the names must be known.
    pub(crate) fn read(mut given: impl Iterator<Item = String>, known: &[&str]) -> Result<Self, String> {
        let mut read = Self { rounds: 9, check: false, list: false, names: Vec::new() };
        while let Some(argument) = given.next() {
            match argument.as_str() {
                "--check" => read.check = true,
                "--list" => read.list = true,
                "--rounds" => {
                    let rounds = given.next().and_then(|rounds| rounds.parse().ok()).filter(|rounds| *rounds > 0);
                    read.rounds =
                        rounds.ok_or_else(|| format!("`--rounds` must be a number greater than zero\n{USAGE}"))?;
                }
                name if known.contains(&name) => read.names.push(argument),
                other => return Err(format!("there is no bench `{other}`, only {}\n{USAGE}", known.join(", "))),
            }
        }
        Ok(read)
    }

    pub(crate) fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Arguments, String> {
        Arguments::read(text.split_whitespace().map(str::to_owned), &["start", "llm"])
    }

    #[test]
    fn names_and_flags_come_in_any_order() {
        let all = read("").unwrap();
        assert!(all.wants("start") && all.wants("llm") && all.rounds == 9 && !all.check);
        let some = read("llm --rounds 3 --check").unwrap();
        assert!(!some.wants("start") && some.wants("llm") && some.rounds == 3 && some.check);
    }

    #[test]
    fn what_is_unknown_is_refused() {
        assert!(read("starts").unwrap_err().contains("`starts`, only start, llm"));
        assert!(read("--rounds").is_err() && read("--rounds 0").is_err() && read("--rounds many").is_err());
    }
}
