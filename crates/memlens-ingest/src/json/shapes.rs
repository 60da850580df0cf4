//! The JSON forms in which programs store texts.
//!
//! The forms that are read: a `text` or `content` string; messages whose `content` is a list of blocks, or is within
//! `message` or `payload` (OpenAI, Anthropic, Letta, Claude Code, Codex) or within `parts` (ChatGPT, Gemini); memories
//! of mem0 (`memory`); entities and relations of the knowledge-graph memory server; memory blocks of Letta (`label`,
//! `value`); and lists of these.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Maximum depth of nested objects and lists.
const DEPTH_MAX: usize = 8;

/// Keys whose values are lists, or objects, of known forms.
const CONTAINERS: [&str; 20] = [
    "agents",
    "archival_memory",
    "blocks",
    "chat_messages",
    "choices",
    "conversations",
    "core_memory",
    "data",
    "entities",
    "history",
    "input",
    "items",
    "mapping",
    "memories",
    "memory",
    "messages",
    "output",
    "passages",
    "relations",
    "results",
];

/// Those of [`CONTAINERS`] that may be an object of known forms, keyed by ids or labels.
const BY_ID: [&str; 5] = ["blocks", "core_memory", "mapping", "memories", "memory"];

/// Types of blocks that hold text. Others are tool calls, tool results, pictures and the like.
const TEXT_BLOCKS: [&str; 4] = ["text", "input_text", "output_text", "multimodal_text"];

/// A value as written, not parsed yet.
pub(super) type Raw<'a> = &'a str;

/// The text and the fields of one object.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    /// Strings with their quotes in the order of the document, each with the white space that separates it from the
    /// previous one.
    pub(super) strings: Vec<(Raw<'a>, &'static str)>,
    /// The string that it belongs to, such as the title of a conversation.
    pub(super) heading: Option<Raw<'a>>,
    /// The fields of the object, followed by those of the enclosing object.
    fields: Vec<Fields<'a>>,
}

impl<'a> Record<'a> {
    /// Returns the value of a key from the object, otherwise from the enclosing one. `null` counts as missing.
    pub(super) fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.fields.iter().find_map(|fields| fields.get(key))
    }

    /// Returns the fields whose key is equivalent to one of `keys`, in the order of `keys`.
    pub(super) fn folded(&self, keys: &'static [&'static str]) -> Vec<(&'static str, Raw<'a>)> {
        let of = |key: &&'static str| {
            let is_it = |written: &str| crate::front_matter::is_key(written, key);
            let mut found = self.fields.iter().flat_map(|fields| &fields.0);
            let value = found.find(|(written, value)| is_it(written) && *value != "null");
            value.map(|(_, value)| (*key, *value))
        };
        keys.iter().filter_map(of).collect()
    }
}

/// The records found in a value.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    /// In the order of the document, without overlap.
    pub(super) records: Vec<Record<'a>>,
    /// Whether there was a value of a known form without text, such as a tool call.
    pub(super) is_silent: bool,
}

/// Returns the texts of a value. In a line of JSONL (`is_line`) any `text` or `content` counts; elsewhere only that of
/// a message or in a list.
pub(super) fn texts_in(value: Raw<'_>, is_line: bool) -> Found<'_> {
    let mut found = Found::default();
    look(value, is_line, None, DEPTH_MAX, &mut found);
    found
}

fn look<'a>(
    value: Raw<'a>,
    is_listed: bool,
    heading: Option<Raw<'a>>,
    depth: usize,
    found: &mut Found<'a>,
) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    if let Some(items) = items(value) {
        for item in items {
            look(item.get(), true, heading, depth, found);
        }
        return;
    }
    let Some(fields) = Fields::of(value) else {
        return;
    };
    match said(&fields, is_listed) {
        Some(record) if record.strings.is_empty() => found.is_silent = true,
        Some(mut record) => {
            record.heading = record.heading.or(heading);
            record.fields.push(fields);
            found.records.push(record);
            return;
        }
        None => {}
    }
    let title = ["title", "name"]
        .into_iter()
        .find_map(|key| fields.string(key));
    for (key, value) in &fields.0 {
        let is_container = CONTAINERS.contains(&key.as_ref());
        if !is_container || !value.starts_with(['[', '{']) {
            continue;
        }
        let by_id = BY_ID
            .contains(&key.as_ref())
            .then(|| Fields::of(value))
            .flatten();
        match by_id {
            Some(inner) if said(&inner, true).is_none() => {
                for (_, value) in &inner.0 {
                    look(value, true, title, depth, found);
                }
            }
            _ => look(value, true, title, depth, found),
        }
    }
}

/// Returns the record of an object of a known form, without strings if it has no text.
fn said<'a>(fields: &Fields<'a>, is_listed: bool) -> Option<Record<'a>> {
    let record = |strings: Vec<(Raw<'a>, &'static str)>| Record {
        strings,
        ..Record::default()
    };
    let is_message = ["role", "message_type", "author", "sender"]
        .into_iter()
        .any(|key| fields.get(key).is_some());
    if is_listed || is_message {
        if let Some(text) = fields.string("text") {
            return Some(record(vec![(text, "")]));
        }
        let content = fields.get("content").and_then(strings_of);
        // `text` may be an object, as in messages of OpenAI's assistants.
        let parts = || fields.get("parts").and_then(strings_of);
        if let Some(strings) = content.or_else(parts) {
            return Some(record(lines(strings)));
        }
    }
    for key in ["message", "payload"] {
        let inner = fields.get(key).and_then(Fields::of);
        if let Some(inner) = inner
            && let Some(mut record) = said(&inner, true)
        {
            record.fields.push(inner);
            return Some(record);
        }
    }
    if let Some(memory) = fields.string("memory") {
        return Some(record(vec![(memory, "")]));
    }
    let name = fields.string("name");
    if let (Some(name), Some(observations)) = (name, fields.get("observations").and_then(items)) {
        let kind = fields.string("entityType").map(|kind| (kind, " "));
        let observations = observations.iter().map(|item| item.get());
        let strings = observations.filter_map(|item| match item {
            _ if item.starts_with('"') => Some(item),
            _ => Fields::of(item)?.string("content"),
        });
        let strings = strings.map(|item| (item, "\n"));
        let all = [(name, "\n")].into_iter().chain(kind).chain(strings);
        return Some(record(in_order(all.collect())));
    }
    // Relations of the memory server and of mem0.
    for [from, to, kind] in [
        ["from", "to", "relationType"],
        ["source", "target", "relationship"],
        ["source", "destination", "relationship"],
    ] {
        let value = |key| fields.string(key);
        if let (Some(from), Some(to), Some(kind)) = (value(from), value(to), value(kind)) {
            let strings = vec![(from, " "), (to, " "), (kind, " ")];
            return Some(record(in_order(strings)));
        }
    }
    // A form's options have a label and a value too.
    let is_block = ["limit", "read_only", "is_template"]
        .into_iter()
        .any(|key| fields.get(key).is_some());
    let label = fields.string("label").filter(|_| is_block)?;
    let value = fields.string("value")?;
    Some(Record {
        heading: Some(label),
        ..record(vec![(value, "")])
    })
}

/// Returns the strings of a `content`: a string, a list of strings and blocks, or an object with `parts`. `None` for
/// any other value.
fn strings_of(content: Raw<'_>) -> Option<Vec<Raw<'_>>> {
    if content.starts_with('"') {
        return Some(vec![content]);
    }
    if let Some(items) = items(content) {
        let strings = items.into_iter().filter_map(|item| block(item.get()));
        return Some(strings.collect());
    }
    let fields = Fields::of(content)?;
    if !is_text_block(&fields, "content_type") {
        return Some(Vec::new());
    }
    match fields.get("parts") {
        Some(parts) => strings_of(parts).filter(|_| parts.starts_with('[')),
        None => block(content).map(|text| vec![text]),
    }
}

/// Returns the text of a block: a string, or an object with `text`.
fn block(block: Raw<'_>) -> Option<Raw<'_>> {
    if block.starts_with('"') {
        return Some(block);
    }
    let fields = Fields::of(block).filter(|fields| is_text_block(fields, "type"))?;
    let text = fields.get("text")?;
    if text.starts_with('"') {
        return Some(text);
    }
    Fields::of(text)?.string("value")
}

fn is_text_block(fields: &Fields<'_>, key: &str) -> bool {
    let kind = fields.string(key).map(|kind| kind.trim_matches('"'));
    kind.is_none_or(|kind| TEXT_BLOCKS.contains(&kind))
}

fn lines(strings: Vec<Raw<'_>>) -> Vec<(Raw<'_>, &'static str)> {
    strings.into_iter().map(|it| (it, "\n")).collect()
}

/// Sorts strings by their place in the document, because text and places must ascend together.
fn in_order<'a>(mut strings: Vec<(Raw<'a>, &'static str)>) -> Vec<(Raw<'a>, &'static str)> {
    strings.sort_by_key(|(string, _)| string.as_ptr() as usize);
    strings
}

/// An object's keys and values in order.
#[derive(Debug, Default)]
pub(super) struct Fields<'a>(Vec<(String, Raw<'a>)>);

impl<'a> Fields<'a> {
    /// Returns the fields of an object; `None` for any other value.
    pub(super) fn of(value: Raw<'a>) -> Option<Fields<'a>> {
        if !value.starts_with('{') {
            return None;
        }
        serde_json::from_str(value).ok()
    }

    /// Returns the first value of a key; `null` counts as missing.
    fn get(&self, key: &str) -> Option<Raw<'a>> {
        let value = self.0.iter().find(|(it, _)| it == key).map(|(_, it)| *it);
        value.filter(|value| *value != "null")
    }

    fn string(&self, key: &str) -> Option<Raw<'a>> {
        self.get(key).filter(|value| value.starts_with('"'))
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Fields<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    entries.push((key, value.get()));
                }
                Ok(Fields(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// Returns the items of a list; `None` for any other value.
fn items(value: Raw<'_>) -> Option<Vec<&RawValue>> {
    if !value.starts_with('[') {
        return None;
    }
    serde_json::from_str(value).ok()
}
