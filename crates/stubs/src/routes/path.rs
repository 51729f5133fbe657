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
    fn a_tool_is_its_path_with_at_most_one_slash_at_the_end() {
        for (path, name) in [
            ("paySlips", "paySlips"),
            ("paySlips/", "paySlips"),
            ("paySlips//", "paySlips/"),
            ("pay%20slips", "pay slips"),
            ("v1/pay", "v1/pay"),
            ("100%", "100%"),
            ("a%zzb%4", "a%zzb%4"),
            ("%ff", "\u{fffd}"),
            ("a+b", "a+b"),
        ] {
            assert_eq!(tool(path), name, "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_name_survives_a_path(name in ".{0,20}") {
            let written = percent_encoded(&name);
            prop_assert!(written.is_ascii() && !written.contains(['/', '?', '#', ' ']));
            prop_assert_eq!(percent_decoded(&written), name);
        }
    }
}
