//! Reads the time zone of a session from its own file: a database of all zones opens every one of them first, which
//! takes longer than the rest of the start of a session.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use jiff::tz::TimeZone;

use crate::{Circumstances, Roots};

/// Where systems keep their time zone files.
const FOLDERS: [&str; 3] = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"];
/// A link to the time zone file of this machine.
const LOCAL: &str = "/etc/localtime";
/// The part of a path before the name of a zone.
const BEFORE: &str = "/zoneinfo/";
/// Maximum number of bytes read from a zone file; the largest has 4 KB.
const LARGEST_ZONE: u64 = 1 << 20;

pub(crate) fn named(name: &str) -> Option<TimeZone> {
    of_file(name).or_else(|| TimeZone::get(name).ok())
}

/// The zone of this process: from `TZ`, or else that of this machine.
pub(crate) fn here() -> TimeZone {
    let variable = std::env::var("TZ").unwrap_or_default();
    let name = if variable.is_empty() {
        let target = std::fs::read_link(LOCAL).ok();
        target.as_deref().and_then(Path::to_str).and_then(|path| Some(path.rsplit_once(BEFORE)?.1.to_owned()))
    } else {
        // The value may also be a rule or a path.
        Some(variable.strip_prefix(':').unwrap_or(&variable).to_owned())
    };
    name.and_then(|name| of_file(&name)).unwrap_or_else(TimeZone::system)
}

impl Circumstances {
    /// The circumstances of this machine at this Unix time in milliseconds.
    pub fn here(now_ms: u64, roots: Roots) -> Self {
        Self::in_zone(&here(), now_ms, roots)
    }

    pub(crate) fn in_zone(zone: &TimeZone, now_ms: u64, roots: Roots) -> Self {
        let at = i64::try_from(now_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let offset_s = at.map_or(0, |at| zone.to_offset(at).seconds());
        Self { now_ms, zone: zone.iana_name().map(str::to_owned), offset_s, roots }
    }
}

fn of_file(name: &str) -> Option<TimeZone> {
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+".contains(&byte))
    };
    if !name.split('/').all(plain) {
        return None;
    }
    FOLDERS.iter().find_map(|folder| {
        let mut bytes = Vec::new();
        File::open(Path::new(folder).join(name)).ok()?.take(LARGEST_ZONE).read_to_end(&mut bytes).ok()?;
        TimeZone::tzif(name, &bytes).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zone_from_file_matches_the_database() {
        let now = jiff::Timestamp::now();
        for name in ["Europe/Berlin", "Asia/Tokyo", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC"] {
            let Ok(known) = TimeZone::get(name) else { continue };
            let read = named(name).unwrap();
            assert_eq!((read.iana_name(), read.to_offset(now)), (Some(name), known.to_offset(now)), "{name}");
        }
        assert_eq!(here().to_offset(now), TimeZone::system().to_offset(now));
    }

    #[test]
    fn refuses_names_outside_the_zone_directory() {
        for name in
            ["", "../../../etc/localtime", "/etc/localtime", "Europe//Berlin", "Europe/..", "No/Where", "Europe"]
        {
            assert!(of_file(name).is_none(), "{name}");
        }
    }
}
