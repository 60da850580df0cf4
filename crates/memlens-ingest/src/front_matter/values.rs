//! The values of a front matter, as YAML represents them.

use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use super::{KEYS, TAGS_MAX};

/// The content between the two lines of a block.
pub(super) enum Document {
    Empty,
    Text,
    Fields(Box<Fields>),
}

/// The values of the keys in [`KEYS`].
#[derive(Default)]
pub(super) struct Fields {
    /// In the order of [`KEYS`].
    values: [Value; KEYS.len()],
    /// Keys that occur again after they have a value.
    pub(super) repeated: Vec<&'static str>,
}

/// A YAML value. Of a list within a list only the first item is kept, and nothing that is nested deeper, because
/// aliases could make it huge.
#[derive(Default)]
pub(super) enum Value {
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Fields,
}

impl Fields {
    /// Removes and returns the value of a key of [`KEYS`].
    pub(super) fn take(&mut self, key: &str) -> Value {
        let idx = KEYS.iter().position(|it| *it == key);
        idx.map_or(Value::Null, |idx| std::mem::take(&mut self.values[idx]))
    }

    pub(super) fn is_empty(&self) -> bool {
        let mut values = self.values.iter();
        values.all(|value| matches!(value, Value::Null))
    }

    /// Adds the fields of later lines; existing values stay.
    pub(super) fn add(&mut self, later: Self) {
        self.repeated.extend(later.repeated);
        for (idx, value) in later.values.into_iter().enumerate() {
            self.set(idx, value);
        }
    }

    fn set(&mut self, idx: usize, value: Value) {
        if matches!(value, Value::Null) {
            return;
        }
        if matches!(self.values[idx], Value::Null) {
            self.values[idx] = value;
        } else if !self.repeated.contains(&KEYS[idx]) {
            self.repeated.push(KEYS[idx]);
        }
    }
}

/// Returns whether a key as written is this one of [`KEYS`], ignoring case, spaces, `-` and `_`.
pub(crate) fn is_key(written: &str, key: &str) -> bool {
    fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
        let signs = text.chars().filter(|sign| !matches!(sign, ' ' | '-' | '_'));
        signs.flat_map(char::to_lowercase)
    }
    folded(written).eq(folded(key))
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Bool(value) => value.fmt(formatter),
            Self::Number(value) => value.fmt(formatter),
            // Enough to recognise it.
            Self::Text(text) => text.chars().take(80).collect::<String>().fmt(formatter),
            Self::List(_) => "a list".fmt(formatter),
            Self::Fields => "a list of keys".fmt(formatter),
        }
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Document;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("keys and values")
            }
            fn visit_unit<E>(self) -> Result<Document, E> {
                Ok(Document::Empty)
            }
            fn visit_none<E>(self) -> Result<Document, E> {
                Ok(Document::Empty)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_i128<E>(self, _: i128) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_u128<E>(self, _: u128) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Document, E> {
                Ok(Document::Text)
            }
            // A tag is ignored; only its content counts.
            fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Document, A::Error> {
                let (IgnoredAny, content) = tagged.variant()?;
                content.newtype_variant()
            }
            fn visit_str<E>(self, _: &str) -> Result<Document, E> {
                Ok(Document::Text)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Document, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Document::Text)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Document, A::Error> {
                let mut fields = Fields::default();
                while let Some(key) = entries.next_key::<Value>()? {
                    let idx = match &key {
                        Value::Text(key) => KEYS.iter().position(|it| is_key(key, it)),
                        Value::Null
                        | Value::Bool(_)
                        | Value::Number(_)
                        | Value::List(_)
                        | Value::Fields => None,
                    };
                    match idx {
                        Some(idx) => fields.set(idx, entries.next_value()?),
                        None => {
                            entries.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Document::Fields(Box::new(fields)))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any {
            /// Maximum number of list items that are kept; an inner list keeps fewer.
            n_items: usize,
        }
        impl<'de> DeserializeSeed<'de> for Any {
            type Value = Value;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
                deserializer.deserialize_any(self)
            }
        }
        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a value")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_none<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::Number(value))
            }
            fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
                let (IgnoredAny, content) = tagged.variant()?;
                content.newtype_variant_seed(self)
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::Text(value.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let mut list = Vec::new();
                while list.len() < self.n_items {
                    let n_items = usize::from(self.n_items == TAGS_MAX);
                    match items.next_element_seed(Any { n_items })? {
                        Some(item) => list.push(item),
                        None => return Ok(Value::List(list)),
                    }
                }
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Value::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
                while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Fields)
            }
        }
        deserializer.deserialize_any(Any { n_items: TAGS_MAX })
    }
}
