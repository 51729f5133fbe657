//! Parses the lines and fields of a recording that do not depend on others.

use std::path::PathBuf;

use super::fields::LineFields;
use super::{CommandExit, EndKind, Header, LearnedHole, Roots};
use crate::ProviderApi;

pub(super) fn header(kind: &str, fields: &mut LineFields) -> Result<Header, String> {
    if kind != "recording" {
        return Err("this is not a recording: the first line must be of type `recording`".into());
    }
    match fields.number("v")? {
        2 => {}
        1 => return Err("this is a conversation in version 1 of the format, not the recording of a world".into()),
        version => return Err(format!("unknown version {version}; this program reads version 2")),
    }
    let mut roots = LineFields::of(fields.take("roots").ok_or("`roots` is missing")?, "roots")?;
    let header = Header {
        command: fields.texts("command")?,
        now_ms: fields.number("now_ms")?,
        zone: fields.text_if_any("zone")?,
        offset_s: fields.if_any("offset_s", "an integer")?.unwrap_or(0),
        roots: Roots {
            cwd: roots.text("cwd")?.into(),
            home: roots.text_if_any("home")?.map(PathBuf::from),
            tmp: roots.text_if_any("tmp")?.map(PathBuf::from),
        },
        keys: fields.texts("keys")?,
        absent: fields.texts("absent")?,
    };
    roots.end()?;
    Ok(header)
}

pub(super) fn api(fields: &mut LineFields) -> Result<Option<ProviderApi>, String> {
    let Some(name) = fields.text_if_any("speaks")? else { return Ok(None) };
    let unknown = || format!("unknown API `{}`", agentci_text::one_line(&name));
    ProviderApi::read(&name).map(Some).ok_or_else(unknown)
}

pub(super) fn hole(fields: &mut LineFields) -> Result<LearnedHole, String> {
    Ok(LearnedHole { speaks: api(fields)?, at: fields.text("at")?, from: fields.text("from")? })
}

pub(super) fn exit(fields: &mut LineFields) -> Result<CommandExit, String> {
    let code = fields.if_any::<Option<i32>>("code", "an integer")?.flatten();
    Ok(CommandExit { at_us: fields.number("at_us")?, code })
}

pub(super) fn how(fields: &mut LineFields) -> Result<EndKind, String> {
    Ok(match fields.text("how")?.as_str() {
        "closed" => EndKind::Closed,
        "left" => EndKind::Left,
        "broken" => EndKind::Broken(fields.text("message")?),
        "unreachable" => EndKind::Unreachable(fields.text("message")?),
        "too_large" => EndKind::TooLarge,
        other => return Err(format!("unknown ending `{}`", agentci_text::one_line(other))),
    })
}
