//! What a request offers and asks for: tools as OpenAI writes them, and `format`, which is `json` or a schema. The model is always
//! free to call or not.

use super::super::offer::{Format, Offer, SchemaForm, collect};
use serde_json::Value;

/// Reads a request.
pub(in super::super) fn read<'r>(request: &'r Value) -> Offer<'r> {
    let mut offer = Offer { format: format(request), ..Offer::new("tools") };
    collect(request.get("tools"), &mut offer.tools);
    offer
}

fn format<'r>(request: &'r Value) -> Option<Format<'r>> {
    let schema = match request.get("format")? {
        Value::String(name) if name == "json" => None,
        schema @ Value::Object(_) => Some(schema),
        _ => return None,
    };
    Some(Format { schema, form: SchemaForm::Json, is_text: false })
}
