//! A command line taken apart, and words put into YAML.

/// What a shell would do something with that we do not.
const SHELL: [char; 13] = ['|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', '#'];

/// The words of a command line. What only a shell understands is left to a shell.
pub(super) fn split(line: &str) -> Result<Vec<String>, &'static str> {
    let first = line.split_ascii_whitespace().next().ok_or("the command is empty")?;
    if line.chars().any(|letter| letter.is_control() && letter != '\t') {
        return Err("the command has characters that can not be typed");
    }
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut shell = first.contains('=') || line.starts_with('~') || line.contains(" ~");
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(letter),
            // Within double quotes it stands for itself before most letters.
            (Some(_), '\\') => {
                let next = letters.next().ok_or("the command ends within a word")?;
                let word = word.get_or_insert_default();
                if !"$`\"\\".contains(next) {
                    word.push('\\');
                }
                word.push(next);
            }
            (None, '\\') => word.get_or_insert_default().push(letters.next().ok_or("the command ends within a word")?),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (None, _) if letter.is_ascii_whitespace() => words.extend(word.take()),
            _ => {
                shell |= SHELL.contains(&letter) && (quote.is_none() || "$`".contains(letter));
                word.get_or_insert_default().push(letter);
            }
        }
    }
    if quote.is_some() {
        return Err("a quotation mark in the command is not closed");
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err("the command names no program");
    }
    Ok(if shell { vec!["sh".into(), "-c".into(), line.trim().into()] } else { words })
}

/// A text as YAML has it, also within a list.
pub(super) fn in_yaml(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:".contains(letter);
    // `no`, `null` and numbers would be something else, and a dash alone a list.
    let word = text.len() > 4 || text.contains(['/', '.']) || matches!(text, "sh" | "-c" | "npx" | "uv" | "node");
    let path = ["./", "../", "/"].iter().any(|start| text.starts_with(start)) || [".", "..", "-c"].contains(&text);
    let begins = path || text.starts_with(|first: char| first.is_ascii_alphabetic());
    if begins && word && text.chars().all(plain) && !text.eq_ignore_ascii_case("false") && !text.ends_with(':') {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use agentci::formats;
    use agentci::plan::{Target, Text};
    use agentci::source::MemoryFiles;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_words_are_found_again(words in prop::collection::vec("[^\\p{C}=~]{0,9}", 1..5)) {
            prop_assume!(!words[0].is_empty());
            let quoted = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
            let line = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&line).unwrap(), words);
        }

        #[test]
        fn any_word_survives_a_suite(word in "\\PC{1,12}") {
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
    fn a_command_is_taken_apart_as_a_shell_would() {
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
        ] {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
        for line in ["", "  ", "''", "a 'b", "a \"b", "a \\", "a\u{1b}[2J"] {
            assert!(split(line).is_err(), "{line:?}");
        }
    }

    #[test]
    fn words_stay_texts_in_yaml() {
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
