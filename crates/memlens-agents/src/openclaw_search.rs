//! What an OpenClaw config says of its memory search: each key with what the version that wrote it does with it.
//!
//! Sources: the schemas of the published packages 2026.7.35, 2026.8.1 and 2026.9.6.

use serde_json::Value;

/// The settings of one config.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSettings {
    /// The version that wrote the config last; none where it does not say.
    pub version: Option<String>,
    /// The settings for all agents, then those of single agents that set their own.
    pub groups: Vec<SettingGroup>,
}

/// Settings that hold together.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingGroup {
    /// The agent whose they are; none for those of all.
    pub agent: Option<String>,
    /// Each key that is set, in the order of their names.
    pub settings: Vec<Setting>,
}

/// One key.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its path in the config, joined by dots.
    pub key: String,
    /// Its value, as JSON.
    pub value: Value,
    /// What the version does with it.
    pub effect: Effect,
}

/// What a version of OpenClaw does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It is the parameter of this name of the emulated search.
    Sets(&'static str),
    /// It acts, and the emulation does otherwise: why.
    NotEmulated(&'static str),
    /// It has no effect: why.
    Without(&'static str),
    /// The version refuses it, and with it the whole config: why.
    Refused(&'static str),
    /// Its value is of the wrong kind: what it takes.
    WrongKind(&'static str),
}

impl Effect {
    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Sets(_) => "sets",
            Effect::NotEmulated(_) => "not_emulated",
            Effect::Without(_) => "without_effect",
            Effect::Refused(_) => "refused",
            Effect::WrongKind(_) => "wrong_kind",
        }
    }

    /// The parameter that the key sets; none where it sets none.
    pub fn parameter(self) -> Option<&'static str> {
        match self {
            Effect::Sets(parameter) => Some(parameter),
            Effect::NotEmulated(_)
            | Effect::Without(_)
            | Effect::Refused(_)
            | Effect::WrongKind(_) => None,
        }
    }

    /// Why it sets none, or what it takes; none where it does.
    pub fn why(self) -> Option<&'static str> {
        match self {
            Effect::Sets(_) => None,
            Effect::NotEmulated(why)
            | Effect::Without(why)
            | Effect::Refused(why)
            | Effect::WrongKind(why) => Some(why),
        }
    }
}

/// What a key takes.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Number,
    Toggle,
    Text,
}

/// A key below a search's settings, and what it sets.
pub(crate) type Known = (&'static str, Kind, Effect);

pub(crate) static SINCE_2026_8: [Known; 2] = [
    (
        "query.maxResults",
        Kind::Number,
        Effect::Sets("openclaw.max_results"),
    ),
    (
        "query.minScore",
        Kind::Number,
        Effect::Sets("openclaw.min_score"),
    ),
];

/// What 2026.2 reads; later versions up to 2026.7 read it as well.
pub(crate) const FEB_2026: [Known; 8] = [
    (
        "query.maxResults",
        Kind::Number,
        Effect::Sets("openclaw.max_results"),
    ),
    (
        "query.minScore",
        Kind::Number,
        Effect::Sets("openclaw.min_score"),
    ),
    (
        "query.hybrid.vectorWeight",
        Kind::Number,
        Effect::Sets("openclaw.vector_weight"),
    ),
    (
        "query.hybrid.textWeight",
        Kind::Number,
        Effect::Sets("openclaw.text_weight"),
    ),
    (
        "query.hybrid.candidateMultiplier",
        Kind::Number,
        Effect::Sets("openclaw.candidate_multiplier"),
    ),
    (
        "query.hybrid.enabled",
        Kind::Toggle,
        Effect::NotEmulated("both lists are always asked here"),
    ),
    (
        "chunking.tokens",
        Kind::Number,
        Effect::Sets("openclaw.chunk_tokens"),
    ),
    (
        "chunking.overlap",
        Kind::Number,
        Effect::Sets("openclaw.chunk_overlap"),
    ),
];

pub(crate) static UP_TO_2026_7: [Known; 12] = [
    FEB_2026[0],
    FEB_2026[1],
    FEB_2026[2],
    FEB_2026[3],
    FEB_2026[4],
    FEB_2026[5],
    FEB_2026[6],
    FEB_2026[7],
    (
        "query.hybrid.mmr.enabled",
        Kind::Toggle,
        Effect::Sets("openclaw.mmr_on"),
    ),
    (
        "query.hybrid.mmr.lambda",
        Kind::Number,
        Effect::Sets("openclaw.mmr_lambda"),
    ),
    (
        "query.hybrid.temporalDecay.enabled",
        Kind::Toggle,
        Effect::Sets("openclaw.decay_on"),
    ),
    (
        "query.hybrid.temporalDecay.halfLifeDays",
        Kind::Number,
        Effect::Sets("openclaw.half_life_days"),
    ),
];

const REFUSED: Effect = Effect::Refused(
    "OpenClaw 2026.8 and later fixes this and refuses the key, and with it the whole config",
);
const MOVED: Effect =
    Effect::Refused("OpenClaw 2026.8 and later reads memory.search instead and refuses this key");
const NOT_YET: Effect =
    Effect::Without("read since OpenClaw 2026.8; this version does not know it");
const NOT_IN_FEBRUARY: Effect = Effect::Without("2026.2 does not read it");
const MODEL: Effect =
    Effect::NotEmulated("it chooses the embedding model; Memlens searches with its own");
const UNKNOWN: Effect = Effect::Without("Memlens does not know this key");

/// What becomes of a key that no table holds. `fixed` stands for those that 2026.8 fixed.
fn otherwise(key: &str, fixed: Effect) -> Effect {
    let top = key.split('.').next().unwrap_or(key);
    match top {
        "provider" | "model" | "remote" | "local" | "fallback" => MODEL,
        "chunking" => fixed,
        _ if key.starts_with("query.hybrid.") => fixed,
        _ => UNKNOWN,
    }
}

/// Which keys a version of OpenClaw reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// Those of 2026.2.
    Feb2026,
    /// Those of 2026.3 to 2026.7.
    UpTo2026Jul,
    /// Those of 2026.8 and later, in another place.
    Since2026Aug,
}

/// What an OpenClaw config sets. `schema` tells by a version which keys are read; without a version the newest ones are.
pub fn openclaw_search(config: &Value, schema: impl Fn(&str) -> Schema) -> SearchSettings {
    let version = config["meta"]["lastTouchedVersion"]
        .as_str()
        .map(str::to_owned);
    let schema = version.as_deref().map_or(Schema::Since2026Aug, schema);
    let is_new = schema == Schema::Since2026Aug;
    let mut groups = vec![SettingGroup {
        agent: None,
        settings: Vec::new(),
    }];
    let search = |value: &Value, key: &str, settings: &mut Vec<Setting>| {
        each(value, "", &mut |below, value| {
            let effect = if is_new {
                effect(&SINCE_2026_8, below, value, otherwise(below, REFUSED))
            } else {
                NOT_YET
            };
            settings.push(setting(key, below, value, effect));
        });
    };
    search(
        &config["memory"]["search"],
        "memory.search",
        &mut groups[0].settings,
    );
    let settings = &mut groups[0].settings;
    each(
        &config["agents"]["defaults"]["memorySearch"],
        "",
        &mut |below, value| {
            let effect = match schema {
                Schema::Since2026Aug => MOVED,
                Schema::UpTo2026Jul => {
                    effect(&UP_TO_2026_7, below, value, otherwise(below, UNKNOWN))
                }
                Schema::Feb2026 => {
                    effect(&FEB_2026, below, value, otherwise(below, NOT_IN_FEBRUARY))
                }
            };
            settings.push(setting(
                "agents.defaults.memorySearch",
                below,
                value,
                effect,
            ));
        },
    );
    for (agent, entry) in config["agents"]["entries"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let mut settings = Vec::new();
        let key = format!("agents.entries.{agent}.memory.search");
        search(&entry["memory"]["search"], &key, &mut settings);
        if !settings.is_empty() {
            groups.push(SettingGroup {
                agent: Some(agent.clone()),
                settings,
            });
        }
    }
    SearchSettings { version, groups }
}

fn setting(root: &str, below: &str, value: &Value, effect: Effect) -> Setting {
    Setting {
        key: format!("{root}.{below}"),
        value: shown(effect, value),
        effect,
    }
}

/// A value as it may be shown: texts only of keys that are known, as others may be secrets.
pub(crate) fn shown(effect: Effect, value: &Value) -> Value {
    match (effect, value) {
        (Effect::Sets(_) | Effect::WrongKind(_), _) | (_, Value::Bool(_) | Value::Number(_)) => {
            value.clone()
        }
        _ => Value::from("…"),
    }
}

pub(crate) fn effect(known: &[Known], key: &str, value: &Value, otherwise: Effect) -> Effect {
    let found = known.iter().find(|(known, ..)| *known == key);
    match found {
        None => otherwise,
        Some((_, Kind::Number, _)) if !value.is_number() => {
            Effect::WrongKind("a number, without quotes")
        }
        Some((_, Kind::Toggle, _)) if !value.is_boolean() => {
            Effect::WrongKind("true or false, without quotes")
        }
        Some((_, Kind::Text, _)) if !value.is_string() => Effect::WrongKind("a text in quotes"),
        Some((.., effect)) => *effect,
    }
}

/// Every value that is no object, with its path.
pub(crate) fn each(value: &Value, path: &str, tell: &mut dyn FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                // A name that holds dots is no path of keys.
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
    use super::{Effect, Schema, openclaw_search};
    use crate::config::parse_text;

    fn effects(text: &str) -> Vec<(Option<String>, String, Effect)> {
        let config = parse_text(text).expect("it can be read");
        let groups = openclaw_search(&config, |version| match version {
            "2026.7.35" => Schema::UpTo2026Jul,
            "2026.2.13" => Schema::Feb2026,
            _ => Schema::Since2026Aug,
        })
        .groups;
        groups
            .into_iter()
            .flat_map(|group| {
                let agent = group.agent.clone();
                group
                    .settings
                    .into_iter()
                    .map(move |it| (agent.clone(), it.key, it.effect))
            })
            .collect()
    }

    #[test]
    fn each_key_is_told_with_what_its_version_does() {
        let newest = "// mine\n{memory: {search: {query: {maxResults: 8, 'minScore': .2, hybrid: {vectorWeight: 0.9}}}},\
            agents: {entries: {iris: {memory: {search: {query: {minScore: '0.1',},}}}}, defaults: {memorySearch: {enabled: true}}},}";
        let told = effects(newest);
        let of = |key: &str| {
            let found = told.iter().find(|(_, told, _)| told == key);
            found
                .map(|(agent, _, effect)| (agent.clone(), *effect))
                .unwrap_or_else(|| panic!("{told:?}"))
        };
        assert_eq!(
            of("memory.search.query.maxResults"),
            (None, Effect::Sets("openclaw.max_results"))
        );
        assert_eq!(
            of("memory.search.query.minScore"),
            (None, Effect::Sets("openclaw.min_score"))
        );
        assert_eq!(
            of("memory.search.query.hybrid.vectorWeight"),
            (None, super::REFUSED)
        );
        assert_eq!(
            of("agents.defaults.memorySearch.enabled"),
            (None, super::MOVED)
        );
        assert_eq!(
            of("agents.entries.iris.memory.search.query.minScore"),
            (
                Some("iris".to_owned()),
                Effect::WrongKind("a number, without quotes")
            )
        );
        let older = r#"{"meta": {"lastTouchedVersion": "2026.7.35"}, "memory": {"search": {"query": {"maxResults": 3}}},
            "agents": {"defaults": {"memorySearch": {"query": {"hybrid": {"mmr": {"enabled": true}, "textWeight": 0.4}},
            "chunking": {"tokens": 200}, "extra": 1}}}}"#;
        let told: Vec<Effect> = effects(older)
            .into_iter()
            .map(|(.., effect)| effect)
            .collect();
        assert_eq!(
            told,
            [
                super::NOT_YET,
                Effect::Sets("openclaw.chunk_tokens"),
                super::UNKNOWN,
                Effect::Sets("openclaw.mmr_on"),
                Effect::Sets("openclaw.text_weight"),
            ]
        );
        let oldest = r#"{"meta": {"lastTouchedVersion": "2026.2.13"}, "agents": {"defaults": {"memorySearch": {"query": {"minScore": 0.3,
            "hybrid": {"mmr": {"enabled": true}}}}}}}"#;
        let told: Vec<Effect> = effects(oldest)
            .into_iter()
            .map(|(.., effect)| effect)
            .collect();
        assert_eq!(
            told,
            [super::NOT_IN_FEBRUARY, Effect::Sets("openclaw.min_score")]
        );
        let secrets = r#"{memory: {search: {remote: {apiKey: "sk-1", headers: ["sk-2"]}, "query.minScore": 0.2, provider: "openai"}},
            agents: {defaults: {memorySearch: {remote: {apiKey: "sk-3"}}}}}"#;
        let told: Vec<(String, Effect)> = effects(secrets)
            .into_iter()
            .map(|(_, key, effect)| (key, effect))
            .collect();
        let key = |key: &str, effect: Effect| (format!("memory.search.{key}"), effect);
        assert_eq!(
            told[..4],
            [
                key("provider", super::MODEL),
                key("\"query.minScore\"", super::UNKNOWN),
                key("remote.apiKey", super::MODEL),
                key("remote.headers", super::MODEL),
            ]
        );
        let config = parse_text(secrets).expect("it can be read");
        let settings = openclaw_search(&config, |_| Schema::Since2026Aug);
        assert!(!format!("{settings:?}").contains("sk-"), "{settings:?}");
        assert_eq!(effects("{}"), []);
    }
}
