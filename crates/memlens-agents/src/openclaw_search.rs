//! What an OpenClaw config says of its memory search: each key with what the version that wrote it does with it, and what makes
//! the rest of them void.
//!
//! Sources: see `keys.rs`. That an unknown key, an old place or a value of the wrong kind refuses the whole file was checked with
//! `config validate` of 2026.7.35 and 2026.9.6, and read in 2026.2.12.

mod keys;
mod memory;

use serde_json::Value;

pub(crate) use keys::{
    FEB_2026, Kind, Known, SINCE_2026_8, UP_TO_2026_7, effect, is_empty_section,
};
pub(crate) use memory::extra_paths_key;
pub use memory::{ExtraPath, MemorySearch, SearchOff};

/// The settings of one config.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSettings {
    /// Version that wrote the config last; `None` if it does not say.
    pub version: Option<String>,
    /// Whether it is a config of OpenClaw before 2026.2, whose settings are in another place.
    pub is_before_2026_2: bool,
    /// Reasons that make the settings for all agents void, most decisive first.
    pub voids: Vec<Void>,
    /// The settings for all agents, then those of single agents that set their own.
    pub groups: Vec<SettingGroup>,
}

/// Settings with a common title.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingGroup {
    /// Agent that they apply to; `None` for all agents.
    pub agent: Option<String>,
    /// Each key that is set, in the order of their names.
    pub settings: Vec<Setting>,
}

/// One key with its effect.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its path in the config, joined by dots.
    pub key: String,
    /// Value of the key, as JSON.
    pub value: Value,
    /// Effect of the key in that version.
    pub effect: Effect,
}

/// Why the other settings have no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Void {
    /// The version refuses the whole file: a sentence that names the keys.
    Refused(String),
    /// Nothing is found, or not by these settings: a sentence.
    SwitchedOff(String),
}

impl Void {
    /// The sentence for the user.
    pub fn sentence(&self) -> &str {
        match self {
            Void::Refused(sentence) | Void::SwitchedOff(sentence) => sentence,
        }
    }
}

/// Effect of a key in a version of OpenClaw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It sets the parameter with this name of the emulated search.
    Sets(&'static str),
    /// It has an effect, but not on ranking, as described.
    Elsewhere(&'static str),
    /// It has an effect that the emulation does not reproduce, for this reason.
    NotEmulated(&'static str),
    /// It has no effect, for this reason.
    Without(&'static str),
    /// The version refuses it, and with it the whole config, for this reason.
    Refused(&'static str),
    /// Its value has the wrong type; the accepted type.
    WrongKind(&'static str),
}

impl Effect {
    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Sets(_) => "sets",
            Effect::Elsewhere(_) => "elsewhere",
            Effect::NotEmulated(_) => "not_emulated",
            Effect::Without(_) => "without_effect",
            Effect::Refused(_) => "refused",
            Effect::WrongKind(_) => "wrong_kind",
        }
    }

    /// The parameter that the key sets; `None` if it sets none.
    pub fn parameter(self) -> Option<&'static str> {
        match self {
            Effect::Sets(parameter) => Some(parameter),
            Effect::Elsewhere(_)
            | Effect::NotEmulated(_)
            | Effect::Without(_)
            | Effect::Refused(_)
            | Effect::WrongKind(_) => None,
        }
    }

    /// Why it sets none, or which type it takes; `None` if it sets one.
    pub fn why(self) -> Option<&'static str> {
        match self {
            Effect::Sets(_) => None,
            Effect::Elsewhere(why)
            | Effect::NotEmulated(why)
            | Effect::Without(why)
            | Effect::Refused(why)
            | Effect::WrongKind(why) => Some(why),
        }
    }
}

/// The set of keys that a version of OpenClaw reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// The keys of version 2026.2.
    Feb2026,
    /// Those of 2026.3 to 2026.7.
    UpTo2026Jul,
    /// Those of 2026.8 and later, in another place.
    Since2026Aug,
}

const BEFORE: Effect = Effect::Refused(
    "a key of OpenClaw before 2026.2; later versions refuse it, and with it the whole file, until `openclaw doctor --fix` moves it",
);

/// Where the search's settings for all agents are.
fn root(schema: Schema) -> &'static [&'static str] {
    match schema {
        Schema::Feb2026 | Schema::UpTo2026Jul => &["agents", "defaults", "memorySearch"],
        Schema::Since2026Aug => &["memory", "search"],
    }
}

/// The version of OpenClaw that wrote a config last.
fn version(config: &Value) -> Option<String> {
    config["meta"]["lastTouchedVersion"]
        .as_str()
        .map(str::to_owned)
}

/// The year and month of a version such as `2026.9.6`; a year alone counts as its end.
fn month(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.trim_start_matches('v').split('.');
    let year = numbers.next()?.parse().ok()?;
    let month = numbers.next().map_or(Ok(12), str::parse).ok()?;
    Some((year, month))
}

/// Whether a version is of this year and month or later; true for an unknown one.
pub(crate) fn is_since(version: Option<&str>, first: (u32, u32)) -> bool {
    version.and_then(month).is_none_or(|month| month >= first)
}

fn is_before_2026_2(config: &Value) -> bool {
    !is_since(version(config).as_deref(), (2026, 2))
}

impl Schema {
    /// The keys that the version of a config reads; those of the newest if it names no version.
    pub(crate) fn of(config: &Value) -> Schema {
        let version = version(config);
        if is_since(version.as_deref(), (2026, 8)) {
            Schema::Since2026Aug
        } else if is_since(version.as_deref(), (2026, 3)) {
            Schema::UpTo2026Jul
        } else {
            Schema::Feb2026
        }
    }
}

/// What an OpenClaw config sets.
pub(crate) fn openclaw_search(config: &Value, schema: Schema) -> SearchSettings {
    let mut all = Vec::new();
    below(
        &config["memorySearch"],
        "memorySearch",
        |_, _| Some(BEFORE),
        &mut all,
    );
    of_memory(&config["memory"], schema, &mut all);
    of_places(
        &config["agents"]["defaults"],
        "agents.defaults",
        schema,
        false,
        &mut all,
    );
    let entries = &config["agents"]["entries"];
    if schema != Schema::Since2026Aug && !entries.is_null() {
        all.push(setting(
            "agents",
            "entries",
            entries,
            schema.unknown("entries"),
        ));
    }
    let mut groups = vec![SettingGroup {
        agent: None,
        settings: all,
    }];
    for entry in agent_entries(config) {
        let mut settings = Vec::new();
        of_places(entry.value, &entry.key, schema, true, &mut settings);
        if !settings.is_empty() {
            groups.push(SettingGroup {
                agent: Some(entry.id.to_owned()),
                settings,
            });
        }
    }
    let mut settings = SearchSettings {
        version: version(config),
        is_before_2026_2: !config["memorySearch"].is_null(),
        voids: Vec::new(),
        groups,
    };
    settings.voids = voids(config, schema, &settings, None);
    settings
}

/// What one agent's search is about; `agent` names one of the config's agents, whose own settings go over those of all.
pub(crate) fn memory_search(config: &Value, schema: Schema, agent: Option<&str>) -> MemorySearch {
    let entries = agent_entries(config);
    let own = agent.and_then(|agent| entries.iter().find(|entry| entry.id == agent));
    memory::memory_search(config, schema, own)
}

/// What the search of one of the config's agents is about; without an entry, of the only agent.
pub(crate) fn memory_search_of(config: &Value, entry: Option<&AgentEntry<'_>>) -> MemorySearch {
    memory::memory_search(config, Schema::of(config), entry)
}

/// The agent that OpenClaw uses if none is named: up to 2026.7 the one marked as default, else the first; since 2026.8 the
/// only one. `None` if the config names no agents, or several since 2026.8.
pub(crate) fn default_agent(config: &Value, schema: Schema) -> Option<String> {
    let entries = agent_entries(config);
    let marked = entries.iter().find(|entry| entry.value["default"] == true);
    let chosen = match (schema, entries.as_slice()) {
        (_, [only]) => Some(only),
        (Schema::Since2026Aug, _) => None,
        (Schema::Feb2026 | Schema::UpTo2026Jul, [first, ..]) => marked.or(Some(first)),
        (_, []) => None,
    };
    chosen.map(|entry| entry.id.to_owned())
}

/// Maximum number of refused keys listed.
const REFUSED_NAMED: usize = 3;

/// What makes the settings of one agent void, most decisive first.
pub(crate) fn voids(
    config: &Value,
    schema: Schema,
    settings: &SearchSettings,
    agent: Option<&str>,
) -> Vec<Void> {
    let mut voids = Vec::new();
    if settings.is_before_2026_2 {
        voids.push(Void::Refused(
            "It is a config of OpenClaw before 2026.2 (memorySearch at the top). Later versions refuse the whole file until `openclaw doctor --fix` moves it.".to_owned(),
        ));
    }
    // A refused key makes the whole file invalid, whichever agent it belongs to.
    let mut refused = settings
        .groups
        .iter()
        .flat_map(|group| &group.settings)
        .filter(|setting| matches!(setting.effect, Effect::Refused(_) | Effect::WrongKind(_)))
        .filter(|setting| setting.effect != BEFORE)
        .map(|setting| setting.key.as_str());
    let named: Vec<&str> = refused.by_ref().take(REFUSED_NAMED).collect();
    if !named.is_empty() {
        let more = match refused.count() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        voids.push(Void::Refused(format!(
            "OpenClaw {} refuses the whole file because of {}{more}, so nothing in it acts there.",
            schema.checked_with(),
            named.join(", ")
        )));
    }
    let search = memory_search(config, schema, agent);
    if let Some(off @ SearchOff::Disabled { .. }) = &search.switched_off {
        voids.push(Void::SwitchedOff(format!(
            "Memory search is switched off there ({off}), so nothing is found whatever the rest says."
        )));
    }
    if search.uses_qmd {
        voids.push(Void::SwitchedOff(
            "qmd searches there (memory.backend is \"qmd\"), so OpenClaw's own ranking settings do not act.".to_owned(),
        ));
    }
    if let Some(SearchOff::SessionsOnly { key }) = &search.switched_off {
        voids.push(Void::SwitchedOff(format!(
            "Only session transcripts are searched there ({key}), so no note is found."
        )));
    }
    voids
}

fn of_memory(memory: &Value, schema: Schema, settings: &mut Vec<Setting>) {
    let Value::Object(fields) = memory else {
        return;
    };
    for (name, value) in fields {
        if name == "search" {
            continue;
        }
        each(value, name, &mut |key, value| {
            if is_empty_section(schema.memory_keys(), key, value) {
                return;
            }
            let effect = effect(schema.memory_keys(), key, value, schema.unknown(key));
            settings.push(setting("memory", key, value, effect));
        });
    }
    of_search(
        &memory["search"],
        "memory.search",
        schema,
        Schema::Since2026Aug,
        settings,
    );
}

/// The search's settings of an agent, or of all: in `memorySearch`, and of a single agent also in `memory.search`.
fn of_places(
    around: &Value,
    name: &str,
    schema: Schema,
    is_agent: bool,
    settings: &mut Vec<Setting>,
) {
    let place = format!("{name}.memorySearch");
    of_search(
        &around["memorySearch"],
        &place,
        schema,
        Schema::UpTo2026Jul,
        settings,
    );
    if is_agent {
        let place = format!("{name}.memory.search");
        let search = &around["memory"]["search"];
        of_search(search, &place, schema, Schema::Since2026Aug, settings);
    }
}

/// The keys of a search in a place that the schemas since `since` read, or those before 2026.8.
fn of_search(
    search: &Value,
    place: &str,
    schema: Schema,
    since: Schema,
    settings: &mut Vec<Setting>,
) {
    let is_of_place = (schema == Schema::Since2026Aug) == (since == Schema::Since2026Aug);
    let is_empty = search.as_object().is_some_and(serde_json::Map::is_empty);
    if is_empty && !is_of_place {
        settings.push(setting(place, "", search, schema.elsewhere()));
    }
    below(
        search,
        place,
        |key, value| {
            if !is_of_place {
                Some(schema.elsewhere())
            } else if is_empty_section(schema.keys(), key, value) {
                None
            } else {
                Some(effect(schema.keys(), key, value, schema.unknown(key)))
            }
        },
        settings,
    );
}

fn below(
    value: &Value,
    place: &str,
    effect: impl Fn(&str, &Value) -> Option<Effect>,
    settings: &mut Vec<Setting>,
) {
    each(value, "", &mut |key, value| {
        let effect = effect(key, value);
        settings.extend(effect.map(|effect| setting(place, key, value, effect)));
    });
}

/// An agent that a config names.
pub(crate) struct AgentEntry<'a> {
    pub id: &'a str,
    /// Its path in the config.
    pub key: String,
    pub value: &'a Value,
}

impl<'a> AgentEntry<'a> {
    /// Its own settings of the search, with their path in the config.
    fn search(&self, schema: Schema) -> (String, &'a Value) {
        let Self { key, value, .. } = self;
        match schema {
            Schema::Feb2026 | Schema::UpTo2026Jul => {
                (format!("{key}.memorySearch"), &value["memorySearch"])
            }
            Schema::Since2026Aug => (format!("{key}.memory.search"), &value["memory"]["search"]),
        }
    }
}

/// The agents of a config: by id since 2026.8, before as a list, which 2026.8 and later read as well.
pub(crate) fn agent_entries(config: &Value) -> Vec<AgentEntry<'_>> {
    let agents = &config["agents"];
    let by_id = agents["entries"].as_object().into_iter().flatten();
    let by_id = by_id.map(|(id, value)| AgentEntry {
        id,
        key: format!("agents.entries.{id}"),
        value,
    });
    let listed = agents["list"].as_array().into_iter().flatten();
    let listed = listed.filter_map(|value| {
        let id = value["id"].as_str()?;
        Some(AgentEntry {
            id,
            key: format!("agents.list[{id}]"),
            value,
        })
    });
    by_id.chain(listed).collect()
}

fn setting(root: &str, below: &str, value: &Value, effect: Effect) -> Setting {
    Setting {
        // The search's settings may be no object at all.
        key: if below.is_empty() {
            root.to_owned()
        } else {
            format!("{root}.{below}")
        },
        value: shown(effect, value),
        effect,
    }
}

/// A value in the form that may be shown. Strings are left out of keys that may contain secrets.
pub(crate) fn shown(effect: Effect, value: &Value) -> Value {
    let is_list_of_any = value.is_array() && matches!(effect, Effect::WrongKind(_));
    let is_text = !value.is_boolean() && !value.is_number();
    if is_text && (keys::is_private(effect) || is_list_of_any) {
        Value::from("…")
    } else {
        value.clone()
    }
}

/// Calls `report` for every value that is not an object, and for every empty object inside of the value, with its path.
pub(crate) fn each(value: &Value, path: &str, report: &mut dyn FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) if fields.is_empty() && !path.is_empty() => report(path, value),
        Value::Object(fields) => {
            for (name, value) in fields {
                // A name with dots is not a path of keys.
                let name = if name.contains('.') {
                    format!("{name:?}")
                } else {
                    name.clone()
                };
                let path = if path.is_empty() {
                    name
                } else {
                    format!("{path}.{name}")
                };
                each(value, &path, report);
            }
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            report(path, value)
        }
    }
}

#[cfg(test)]
mod tests;
