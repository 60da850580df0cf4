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
