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
    version.and_then(month).is_none_or(|it| it >= first)
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
        .filter(|it| matches!(it.effect, Effect::Refused(_) | Effect::WrongKind(_)))
        .filter(|it| it.effect != BEFORE)
        .map(|it| it.key.as_str());
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

/// Calls `tell` for every value that is not an object, and for every empty object inside of the value, with its path.
pub(crate) fn each(value: &Value, path: &str, tell: &mut dyn FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) if fields.is_empty() && !path.is_empty() => tell(path, value),
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
                each(value, &path, tell);
            }
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => tell(path, value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Effect, Schema, SearchSettings, default_agent, memory_search, openclaw_search};
    use crate::config::parse_text;

    fn config(text: &str) -> (Value, Schema) {
        let config = parse_text(text).expect("it can be read");
        let schema = Schema::of(&config);
        (config, schema)
    }

    fn settings(text: &str) -> SearchSettings {
        let (config, schema) = config(text);
        openclaw_search(&config, schema)
    }

    /// Each key with its agent, value and effect.
    fn rows(text: &str) -> Vec<(Option<String>, String, Value, Effect)> {
        let groups = settings(text).groups.into_iter();
        groups
            .flat_map(|group| {
                let agent = group.agent.clone();
                let rows = group.settings.into_iter();
                rows.map(move |it| (agent.clone(), it.key, it.value, it.effect))
            })
            .collect()
    }

    fn effect_of(text: &str, key: &str) -> Effect {
        let rows = rows(text);
        let found = rows.iter().find(|(_, it, ..)| it == key);
        found.unwrap_or_else(|| panic!("{key} in {rows:?}")).3
    }

    fn voids(text: &str, agent: Option<&str>) -> Vec<String> {
        let (config, schema) = config(text);
        let voids = super::voids(&config, schema, &openclaw_search(&config, schema), agent);
        voids.iter().map(|it| it.sentence().to_owned()).collect()
    }

    /// A config of 2026.7.35 with these settings for all agents.
    fn older(search: &str) -> String {
        format!(
            "{{meta: {{lastTouchedVersion: '2026.7.35'}}, agents: {{defaults: {{memorySearch: {search}}}}}}}"
        )
    }

    fn newest(search: &str) -> String {
        format!("{{memory: {{search: {search}}}}}")
    }

    #[test]
    fn each_key_has_the_effect_that_its_version_gives_it() {
        let text = "{memory: {search: {query: {maxResults: 8, 'minScore': .2, hybrid: {vectorWeight: 0.9}}, sync: {watch: true}, surprise: 1}, backend: 'qmd'},\
            agents: {entries: {iris: {memory: {search: {query: {minScore: '0.1',},}}}}, defaults: {memorySearch: {enabled: true}}},}";
        for (key, effect) in [
            (
                "memory.search.query.maxResults",
                Effect::Sets("openclaw.max_results"),
            ),
            (
                "memory.search.query.minScore",
                Effect::Sets("openclaw.min_score"),
            ),
            (
                "memory.search.query.hybrid.vectorWeight",
                Schema::Since2026Aug.unknown("query.hybrid.vectorWeight"),
            ),
            (
                "memory.search.sync.watch",
                Schema::Since2026Aug.unknown("sync"),
            ),
            (
                "memory.search.surprise",
                Schema::Since2026Aug.unknown("surprise"),
            ),
            ("memory.backend", Schema::Since2026Aug.unknown("backend")),
            (
                "agents.defaults.memorySearch.enabled",
                Schema::Since2026Aug.elsewhere(),
            ),
            (
                "agents.entries.iris.memory.search.query.minScore",
                Effect::WrongKind("a number from 0 to 1, without quotes"),
            ),
        ] {
            assert_eq!(effect_of(text, key), effect, "{key}");
        }
        let text = older(
            "{query: {hybrid: {mmr: {enabled: true}, textWeight: 0.4}}, chunking: {tokens: 200}, sync: {watch: false}, store: {path: 'x'}}",
        );
        for (key, effect) in [
            ("chunking.tokens", Effect::Sets("openclaw.chunk_tokens")),
            ("query.hybrid.mmr.enabled", Effect::Sets("openclaw.mmr_on")),
            (
                "query.hybrid.textWeight",
                Effect::Sets("openclaw.text_weight"),
            ),
            (
                "sync.watch",
                Effect::Elsewhere("it chooses when the index is brought up to date"),
            ),
            ("store.path", Schema::UpTo2026Jul.unknown("store.path")),
        ] {
            assert_eq!(
                effect_of(&text, &format!("agents.defaults.memorySearch.{key}")),
                effect,
                "{key}"
            );
        }
        let text = r#"{"meta": {"lastTouchedVersion": "2026.2.13"}, "agents": {"list": [{"id": "iris", "memorySearch": {"query": {"minScore": 0.3,
            "hybrid": {"mmr": {"enabled": true}}}, "store": {"path": "x"}, "provider": "mistral"}}]}, "memory": {"search": {"enabled": true}}}"#;
        for (key, effect) in [
            (
                "agents.list[iris].memorySearch.query.minScore",
                Effect::Sets("openclaw.min_score"),
            ),
            (
                "agents.list[iris].memorySearch.query.hybrid.mmr.enabled",
                Schema::Feb2026.unknown("mmr"),
            ),
            (
                "agents.list[iris].memorySearch.provider",
                Effect::WrongKind("\"openai\", \"local\", \"gemini\" or \"voyage\""),
            ),
            ("memory.search.enabled", Schema::Feb2026.elsewhere()),
        ] {
            assert_eq!(effect_of(text, key), effect, "{key}");
        }
        assert_eq!(rows("{}"), []);
        assert_eq!(settings("{}").voids, []);
    }

    #[test]
    fn an_unknown_key_with_an_empty_object_refuses_the_file() {
        let check = |text: &str, expected: &[(&str, Effect)]| {
            let rows = rows(text);
            let found: Vec<(&str, Effect)> = rows
                .iter()
                .map(|(_, key, _, effect)| (key.as_str(), *effect))
                .collect();
            assert_eq!(found, expected, "{text}");
            assert_eq!(voids(text, None).is_empty(), expected.is_empty(), "{text}");
        };
        let unknown = |key| Schema::Since2026Aug.unknown(key);
        check(
            &newest("{sync: {}}"),
            &[("memory.search.sync", unknown("sync"))],
        );
        check(
            &newest("{query: {hybrid: {}}}"),
            &[("memory.search.query.hybrid", unknown("query.hybrid"))],
        );
        check(
            &newest("{enabled: {}}"),
            &[(
                "memory.search.enabled",
                Effect::WrongKind("true or false, without quotes"),
            )],
        );
        check(
            "{memory: {backend: {}}}",
            &[("memory.backend", unknown("backend"))],
        );
        check(
            "{agents: {defaults: {memorySearch: {}}}}",
            &[(
                "agents.defaults.memorySearch",
                Schema::Since2026Aug.elsewhere(),
            )],
        );
        check(
            &older("{surprise: {}}"),
            &[(
                "agents.defaults.memorySearch.surprise",
                Schema::UpTo2026Jul.unknown("surprise"),
            )],
        );
        // Sections that the version knows set nothing, and are not refused.
        check(&newest("{query: {}, store: {fts: {}}}"), &[]);
        check(&older("{sync: {}, chunking: {}}"), &[]);
        check(&newest("{}"), &[]);
    }

    #[test]
    fn keys_that_rank_nothing_say_what_they_do() {
        let text = newest(
            "{extraPaths: [{path: 'vault', pattern: '**/*.md'}], sources: ['memory'], store: {fts: {tokenizer: 'trigram'}}, rememberAcrossConversations: false}",
        );
        let rows = rows(&text);
        let rows: Vec<(&str, String, &str)> = rows
            .iter()
            .map(|(_, key, value, effect)| {
                (
                    key.as_str(),
                    value.to_string(),
                    effect.why().unwrap_or_default(),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                (
                    "memory.search.extraPaths",
                    r#"[{"path":"vault","pattern":"**/*.md"}]"#.to_owned(),
                    "it adds folders and files to what is searched"
                ),
                (
                    "memory.search.rememberAcrossConversations",
                    "false".to_owned(),
                    "it adds the agent's other private conversations to what is searched"
                ),
                (
                    "memory.search.sources",
                    r#"["memory"]"#.to_owned(),
                    "it chooses what is searched: notes (memory), session transcripts (sessions)"
                ),
                (
                    "memory.search.store.fts.tokenizer",
                    r#""trigram""#.to_owned(),
                    "it chooses how texts are split into words, and so which words match; Memlens emulates unicode61"
                ),
            ]
        );
        let text = "{meta: {lastTouchedVersion: '2026.7.35'}, memory: {backend: 'qmd', qmd: {command: 'sk-1', limits: {maxResults: 4}}}}";
        assert_eq!(
            effect_of(text, "memory.backend"),
            Effect::Elsewhere("it chooses who searches: OpenClaw itself (builtin) or qmd")
        );
        assert!(
            effect_of(text, "memory.qmd.limits.maxResults")
                .why()
                .is_some_and(|why| why.contains("qmd"))
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let text = r#"{memory: {search: {remote: {apiKey: "sk-1", headers: ["sk-2"]}, "query.minScore": 0.2, provider: "sk-4", oops: "sk-5"}, qmd: {command: "sk-6"}},
            agents: {defaults: {memorySearch: {remote: {apiKey: "sk-3"}}}}, memorySearch: {remote: {apiKey: {id: "sk-7"}}}}"#;
        let settings = settings(text);
        assert!(!format!("{settings:?}").contains("sk-"), "{settings:?}");
        let all = &settings.groups[0].settings;
        let is_there = |key: &str| all.iter().any(|it| it.key == key);
        assert!(
            is_there("memory.search.remote.apiKey") && is_there("memory.search.\"query.minScore\"")
        );
        let text = older(
            "{remote: {apiKey: {source: 'env', id: 'sk-1'}, headers: {auth: 'sk-2'}}, provider: 'x', model: ['sk-3']}",
        );
        let settings = super::tests::settings(&text);
        assert!(!format!("{settings:?}").contains("sk-"), "{settings:?}");
        assert_eq!(
            settings.voids.len(),
            1,
            "the list is of the wrong kind: {settings:?}"
        );
    }

    #[test]
    fn what_makes_the_rest_void_comes_first() {
        for (text, agent, expected) in [
            (
                older("{enabled: false, query: {minScore: 0.35}}"),
                None,
                vec!["Memory search is switched off there (agents.defaults.memorySearch.enabled is false), so nothing is found whatever the rest says."],
            ),
            (
                newest("{sync: {watch: true}, a: 1, b: 2, query: {maxResults: 0}}"),
                None,
                vec!["OpenClaw 2026.9.6 refuses the whole file because of memory.search.a, memory.search.b, memory.search.query.maxResults and 1 more, so nothing in it acts there."],
            ),
            (
                "{memorySearch: {query: {minScore: 0.5}}}".to_owned(),
                None,
                vec!["It is a config of OpenClaw before 2026.2 (memorySearch at the top). Later versions refuse the whole file until `openclaw doctor --fix` moves it."],
            ),
            (
                "{meta: {lastTouchedVersion: '2026.7.35'}, memory: {backend: 'qmd'}}".to_owned(),
                None,
                vec!["qmd searches there (memory.backend is \"qmd\"), so OpenClaw's own ranking settings do not act."],
            ),
            (
                newest("{sources: ['sessions']}"),
                None,
                vec!["Only session transcripts are searched there (memory.search.sources), so no note is found."],
            ),
            (
                older("{extraPaths: [{path: 'vault'}]}"),
                None,
                vec!["OpenClaw 2026.7.35 refuses the whole file because of agents.defaults.memorySearch.extraPaths, so nothing in it acts there."],
            ),
            (
                "{meta: {lastTouchedVersion: '2026.7.35'}, agents: {entries: {iris: {}}}}".to_owned(),
                None,
                vec!["OpenClaw 2026.7.35 refuses the whole file because of agents.entries, so nothing in it acts there."],
            ),
            // Transcripts are not indexed, so notes are searched after all.
            (newest("{sources: ['sessions'], rememberAcrossConversations: false}"), None, vec![]),
            (older("{sources: ['sessions']}"), None, vec![]),
            (
                "{memory: {search: {enabled: false}}, agents: {entries: {iris: {memory: {search: {enabled: true}}}}}}".to_owned(),
                Some("iris"),
                vec![],
            ),
        ] {
            assert_eq!(voids(&text, agent), expected, "{text}");
        }
    }

    #[test]
    fn an_agents_search_is_resolved_as_openclaw_does() {
        let search = |text: &str, agent: Option<&str>| {
            let (config, schema) = config(text);
            memory_search(&config, schema, agent)
        };
        let text = "{memory: {search: {extraPaths: ['../team', {path: '/srv', pattern: '*.md'}, ' '], sources: ['memory', 'sessions'], store: {fts: {tokenizer: 'trigram'}}, provider: 'none'}},
            agents: {entries: {iris: {memory: {search: {enabled: false, extraPaths: ['own'], experimental: {sessionMemory: true}}}}}}, session: {dmScope: 'per-peer'}}";
        let all = search(text, None);
        let paths = |search: &super::MemorySearch| {
            let paths = search.extra_paths.iter();
            paths
                .map(|it| json!([it.path, it.pattern]))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            paths(&all),
            [json!(["../team", null]), json!(["/srv", "*.md"])]
        );
        // Direct messages have conversations of their own, so the default remembers nothing across them.
        assert!(all.switched_off.is_none() && !all.searches_sessions && all.is_words_only);
        assert_eq!(all.tokenizer, "trigram");
        let iris = search(text, Some("iris"));
        assert_eq!(paths(&iris)[2], json!(["own", null]));
        assert!(iris.searches_sessions);
        let off = iris.switched_off.map(|off| off.to_string());
        assert_eq!(
            off.as_deref(),
            Some("agents.entries.iris.memory.search.enabled is false")
        );
        let plain = search("{}", None);
        assert!(plain.switched_off.is_none() && !plain.searches_sessions && !plain.uses_qmd);
        assert_eq!(plain.tokenizer, "unicode61");
        let off = older("{query: {hybrid: {enabled: false}}}");
        assert!(search(&off, None).is_vectors_only);
    }

    #[test]
    fn the_agent_that_is_meant_where_none_is_named() {
        for (text, expected) in [
            ("{}", None),
            ("{agents: {entries: {iris: {}}}}", Some("iris")),
            (
                "{agents: {entries: {iris: {}, theo: {default: true}}}}",
                None,
            ),
            (
                "{meta: {lastTouchedVersion: '2026.7.35'}, agents: {list: [{id: 'iris'}, {id: 'theo', default: true}]}}",
                Some("theo"),
            ),
            (
                "{meta: {lastTouchedVersion: '2026.7.35'}, agents: {list: [{id: 'iris'}, {id: 'theo'}]}}",
                Some("iris"),
            ),
        ] {
            let (config, schema) = config(text);
            assert_eq!(
                default_agent(&config, schema).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
