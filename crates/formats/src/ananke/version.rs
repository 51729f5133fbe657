//! `version`: the version of the format that a file uses.

use agentci_source::shape::{Field, Kind, required};
use agentci_source::{Diagnostics, Node, Reader, Span, read};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FormatVersion {
    major: u32,
    minor: u32,
}

impl FormatVersion {
    /// The first version with AG-UI.
    pub(super) const AGUI: FormatVersion = FormatVersion { major: 1, minor: 0 };
    /// The first version with A2A.
    pub(super) const A2A: FormatVersion = FormatVersion { major: 1, minor: 1 };
    /// The first version with MCP.
    pub(super) const MCP: FormatVersion = FormatVersion { major: 1, minor: 2 };

    const NEWEST: FormatVersion = FormatVersion::MCP;
    const KNOWN: [FormatVersion; 3] = [FormatVersion::AGUI, FormatVersion::A2A, FormatVersion::MCP];

    fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        let part = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        Some(Self { major: part(major)?, minor: part(minor)? })
    }
}

impl std::fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The key of every file.
pub(super) static VERSION: &[Field] =
    &[required("version", Kind::Version(&["1.0", "1.1", "1.2"]), "The version of the format that the file needs.")];

/// Reads the version of a file; `None` if it is missing, invalid or not supported. It need not be quoted.
pub(super) fn version(fields: &mut Reader<'_, '_>) -> Option<FormatVersion> {
    fields.required("version", |node, _, problems| read_version(node, problems))
}

fn read_version(node: &Node, problems: &mut Diagnostics) -> Option<FormatVersion> {
    let Some(version) = node.scalar().and_then(|scalar| FormatVersion::parse(&scalar.text)) else {
        problems
            .mismatch(node, "`version` must be MAJOR.MINOR", "expected two integers separated by a dot")
            .help(format!("write `version: \"{}\"`", FormatVersion::AGUI));
        return None;
    };
    if version.major != FormatVersion::NEWEST.major {
        let known = FormatVersion::KNOWN.map(|version| version.to_string());
        let help = format!("supported versions are {}", read::quoted_list(&known));
        problems.error(node.span, format!("version {version} is not supported"), "unknown major version").help(help);
        return None;
    }
    if version > FormatVersion::NEWEST {
        let message = format!("version {version} is not supported; the newest is {}", FormatVersion::NEWEST);
        let help = format!("write `version: \"{}\"`, or use a newer agentci", FormatVersion::NEWEST);
        problems.error(node.span, message, "newer than this agentci").help(help);
        return None;
    }
    Some(version)
}

/// Reports a feature that needs a later version than the file's.
pub(super) fn needs(
    what: &str,
    needed: FormatVersion,
    found: Option<FormatVersion>,
    span: Span,
    problems: &mut Diagnostics,
) {
    let Some(found) = found.filter(|found| *found < needed) else { return };
    let message = format!("{what} needs version {needed}, but the file has {found}");
    let help = format!("write `version: \"{needed}\"` at the top of the file");
    problems.error(span, message, format!("available since version {needed}")).help(help);
}

#[cfg(test)]
mod tests {
    use agentci_source::shape::Shape;

    use super::*;
    use crate::ananke::testing::{messages, node};

    static SHAPE: Shape = Shape::new("the test", "", VERSION);

    fn parsed(text: &str) -> (Option<FormatVersion>, Vec<String>) {
        let mut problems = Diagnostics::default();
        let root = node(&format!("version: {text}\n"));
        let mut fields = SHAPE.reader(&root, &mut problems).unwrap();
        let version = version(&mut fields);
        (version, messages(&problems))
    }

    #[test]
    fn every_known_version_is_declared() {
        let Kind::Version(words) = VERSION[0].kind else { panic!("not a version") };
        assert_eq!(words, FormatVersion::KNOWN.map(|version| version.to_string()));
    }

    #[test]
    fn reads_versions_written_as_number_or_string() {
        for (text, minor) in [("1.0", 0), ("'1.1'", 1), ("\"1.2\"", 2)] {
            assert_eq!(parsed(text), (Some(FormatVersion { major: 1, minor }), vec![]), "{text}");
        }
    }

    #[test]
    fn refuses_unsupported_versions() {
        for (text, message) in [
            ("1.10", "version 1.10 is not supported; the newest is 1.2"),
            ("1.3", "version 1.3 is not supported; the newest is 1.2"),
            ("2.0", "version 2.0 is not supported"),
            ("0.9", "version 0.9 is not supported"),
            ("1", "`version` must be MAJOR.MINOR, found the number 1"),
            ("1.0.0", "`version` must be MAJOR.MINOR, found the string `1.0.0`"),
            ("+1.0", "`version` must be MAJOR.MINOR, found the number +1.0"),
            ("1.99999999999", "`version` must be MAJOR.MINOR, found the number 1.99999999999"),
            ("[1, 0]", "`version` must be MAJOR.MINOR, found a list"),
            ("", "`version` has no value"),
        ] {
            assert_eq!(parsed(text), (None, vec![message.to_owned()]), "{text}");
        }
    }
}
