//! Turns a TypeScript or JavaScript file into code for the engine: types are blanked out, so every other token keeps
//! its line and column.
//!
//! ```text
//! export function total(items: Item[]): number {
//!        function total(items        )         {
//! ```
//!
//! `enum`, `const enum` and parameter properties have runtime behaviour and are rewritten within their lines.
//! Namespaces and decorators are rejected.

mod class;
mod enums;
mod eraser;
mod modules;
mod names;
mod rewrite;
mod strip;

pub(crate) use names::ExportedNames;
pub(crate) use strip::{Stripped, strip};
