//! Finds secrets in the arguments of a command: `--api-key VALUE`, `--api-key=VALUE`, `API_KEY=VALUE`.

use std::ops::Range;

use super::keys::secret_argument;

/// The places of secrets in the arguments of a command: the position of the argument, and the range within it.
pub(super) fn secrets<S: AsRef<str>>(arguments: &[S]) -> Vec<(usize, Range<usize>)> {
    let mut found = Vec::new();
    for (position, argument) in arguments.iter().enumerate() {
        let argument = argument.as_ref();
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument, None),
        };
        // A word without dashes is a name only if a value follows in the same argument.
        if (inline.is_none() && !name.starts_with('-')) || !secret_argument(name.trim_start_matches('-')) {
            continue;
        }
        let (at, value) = match inline {
            Some(value) => (position, value),
            None => match arguments.get(position + 1) {
                Some(next) => (position + 1, next.as_ref()),
                None => continue,
            },
        };
        if is_secret(value) {
            let end = arguments.get(at).map_or(0, |argument| argument.as_ref().len());
            found.push((at, end - value.len()..end));
        }
    }
    found
}

/// Flags, unfilled variables and paths are not secret.
fn is_secret(value: &str) -> bool {
    !value.is_empty() && !["-", "${", "/", "./", "../", "~"].iter().any(|start| value.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<String> {
        let arguments: Vec<&str> = line.split(' ').collect();
        secrets(&arguments).into_iter().map(|(at, range)| arguments[at][range].to_owned()).collect()
    }

    #[test]
    fn values_of_secret_flags_are_redacted() {
        for line in [
            "agent --api-key s3cret",
            "agent --api-key=s3cret",
            "agent -token s3cret --verbose",
            "env OPENAI_API_KEY=s3cret agent",
            "agent --db.password s3cret",
            "agent --clientSecret s3cret",
        ] {
            assert_eq!(found(line), ["s3cret"], "{line}");
        }
    }

    #[test]
    fn other_values_are_not_redacted() {
        for line in [
            "agent --token-limit 4000",
            "agent --no-password agent.py",
            "agent --use-token agent.py",
            "agent --auth basic",
            "agent --api-key --verbose",
            "agent --api-key ${ENV.KEY}",
            "agent --token-file tokens.txt",
            "agent --password /run/secrets/password",
            "agent --author somebody",
            "agent password",
            "agent --api-key",
        ] {
            assert_eq!(found(line), [""; 0], "{line}");
        }
    }
}
