//! Maps paths to tool names.

use agentci_text::percent_decoded;

/// The tool that a path names; one trailing slash is ignored.
pub(super) fn tool(path: &str) -> String {
    percent_decoded(path.strip_suffix('/').unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use agentci_text::percent_encoded;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tool_name_is_path_without_one_trailing_slash() {
        for (path, name) in [
            ("paySlips", "paySlips"),
            ("paySlips/", "paySlips"),
            ("paySlips//", "paySlips/"),
            ("pay%20slips", "pay slips"),
            ("v1/pay", "v1/pay"),
            ("100%", "100%"),
            ("a%zzb%4", "a%zzb%4"),
            ("%ff", "%FF"),
            ("a+b", "a+b"),
        ] {
            assert_eq!(tool(path), name, "{path}");
        }
    }

    proptest! {
        #[test]
        fn percent_encoded_names_round_trip(name in ".{0,20}") {
            let written = percent_encoded(&name);
            prop_assert!(written.is_ascii() && !written.contains(['/', '?', '#', ' ']));
            prop_assert_eq!(percent_decoded(&written), name);
        }
    }
}
