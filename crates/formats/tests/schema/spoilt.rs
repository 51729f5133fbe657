//! Makes one thing in a document invalid.

use agentci_source::shape::{Kind, Need, Shape, UnknownKeys};
use serde_json::{Value, json};

use crate::drawn::Draw;

/// The document, made invalid in each of three ways at a random place for which `within` is true. A way without such a
/// place is omitted.
pub(crate) fn ways(document: &Value, within: fn(&str) -> bool, draw: &mut Draw<'_>) -> Vec<(String, Value)> {
    let there = |place: &str| document.pointer(place).is_some_and(Value::is_object) && within(place);
    let places: Vec<(String, &'static Shape)> = draw.met.iter().filter(|(place, _)| there(place)).cloned().collect();
    let mut spoilt = Vec::new();
    for way in [misspelt, retyped, dropped] {
        let Some((place, shape)) = places.get(draw.below(places.len())) else { continue };
        let mut changed = document.clone();
        if let Some(what) = way(changed.pointer_mut(place).unwrap(), shape, draw) {
            spoilt.push((format!("{what} at `{place}`"), changed));
        }
    }
    spoilt
}

fn misspelt(mapping: &mut Value, shape: &Shape, _: &mut Draw<'_>) -> Option<String> {
    let refused = matches!(shape.unknown, UnknownKeys::Refused);
    refused.then(|| {
        mapping["zz_not_known"] = json!(1);
        "a key that is not known".into()
    })
}

fn dropped(mapping: &mut Value, shape: &Shape, _: &mut Draw<'_>) -> Option<String> {
    // Without `from`, a case of a data file that has an id is a plain case.
    let chooses = |key: &str| key == "from" && mapping.get("id").is_some();
    let field = shape.fields().find(|field| field.need == Need::Required && !chooses(field.key))?;
    mapping.as_object_mut()?.remove(field.key)?;
    Some(format!("`{}` gone", field.key))
}

fn retyped(mapping: &mut Value, shape: &Shape, draw: &mut Draw<'_>) -> Option<String> {
    let written = mapping.as_object_mut()?;
    let fields: Vec<_> = shape
        .fields()
        .filter(|field| written.get(field.key).is_some_and(|value| !value.is_null()))
        .filter_map(|field| Some((field.key, wrong_for(&field.kind)?)))
        .collect();
    if fields.is_empty() {
        return None;
    }
    let (key, value) = fields[draw.below(fields.len())].clone();
    let what = format!("`{key}` as {value}");
    written.insert(key.into(), value);
    Some(what)
}

/// A value that is invalid for this kind.
fn wrong_for(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Text | Kind::Name | Kind::Truth | Kind::Count(_) | Kind::Whole(..) | Kind::Unbroken => {
            Some(json!({ "a": 1 }))
        }
        Kind::Number | Kind::Range(..) | Kind::Positive | Kind::Duration | Kind::SignedDuration => Some(json!([1])),
        Kind::Choice(_) | Kind::Version(_) | Kind::Address | Kind::Like(_) => Some(json!("zz_not_known")),
        Kind::List(_) | Kind::Filled(_) | Kind::Map(_) | Kind::FilledMap(_) | Kind::Shape(_) | Kind::Object => {
            Some(json!(7))
        }
        Kind::Spelt(_) | Kind::SpeltCount => Some(json!("many")),
        _ => None,
    }
}
