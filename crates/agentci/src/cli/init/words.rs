//! Splits a command line into words, and quotes words for YAML.

use std::fmt::Write as _;

use agentci::source::yaml::quoted;

/// Characters that only a shell interprets.
const SHELL: [char; 13] = ['|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', '#'];

/// Variables that a suite expands in a command. Shell variables have no dot in their names.
const OWN: [&str; 2] = ["INPUT", "PORT"];
const OWN_PARTS: [&str; 3] = ["INPUT.", "ENV.", "MODEL."];

/// The words of a command line, as written in a suite: `${INPUT}` and other suite variables stay as they are, and any
/// other `${` becomes `$${`. A line with shell syntax becomes a script for a shell, which gets the variables as
/// arguments, so that their values are never part of the script.
pub(super) fn split(line: &str) -> Result<Vec<String>, &'static str> {
    let first = line.split_ascii_whitespace().next().ok_or("the command is empty")?;
    if line.chars().any(|letter| letter.is_control() && letter != '\t') {
        return Err("the command contains control characters");
    }
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut shell = first.contains('=') || line.starts_with('~') || line.contains(" ~");
    let mut letters = line.chars();
    let mut script = ShellScript::default();
    loop {
        let rest = letters.as_str();
        if let Some(variable) = variable(rest) {
            word.get_or_insert_default().push_str(variable);
            script.give(variable, quote);
            letters = rest[variable.len()..].chars();
            continue;
        }
        let Some(letter) = letters.next() else { break };
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => push(word.get_or_insert_default(), letter),
            // In double quotes, a backslash is literal before most characters.
            (Some(_), '\\') => {
                let next = letters.next().ok_or("the command ends with a backslash")?;
                let word = word.get_or_insert_default();
                if !"$`\"\\".contains(next) {
                    word.push('\\');
                }
                push(word, next);
            }
            (None, '\\') => {
                let next = letters.next().ok_or("the command ends with a backslash")?;
                push(word.get_or_insert_default(), next);
            }
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (None, _) if letter.is_ascii_whitespace() => words.extend(word.take()),
            _ => {
                shell |= SHELL.contains(&letter) && (quote.is_none() || "$`".contains(letter));
                push(word.get_or_insert_default(), letter);
            }
        }
        let taken = rest.len() - letters.as_str().len();
        script.text.push_str(&rest[..taken]);
    }
    if quote.is_some() {
        return Err("a quote in the command is not closed");
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err("the command does not name a program");
    }
    Ok(if shell { script.words() } else { words })
}

/// Whether a word contains the user's message.
pub(super) fn asks(word: &str) -> bool {
    word.match_indices("${INPUT").any(|(at, _)| !word[..at].ends_with('$') && variable(&word[at..]).is_some())
}

/// The suite variable that a text starts with.
fn variable(text: &str) -> Option<&str> {
    let end = text.strip_prefix("${")?.find('}')? + 3;
    let name = &text[2..end - 1];
    let plain =
        |part: &str| !part.is_empty() && part.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
    let is_part = OWN_PARTS.iter().any(|start| name.strip_prefix(start).is_some_and(plain));
    (OWN.contains(&name) || is_part).then(|| &text[..end])
}

/// Adds a literal character; escapes it where it would start a suite variable.
fn push(word: &mut String, letter: char) {
    if letter == '{' && word.ends_with('$') {
        word.push('$');
    }
    word.push(letter);
}

/// The script and the arguments for a shell.
#[derive(Default)]
struct ShellScript {
    text: String,
    variables: Vec<String>,
}

impl ShellScript {
    /// Replaces a variable within this kind of quotes with a reference to its argument.
    fn give(&mut self, variable: &str, quote: Option<char>) {
        let known = self.variables.iter().position(|known| known == variable);
        let number = known.unwrap_or(self.variables.len()) + 1;
        if known.is_none() {
            self.variables.push(variable.to_owned());
        }
        let _ = match quote {
            None => write!(self.text, "\"${{{number}}}\""),
            Some('\'') => write!(self.text, "'\"${{{number}}}\"'"),
            Some(_) => write!(self.text, "${{{number}}}"),
        };
    }

    fn words(self) -> Vec<String> {
        let script = self.text.trim().replace("${", "$${");
        let name = if self.variables.is_empty() { None } else { Some("sh".to_owned()) };
        ["sh".to_owned(), "-c".to_owned(), script].into_iter().chain(name).chain(self.variables).collect()
    }
}

/// A string as written in YAML, also within a list.
pub(super) fn in_yaml(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:".contains(letter);
    // `no`, `null` and numbers would not be strings, and a single dash would be a list.
    let word = text.len() > 4 || text.contains(['/', '.']) || matches!(text, "sh" | "-c" | "npx" | "uv" | "node");
    let path = ["./", "../", "/"].iter().any(|start| text.starts_with(start)) || [".", "..", "-c"].contains(&text);
    let begins = path || text.starts_with(|first: char| first.is_ascii_alphabetic());
    if begins && word && text.chars().all(plain) && !text.eq_ignore_ascii_case("false") && !text.ends_with(':') {
        return text.to_owned();
    }
    quoted(text)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use agentci::formats;
    use agentci::plan::{Target, Text};
    use agentci::source::MemoryFiles;
    use proptest::prelude::*;

    use super::*;

    fn variable_within(word: &str) -> bool {
        word.match_indices('$').any(|(at, _)| variable(&word[at..]).is_some())
    }

    proptest! {
        #[test]
        fn quoted_words_round_trip_through_split(words in prop::collection::vec("[^\\p{C}=~]{0,9}", 1..5)) {
            prop_assume!(!words[0].is_empty());
            let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
            let line = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
            prop_assume!(!words.iter().any(|word| asks(word) || variable_within(word)));
            let words: Vec<String> = words.iter().map(|word| word.replace("${", "$${")).collect();
            prop_assert_eq!(split(&line).unwrap(), words);
        }

        #[test]
        fn any_word_round_trips_through_suite_yaml(word in "\\PC{1,12}") {
            prop_assume!(!word.contains("${") && !word.trim().is_empty());
            let command = in_yaml(&word);
            let text = format!(
                "suite: s\ntarget: {{ process: {{ command: [{command}] }} }}\ncases: [{{ id: a, input: {{}} }}]\n"
            );
            let files = MemoryFiles::default().with("agentci.yaml", text);
            let loaded = formats::load(&files, &[PathBuf::from("agentci.yaml")]);
            prop_assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
            let Target::Process(target) = &*loaded.plan.suites[0].cases[0].target else { panic!("another target") };
            prop_assert_eq!(&target.command[0].text, &Text::Literal(word));
        }
    }

    #[test]
    fn splits_command_like_a_shell() {
        for (line, words) in [
            ("python3 agent.py", &["python3", "agent.py"][..]),
            ("  a  'b c'\t\"d 'e'\" f\\ g ", &["a", "b c", "d 'e'", "f g"]),
            ("a '' \"x\\\"y\" 'z\\'", &["a", "", "x\"y", "z\\"]),
            ("a 'x|y' \"(z)\"", &["a", "x|y", "(z)"]),
            ("a \"\\d+ \\\\ \\$\"", &["a", "\\d+ \\ $"]),
            ("a data?.json", &["sh", "-c", "a data?.json"]),
            ("cd x && ./run", &["sh", "-c", "cd x && ./run"]),
            ("KEY=1 ./run", &["sh", "-c", "KEY=1 ./run"]),
            ("echo \"$HOME\"", &["sh", "-c", "echo \"$HOME\""]),
            ("~/bin/agent", &["sh", "-c", "~/bin/agent"]),
            ("a ${INPUT} '${INPUT}' \"x ${INPUT.q}\"", &["a", "${INPUT}", "${INPUT}", "x ${INPUT.q}"]),
            ("a --port=${PORT} ${ENV.HOME}", &["a", "--port=${PORT}", "${ENV.HOME}"]),
            ("a '${X}' \\${INPUT} '$' '{}'", &["a", "$${X}", "$${INPUT}", "$", "{}"]),
            ("a \"${X}\"", &["sh", "-c", "a \"$${X}\""]),
            (
                "cd x && ./run ${INPUT} \"q: ${INPUT}\" 'is ${INPUT.b}'",
                &["sh", "-c", "cd x && ./run \"$${1}\" \"q: $${1}\" 'is '\"$${2}\"''", "sh", "${INPUT}", "${INPUT.b}"],
            ),
            ("a ${INPUTS} '${INPUT' '${INPUT.}'", &["sh", "-c", "a $${INPUTS} '$${INPUT' '$${INPUT.}'"]),
        ] {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
        for line in ["", "  ", "''", "a 'b", "a \"b", "a \\", "a\u{1b}[2J"] {
            assert!(split(line).is_err(), "{line:?}");
        }
    }

    #[test]
    fn quotes_words_that_yaml_would_not_parse_as_strings() {
        for (text, written) in [
            ("python3", "python3"),
            ("../agent.py", "../agent.py"),
            ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/"),
            ("http://[::1]/", "\"http://[::1]/\""),
            ("agent:", "\"agent:\""),
            ("..", ".."),
            ("../..", "../.."),
            (".5", "\".5\""),
            ("no", "\"no\""),
            ("null", "\"null\""),
            ("False", "\"False\""),
            ("1.5", "\"1.5\""),
            ("a: b", "\"a: b\""),
            ("--x", "\"--x\""),
            ("a\"b", "\"a\\\"b\""),
        ] {
            assert_eq!(in_yaml(text), written);
        }
    }
}
