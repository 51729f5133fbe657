//! Patterns: `/body/flags` as in JavaScript, anything else is the pattern itself.

const FLAGS: &str = "gimsuy";

/// The pattern as the checks read it, with its flags at its beginning. `g` and `u` change nothing in a search; `y` binds it to the
/// beginning of the text.
pub(super) fn pattern(written: &str) -> String {
    let Some((body, flags)) = split(written) else { return written.to_owned() };
    let inline: String = ['i', 'm', 's'].into_iter().filter(|flag| flags.contains(*flag)).collect();
    let inline = if inline.is_empty() { inline } else { format!("(?{inline})") };
    if flags.contains('y') { format!("{inline}\\A(?:{body})") } else { format!("{inline}{body}") }
}

fn split(written: &str) -> Option<(&str, &str)> {
    let (body, flags) = written.strip_prefix('/')?.rsplit_once('/')?;
    (!body.is_empty() && flags.chars().all(|flag| FLAGS.contains(flag))).then_some((body, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_at_the_beginning() {
        for (written, read) in [
            ("error|failed", "error|failed"),
            ("/error/", "error"),
            ("/^a$/mgi", "(?im)^a$"),
            ("/a|b/y", "\\A(?:a|b)"),
            ("/a.b/suy", "(?s)\\A(?:a.b)"),
            ("/a\\/b/ii", "(?i)a\\/b"),
            ("/${NAME}/i", "(?i)${NAME}"),
            ("/usr/bin/x", "/usr/bin/x"),
            ("//", "//"),
            ("/", "/"),
            ("a/b/i", "a/b/i"),
        ] {
            assert_eq!(pattern(written), read, "{written}");
        }
    }
}
