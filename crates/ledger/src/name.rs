//! Turns the name of a suite into a folder name.
//!
//! ```text
//! refunds      ->  refunds
//! ../../etc    ->  _etc-cb7d5d3f
//! ```

use agentci_text::fnv1a_32;

/// The maximum length of a folder name, in bytes.
const LIMIT: usize = 100;

/// A name that is not a path, not hidden, and valid on common file systems. A name that had to be changed ends in a
/// hash of the original, so that different names stay different.
pub fn safe_name(suite: &str) -> String {
    let mut safe = String::with_capacity(suite.len());
    for character in suite.chars() {
        let leading_dot = character == '.' && matches!(safe.as_str(), "" | "_");
        if leading_dot || refused(character) {
            if !safe.ends_with('_') {
                safe.push('_');
            }
        } else {
            safe.push(character);
        }
    }
    if safe == suite && !safe.is_empty() && safe.len() <= LIMIT {
        return safe;
    }
    let fingerprint = format!("-{:08x}", fnv1a_32(suite.as_bytes()));
    safe.truncate(safe.floor_char_boundary(LIMIT - fingerprint.len()));
    if safe.is_empty() {
        safe.push('_');
    }
    safe + &fingerprint
}

fn refused(character: char) -> bool {
    character.is_control() || matches!(character, '/' | '\\' | '<' | '>' | ':' | '"' | '|' | '?' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_plain_names_unchanged() {
        for name in ["refunds", "a.b", "größe 2", "_x", &"n".repeat(100)] {
            assert_eq!(safe_name(name), name);
        }
    }

    #[test]
    fn safe_name_never_escapes_the_folder() {
        let long = "é".repeat(300);
        for name in
            ["", ".", "..", "../../x", "/etc", "a/b", "a\\b", ".hidden", "_./..", "c:\0d\n", "a*b?<c>|\"", &long]
        {
            let safe = safe_name(name);
            assert!(!safe.starts_with('.') && safe.len() <= 100, "{name:?} became {safe:?}");
            assert!(!safe.chars().any(refused), "{name:?} became {safe:?}");
            assert_ne!(safe, name);
        }
    }

    #[test]
    fn sanitized_names_stay_unique() {
        let names = ["a/b", "a//b", "a\\b", "a:b"];
        let mut safe: Vec<String> = names.iter().map(|name| safe_name(name)).collect();
        assert!(safe.iter().all(|name| name.starts_with("a_b-")));
        safe.sort();
        safe.dedup();
        assert_eq!(safe.len(), names.len());
    }

    #[test]
    fn fingerprint_is_standard_fnv1a() {
        assert_eq!(fnv1a_32(b"foobar"), 0xbf9c_f968);
        assert_eq!(safe_name("../../etc"), "_etc-cb7d5d3f");
    }
}
