//! Generates random documents from shapes.

use agentci_source::shape::{CheckShape, Field, KeyRule, Kind, Need, Shape, Tagged};
use serde_json::{Map, Value, json};

/// The depth from which a document only has required keys.
const DEEP: usize = 7;

/// The values of strings.
pub(crate) const WORDS: [&str; 8] =
    ["order", "refund", "A-17", "x", "Hello there", "search_docs", "naïve", "no such thing"];

/// A source of random choices.
pub(crate) struct Draw<'d> {
    numbers: &'d [u16],
    next: usize,
    checks: &'d [&'static CheckShape],
    /// The paths of the shapes in the document.
    pub(crate) met: Vec<(String, &'static Shape)>,
    depth: usize,
}

impl<'d> Draw<'d> {
    pub(crate) fn new(numbers: &'d [u16], checks: &'d [&'static CheckShape]) -> Self {
        Self { numbers, next: 0, checks, met: Vec::new(), depth: 0 }
    }

    /// A number below `most`.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.next += 1;
        usize::from(self.numbers[self.next % self.numbers.len()]) % most.max(1)
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A document; if the file may have one of two shapes, it has the first.
    pub(crate) fn file(&mut self, root: &Kind) -> Value {
        match root {
            Kind::Having(_, with, _) => self.shape(with, ""),
            _ => self.value(root, ""),
        }
    }

    fn word(&mut self) -> String {
        self.one_of(&WORDS).to_owned()
    }

    /// A name that is valid for a tool, a variable and a header.
    fn name(&mut self) -> String {
        self.one_of(&["alpha", "beta", "gamma", "delta"]).to_owned()
    }

    /// A value at a path of the document.
    pub(crate) fn value(&mut self, kind: &Kind, place: &str) -> Value {
        match kind {
            Kind::Text | Kind::Name | Kind::Data => json!(self.word()),
            Kind::Like(pattern) => {
                let regex = regex::Regex::new(pattern).unwrap();
                json!(
                    ["GET", "im", "/a/b", "http://host.test", "10%"]
                        .into_iter()
                        .find(|text| regex.is_match(text))
                        .unwrap()
                )
            }
            Kind::Address => json!(self.one_of(&["http://127.0.0.1:8080/x", "https://host.test", "${ENV.URL}/x"])),
            Kind::Word => self.one_of(&[&json!("text"), &json!(7), &json!(true)]).clone(),
            Kind::Truth => json!(self.chance(2)),
            Kind::Count(least) => json!(least + u32::try_from(self.below(4)).unwrap()),
            Kind::Whole(least, _) => json!((*least).max(0) + i64::try_from(self.below(4)).unwrap()),
            Kind::Unbroken => json!(self.below(100)),
            Kind::Number => json!(self.one_of(&[0.0, 0.25, 1.0])),
            Kind::Range(least, most) => json!(self.one_of(&[*least, (least + most) / 2.0, *most])),
            Kind::Positive => json!(self.one_of(&[0.5, 30.0])),
            Kind::Spelt(_) => self.one_of(&[&json!(0.5), &json!("0.5"), &json!(0)]).clone(),
            Kind::SpeltCount => self.one_of(&[&json!(12), &json!("12")]).clone(),
            Kind::Duration => json!(self.one_of(&["300ms", "20s", "1m30s", "1.5m"])),
            Kind::SignedDuration => json!(self.one_of(&["300ms", "-5s", "0"])),
            Kind::Choice(words) | Kind::Version(words) => json!(self.one_of(words)),
            Kind::False => json!(false),
            Kind::Nothing => Value::Null,
            Kind::Asked => self.one_of(&[&Value::Null, &json!(true)]).clone(),
            Kind::Object => json!({ self.name(): self.word() }),
            Kind::List(item) | Kind::Filled(item) => self.list(item, place),
            Kind::OneOrMore(item) if self.chance(2) => self.list(item, place),
            Kind::OneOrMore(item) => self.value(item, place),
            Kind::Map(value) | Kind::FilledMap(value) => {
                let name = self.name();
                json!({ name.as_str(): self.value(value, &format!("{place}/{name}")) })
            }
            Kind::Shape(shape) => self.shape(shape, place),
            Kind::Tagged(tagged) => self.tagged(tagged, place),
            Kind::Having(_, with, without) => {
                let shape = self.one_of(&[*with, *without]);
                self.shape(shape, place)
            }
            Kind::Either(kinds) => {
                let kind = self.one_of(kinds);
                self.value(&kind, place)
            }
            Kind::Check => self.check(place),
            Kind::Arguments(name) => {
                let check = self.checks.iter().find(|check| check.name == *name).unwrap();
                self.value(&check.arguments, place)
            }
        }
    }

    fn list(&mut self, item: &Kind, place: &str) -> Value {
        let length = 1 + self.below(2);
        (0..length).map(|index| self.value(item, &format!("{place}/{index}"))).collect()
    }

    fn check(&mut self, place: &str) -> Value {
        let check = self.one_of(self.checks);
        let name = check.name;
        if self.chance(4) {
            return json!({ "not": { name: self.value(&check.arguments, &format!("{place}/not/{name}")) } });
        }
        let mut written = json!({ name: self.value(&check.arguments, &format!("{place}/{name}")) });
        if self.chance(3) {
            written["message"] = json!(self.word());
        }
        written
    }

    fn tagged(&mut self, tagged: &Tagged, place: &str) -> Value {
        let (word, shape) = self.one_of(tagged.variants);
        let mut mapping = self.shape(shape, place);
        mapping[tagged.tag] = json!(word);
        mapping
    }

    fn shape(&mut self, shape: &'static Shape, place: &str) -> Value {
        self.depth += 1;
        self.met.push((place.to_owned(), shape));
        let chosen = self.keys(shape);
        let mut mapping = Map::new();
        for field in shape.fields() {
            let ruled = shape.rules.iter().any(|rule| speaks_of(rule, field.key));
            if chosen.contains(&field.key) {
                let mut value = self.value(&field.kind, &format!("{place}/{}", field.key));
                if field.key == "id" {
                    // Ids are unique, since a duplicate keeps the rest from being read.
                    value = json!(format!("id {}", self.met.len()));
                }
                mapping.insert(field.key.into(), if ruled && value == false { json!(true) } else { value });
            } else if field.need == Need::Optional && !ruled && self.chance(12) {
                // A key without a value counts as absent.
                mapping.insert(field.key.into(), Value::Null);
            }
        }
        for rule in shape.rules {
            if let KeyRule::When { key, is, needs, excludes } = rule
                && mapping.get(*key).and_then(Value::as_str).is_some_and(|word| is.contains(&word))
            {
                mapping.retain(|key, _| !excludes.contains(&key.as_str()));
                for field in shape.fields().filter(|field| needs.contains(&field.key)) {
                    let value = self.value(&field.kind, &format!("{place}/{}", field.key));
                    mapping.insert(field.key.into(), value);
                }
            }
        }
        self.depth -= 1;
        Value::Object(mapping)
    }

    /// Keys that may be combined.
    fn keys(&mut self, shape: &'static Shape) -> Vec<&'static str> {
        let fields: Vec<&Field> = shape.fields().collect();
        let one_in = if self.depth > DEEP { usize::MAX } else { 3 };
        let needed = |field: &&&Field| matches!(field.need, Need::Required | Need::Depends);
        let mut chosen: Vec<&'static str> = fields.iter().filter(needed).map(|field| field.key).collect();
        for field in fields.iter().filter(|field| !needed(field)) {
            if self.chance(one_in) {
                chosen.push(field.key);
            }
        }
        for rule in shape.rules {
            match rule {
                KeyRule::One(keys) | KeyRule::OneWritten(keys) => {
                    chosen.retain(|key| !keys.contains(key));
                    chosen.push(self.one_of(keys));
                }
                KeyRule::Some(keys) if !keys.iter().any(|key| chosen.contains(key)) => {
                    let keys: Vec<&'static str> =
                        keys.iter().copied().filter(|key| may_join(shape, key, &chosen)).collect();
                    chosen.push(self.one_of(&keys));
                }
                KeyRule::NotBoth(keys) => {
                    let kept = self.one_of(keys);
                    chosen.retain(|key| !keys.contains(key) || *key == kept);
                }
                KeyRule::Needs(key, needed) if chosen.contains(key) && !chosen.contains(needed) => {
                    chosen.retain(|chosen| chosen != key);
                }
                KeyRule::OneKey => chosen = vec![self.one_of(&fields).key],
                KeyRule::Some(_) | KeyRule::Needs(..) | KeyRule::When { .. } => {}
            }
        }
        chosen
    }
}

/// Whether the rules allow a key next to the chosen ones.
fn may_join(shape: &Shape, key: &str, chosen: &[&str]) -> bool {
    shape.rules.iter().all(|rule| match rule {
        KeyRule::NotBoth(keys) => !keys.contains(&key) || !keys.iter().any(|other| chosen.contains(other)),
        _ => true,
    })
}

fn speaks_of(rule: &KeyRule, key: &str) -> bool {
    match rule {
        KeyRule::One(keys) | KeyRule::OneWritten(keys) | KeyRule::Some(keys) | KeyRule::NotBoth(keys) => {
            keys.contains(&key)
        }
        KeyRule::Needs(one, other) => [*one, *other].contains(&key),
        KeyRule::When { key: own, needs, excludes, .. } => {
            *own == key || needs.contains(&key) || excludes.contains(&key)
        }
        KeyRule::OneKey => true,
    }
}
