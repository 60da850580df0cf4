//! What is wrong with the fields of an object that was written by hand, all of it at once and in plain words.

use serde_json::{Map, Value};

/// A field of a query, or of a part of one.
pub struct Field {
    pub name: &'static str,
    pub holds: Holds,
    pub is_required: bool,
}

/// What a field holds.
pub enum Holds {
    Text,
    Line,
    Texts,
    Objects(&'static [Field]),
}

impl Field {
    pub const fn required(name: &'static str, holds: Holds) -> Field {
        Field {
            name,
            holds,
            is_required: true,
        }
    }

    pub const fn optional(name: &'static str, holds: Holds) -> Field {
        Field {
            name,
            holds,
            is_required: false,
        }
    }
}

/// Returns what is wrong with a query in JSON; `None` if its fields are as they should be.
pub fn faults(query: &str, fields: &[Field]) -> Option<String> {
    let query: Value = match serde_json::from_str(query) {
        Ok(query) => query,
        Err(error) => return Some(format!("it is not JSON: {}", super::without_place(&error))),
    };
    let subject = match query["id"].as_str().map(str::trim) {
        Some(id) if !id.is_empty() => format!("query {id}"),
        Some(_) | None => "it".to_owned(),
    };
    let mut found = Vec::new();
    add(&query, &subject, fields, &mut found);
    (!found.is_empty()).then(|| found.join("; "))
}

fn add(value: &Value, subject: &str, fields: &[Field], found: &mut Vec<String>) {
    let Value::Object(object) = value else {
        let names: Vec<&str> = required(fields).map(|field| field.name).collect();
        let names = names.join(", ");
        let kind = kind_of(value);
        found.push(format!("{subject} is {kind}, not an object with {names}"));
        return;
    };
    let missing: Vec<&str> = required(fields)
        .filter(|field| is_missing(object, field))
        .map(|field| field.name)
        .collect();
    if !missing.is_empty() {
        found.push(format!("{subject} has no {}", missing.join(", no ")));
    }
    for field in fields.iter().filter(|field| !is_missing(object, field)) {
        add_of_field(&object[field.name], subject, field, found);
    }
}

fn add_of_field(value: &Value, subject: &str, field: &Field, found: &mut Vec<String>) {
    let name = match subject {
        "it" => format!("its {}", field.name),
        _ => format!("{} of {subject}", field.name),
    };
    let mut is_no = |what: &str| found.push(format!("{name} is {}, not {what}", kind_of(value)));
    match &field.holds {
        Holds::Text if !value.is_string() => is_no("text"),
        Holds::Line if value.as_u64().is_none_or(|line| line > u32::MAX.into()) => {
            is_no("the number of a line");
        }
        Holds::Text | Holds::Line => {}
        Holds::Texts => match value.as_array() {
            Some(items) if items.iter().all(Value::is_string) => {}
            Some(_) | None => is_no("a list of texts"),
        },
        Holds::Objects(fields) => match value.as_array() {
            None => is_no("a list"),
            Some(items) => {
                let of = match subject {
                    "it" => String::new(),
                    _ => format!(" of {subject}"),
                };
                for (n, item) in (1..).zip(items) {
                    add(item, &format!("{} {n}{of}", field.name), fields, found);
                }
            }
        },
    }
}

fn required(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|field| field.is_required)
}

fn is_missing(object: &Map<String, Value>, field: &Field) -> bool {
    object.get(field.name).is_none_or(Value::is_null)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
