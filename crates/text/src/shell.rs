//! Quotes words for a POSIX shell.

/// A word as it is written in a shell: in single quotes, unless every character is safe without them.
pub fn shell_quoted(word: &str) -> String {
    // zsh replaces `=name` with the path of a program.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(is_shell_safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Whether no shell gives a character a meaning of its own within a word.
pub fn is_shell_safe(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./:=@%+,".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_only_words_that_need_it() {
        assert_eq!(shell_quoted("--case=a/b.c"), "--case=a/b.c");
        for (word, quoted) in
            [("", "''"), ("=ls", "'=ls'"), ("a b", "'a b'"), ("~", "'~'"), ("$(x)", "'$(x)'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(shell_quoted(word), quoted);
        }
    }
}
