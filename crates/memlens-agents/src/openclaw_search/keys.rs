//! The keys of OpenClaw's memory search, edition by edition, with what each does.
//!
//! Sources: the schemas and `docs/reference/memory-config.md` of the published packages 2026.2.12, 2026.7.35, 2026.8.1 and
//! 2026.9.6. All of these schemas are strict: one unknown key, or one value of the wrong kind, and OpenClaw refuses the file.

use serde_json::Value;

use super::{Effect, Schema};

/// Type of value that a key accepts.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Number,
    /// A whole number from 1.
    Count,
    /// A whole number from 0.
    CountOrNone,
    /// A number from 0 to 1.
    Share,
    Toggle,
    Text,
    List,
    Texts,
    /// One of these words; the second field names them for the user.
    OneOf(&'static [&'static str], &'static str),
    /// An object with free keys.
    Object,
    /// Anything, and any keys below it.
    Any,
}

impl Kind {
    /// The accepted type, if the value has another one.
    pub(crate) fn refuses(self, value: &Value) -> Option<&'static str> {
        let is_whole = |least: f64| {
            value
                .as_f64()
                .is_some_and(|it| it.fract() == 0.0 && it >= least)
        };
        let (is_it, takes) = match self {
            Kind::Number => (value.is_number(), "a number, without quotes"),
            Kind::Count => (is_whole(1.0), "a whole number from 1, without quotes"),
            Kind::CountOrNone => (is_whole(0.0), "a whole number from 0, without quotes"),
            Kind::Share => (
                value.as_f64().is_some_and(|it| (0.0..=1.0).contains(&it)),
                "a number from 0 to 1, without quotes",
            ),
            Kind::Toggle => (value.is_boolean(), "true or false, without quotes"),
            Kind::Text => (value.is_string(), "a text in quotes"),
            Kind::List => (value.is_array(), "a list in square brackets"),
            Kind::Texts => (
                value
                    .as_array()
                    .is_some_and(|items| items.iter().all(serde_json::Value::is_string)),
                "a list of texts in square brackets",
            ),
            Kind::OneOf(words, takes) => {
                (value.as_str().is_some_and(|it| words.contains(&it)), takes)
            }
            Kind::Object => (value.is_object(), "names with values in braces"),
            Kind::Any => (true, ""),
        };
        (!is_it).then_some(takes)
    }
}

/// A key below a search's settings, what it takes, and what it does.
pub(crate) type Known = (&'static str, Kind, Effect);

/// The effect of a key with this value; `otherwise` for an unknown key.
pub(crate) fn effect(known: &[Known], key: &str, value: &Value, otherwise: Effect) -> Effect {
    let is_it = |(name, kind, _): &&Known| {
        let below = matches!(kind, Kind::Any).then(|| key.strip_prefix(name));
        *name == key || below.flatten().is_some_and(|it| it.starts_with('.'))
    };
    match known.iter().find(is_it) {
        None => otherwise,
        Some((_, kind, effect)) => kind.refuses(value).map_or(*effect, Effect::WrongKind),
    }
}

/// Whether a value is an empty section of known keys, which sets nothing.
pub(crate) fn is_empty_section(known: &[Known], key: &str, value: &Value) -> bool {
    let is_below = |(name, ..): &Known| {
        name.strip_prefix(key)
            .is_some_and(|below| below.starts_with('.'))
    };
    value.as_object().is_some_and(serde_json::Map::is_empty) && known.iter().any(is_below)
}

const MODEL: Effect =
    Effect::NotEmulated("it chooses the embedding model; Memlens searches with its own");
const SWITCH: Effect = Effect::Elsewhere("it switches memory search on or off");
const EXTRA_PATHS: Effect = Effect::Elsewhere("it adds folders and files to what is searched");
const SOURCES: Effect = Effect::Elsewhere(
    "it chooses what is searched: notes (memory), session transcripts (sessions)",
);
const TRANSCRIPTS: Effect = Effect::Elsewhere("it adds session transcripts to what is searched");
const IMAGES: Effect = Effect::Elsewhere("it adds images and audio to what is searched");
const TOKENIZER: Effect = Effect::NotEmulated(
    "it chooses how texts are split into words, and so which words match; Memlens emulates unicode61",
);
/// Whether a string at such a key is left out wherever it is shown, because it may be a secret or a path.
pub(crate) fn is_private(effect: Effect) -> bool {
    effect == MODEL || effect == OF_QMD || matches!(effect, Effect::Refused(_) | Effect::Without(_))
}

const VECTORS: Effect =
    Effect::Elsewhere("it chooses how vectors are searched, which does not change their order");
const STORE: Effect = Effect::Elsewhere("it chooses where the index is stored");
const CACHE: Effect = Effect::Elsewhere("it keeps embeddings, so that equal texts cost nothing");
const SYNC: Effect = Effect::Elsewhere("it chooses when the index is brought up to date");
const FOOTERS: Effect = Effect::Elsewhere("it adds the source below each result");
const OF_QMD: Effect = Effect::Elsewhere("it sets up qmd, which searches if memory.backend is qmd");

const TOKENIZERS: Kind = Kind::OneOf(&["unicode61", "trigram"], "\"unicode61\" or \"trigram\"");
const MAX_RESULTS: Known = (
    "query.maxResults",
    Kind::Count,
    Effect::Sets("openclaw.max_results"),
);
const MIN_SCORE: Known = (
    "query.minScore",
    Kind::Share,
    Effect::Sets("openclaw.min_score"),
);
const VECTOR_WEIGHT: Known = (
    "query.hybrid.vectorWeight",
    Kind::Share,
    Effect::Sets("openclaw.vector_weight"),
);
const TEXT_WEIGHT: Known = (
    "query.hybrid.textWeight",
    Kind::Share,
    Effect::Sets("openclaw.text_weight"),
);
const MULTIPLIER: Known = (
    "query.hybrid.candidateMultiplier",
    Kind::Count,
    Effect::Sets("openclaw.candidate_multiplier"),
);
const HYBRID: Known = (
    "query.hybrid.enabled",
    Kind::Toggle,
    Effect::NotEmulated(
        "it chooses whether words are searched too; both lists are always searched here",
    ),
);
const CHUNK_TOKENS: Known = (
    "chunking.tokens",
    Kind::Count,
    Effect::Sets("openclaw.chunk_tokens"),
);
const CHUNK_OVERLAP: Known = (
    "chunking.overlap",
    Kind::CountOrNone,
    Effect::Sets("openclaw.chunk_overlap"),
);
const ENABLED: Known = ("enabled", Kind::Toggle, SWITCH);
const SOURCES_KEY: Known = ("sources", Kind::List, SOURCES);
const EXTRA_PATHS_KEY: Known = ("extraPaths", Kind::Texts, EXTRA_PATHS);
const SESSION_MEMORY: Known = ("experimental.sessionMemory", Kind::Toggle, TRANSCRIPTS);
const MULTIMODAL: [Known; 3] = [
    ("multimodal.enabled", Kind::Toggle, IMAGES),
    ("multimodal.modalities", Kind::List, IMAGES),
    ("multimodal.maxFileBytes", Kind::Count, IMAGES),
];
const PROVIDER: Known = ("provider", Kind::Text, MODEL);
const FALLBACK: Known = ("fallback", Kind::Text, MODEL);
const MODEL_KEY: Known = ("model", Kind::Text, MODEL);
const BASE_URL: Known = ("remote.baseUrl", Kind::Text, MODEL);
const API_KEY: Known = ("remote.apiKey", Kind::Any, MODEL);
const HEADERS: Known = ("remote.headers", Kind::Any, MODEL);
const BATCH: Known = ("remote.batch.enabled", Kind::Toggle, MODEL);
const BATCHES: [Known; 4] = [
    ("remote.batch.wait", Kind::Toggle, MODEL),
    ("remote.batch.concurrency", Kind::Count, MODEL),
    ("remote.batch.pollIntervalMs", Kind::CountOrNone, MODEL),
    ("remote.batch.timeoutMinutes", Kind::Count, MODEL),
];
const INPUTS: [Known; 4] = [
    ("inputType", Kind::Text, MODEL),
    ("queryInputType", Kind::Text, MODEL),
    ("documentInputType", Kind::Text, MODEL),
    ("outputDimensionality", Kind::Count, MODEL),
];
const MODEL_PATH: Known = ("local.modelPath", Kind::Text, MODEL);
const MODEL_CACHE: Known = ("local.modelCacheDir", Kind::Text, MODEL);
const TOKENIZER_KEY: Known = ("store.fts.tokenizer", TOKENIZERS, TOKENIZER);
const VECTOR_STORE: [Known; 2] = [
    ("store.vector.enabled", Kind::Toggle, VECTORS),
    ("store.vector.extensionPath", Kind::Text, VECTORS),
];
const DRIVER: Known = (
    "store.driver",
    Kind::OneOf(&["sqlite"], "\"sqlite\""),
    STORE,
);
const CACHE_ON: Known = ("cache.enabled", Kind::Toggle, CACHE);
const CACHE_SIZE: Known = ("cache.maxEntries", Kind::Count, CACHE);
const SYNCS: [Known; 7] = [
    ("sync.onSessionStart", Kind::Toggle, SYNC),
    ("sync.onSearch", Kind::Toggle, SYNC),
    ("sync.watch", Kind::Toggle, SYNC),
    ("sync.watchDebounceMs", Kind::CountOrNone, SYNC),
    ("sync.intervalMinutes", Kind::CountOrNone, SYNC),
    ("sync.sessions.deltaBytes", Kind::CountOrNone, SYNC),
    ("sync.sessions.deltaMessages", Kind::CountOrNone, SYNC),
];

/// Known keys below `memory.search`, since 2026.8.
pub(crate) const SINCE_2026_8: &[Known] = &[
    MAX_RESULTS,
    MIN_SCORE,
    ENABLED,
    (
        "rememberAcrossConversations",
        Kind::Toggle,
        Effect::Elsewhere("it adds the agent's other private conversations to what is searched"),
    ),
    SOURCES_KEY,
    ("extraPaths", Kind::List, EXTRA_PATHS),
    MULTIMODAL[0],
    MULTIMODAL[1],
    MULTIMODAL[2],
    SESSION_MEMORY,
    PROVIDER,
    BASE_URL,
    API_KEY,
    HEADERS,
    BATCH,
    FALLBACK,
    MODEL_KEY,
    INPUTS[0],
    INPUTS[1],
    INPUTS[2],
    INPUTS[3],
    MODEL_PATH,
    TOKENIZER_KEY,
    VECTOR_STORE[0],
    VECTOR_STORE[1],
    CACHE_ON,
];

/// Below `agents.defaults.memorySearch`, from 2026.3 to 2026.7.
pub(crate) const UP_TO_2026_7: &[Known] = &[
    MAX_RESULTS,
    MIN_SCORE,
    VECTOR_WEIGHT,
    TEXT_WEIGHT,
    MULTIPLIER,
    HYBRID,
    CHUNK_TOKENS,
    CHUNK_OVERLAP,
    (
        "query.hybrid.mmr.enabled",
        Kind::Toggle,
        Effect::Sets("openclaw.mmr_on"),
    ),
    (
        "query.hybrid.mmr.lambda",
        Kind::Share,
        Effect::Sets("openclaw.mmr_lambda"),
    ),
    (
        "query.hybrid.temporalDecay.enabled",
        Kind::Toggle,
        Effect::Sets("openclaw.decay_on"),
    ),
    (
        "query.hybrid.temporalDecay.halfLifeDays",
        Kind::Count,
        Effect::Sets("openclaw.half_life_days"),
    ),
    ENABLED,
    SOURCES_KEY,
    EXTRA_PATHS_KEY,
    ("qmd.extraCollections", Kind::List, OF_QMD),
    MULTIMODAL[0],
    MULTIMODAL[1],
    MULTIMODAL[2],
    SESSION_MEMORY,
    PROVIDER,
    BASE_URL,
    API_KEY,
    HEADERS,
    ("remote.nonBatchConcurrency", Kind::Count, MODEL),
    BATCH,
    BATCHES[0],
    BATCHES[1],
    BATCHES[2],
    BATCHES[3],
    FALLBACK,
    MODEL_KEY,
    INPUTS[0],
    INPUTS[1],
    INPUTS[2],
    INPUTS[3],
    MODEL_PATH,
    MODEL_CACHE,
    ("local.contextSize", Kind::Any, MODEL),
    DRIVER,
    TOKENIZER_KEY,
    VECTOR_STORE[0],
    VECTOR_STORE[1],
    SYNCS[0],
    SYNCS[1],
    SYNCS[2],
    SYNCS[3],
    SYNCS[4],
    SYNCS[5],
    SYNCS[6],
    ("sync.embeddingBatchTimeoutSeconds", Kind::Count, SYNC),
    ("sync.sessions.postCompactionForce", Kind::Toggle, SYNC),
    CACHE_ON,
    CACHE_SIZE,
];

/// Known keys below `agents.defaults.memorySearch`, in 2026.2.
pub(crate) const FEB_2026: &[Known] = &[
    MAX_RESULTS,
    MIN_SCORE,
    VECTOR_WEIGHT,
    TEXT_WEIGHT,
    MULTIPLIER,
    HYBRID,
    CHUNK_TOKENS,
    CHUNK_OVERLAP,
    ENABLED,
    SOURCES_KEY,
    EXTRA_PATHS_KEY,
    SESSION_MEMORY,
    (
        "provider",
        Kind::OneOf(
            &["openai", "local", "gemini", "voyage"],
            "\"openai\", \"local\", \"gemini\" or \"voyage\"",
        ),
        MODEL,
    ),
    BASE_URL,
    API_KEY,
    HEADERS,
    BATCH,
    BATCHES[0],
    BATCHES[1],
    BATCHES[2],
    BATCHES[3],
    (
        "fallback",
        Kind::OneOf(
            &["openai", "local", "gemini", "voyage", "none"],
            "\"openai\", \"local\", \"gemini\", \"voyage\" or \"none\"",
        ),
        MODEL,
    ),
    MODEL_KEY,
    MODEL_PATH,
    MODEL_CACHE,
    DRIVER,
    ("store.path", Kind::Text, STORE),
    VECTOR_STORE[0],
    VECTOR_STORE[1],
    SYNCS[0],
    SYNCS[1],
    SYNCS[2],
    SYNCS[3],
    SYNCS[4],
    SYNCS[5],
    SYNCS[6],
    CACHE_ON,
    CACHE_SIZE,
];

const BACKEND: Known = (
    "backend",
    Kind::OneOf(&["builtin", "qmd"], "\"builtin\" or \"qmd\""),
    Effect::Elsewhere("it chooses who searches: OpenClaw itself (builtin) or qmd"),
);
const CITATIONS: Known = (
    "citations",
    Kind::OneOf(&["auto", "on", "off"], "\"auto\", \"on\" or \"off\""),
    FOOTERS,
);

/// Below `memory`, up to 2026.7.
const MEMORY_UP_TO_2026_7: &[Known] = &[BACKEND, CITATIONS, ("qmd", Kind::Any, OF_QMD)];
/// Below `memory` beside `search`, since 2026.8.
const MEMORY_SINCE_2026_8: &[Known] = &[CITATIONS];

impl Schema {
    /// The keys of the search's settings.
    pub(crate) fn keys(self) -> &'static [Known] {
        match self {
            Schema::Feb2026 => FEB_2026,
            Schema::UpTo2026Jul => UP_TO_2026_7,
            Schema::Since2026Aug => SINCE_2026_8,
        }
    }

    /// The keys below `memory` beside `search`.
    pub(crate) fn memory_keys(self) -> &'static [Known] {
        match self {
            Schema::Feb2026 | Schema::UpTo2026Jul => MEMORY_UP_TO_2026_7,
            Schema::Since2026Aug => MEMORY_SINCE_2026_8,
        }
    }

    /// Version of the package that was read.
    pub fn checked_with(self) -> &'static str {
        match self {
            Schema::Feb2026 => "2026.2.12",
            Schema::UpTo2026Jul => "2026.7.35",
            Schema::Since2026Aug => "2026.9.6",
        }
    }

    /// Effect of an unknown key of the search's settings.
    pub(crate) fn unknown(self, key: &str) -> Effect {
        let is_fixed = key.split('.').next() == Some("chunking") || key.starts_with("query.hybrid");
        match self {
            Schema::Since2026Aug if is_fixed => Effect::Refused(
                "2026.8 and later fix this; 2026.9.6 refuses the key, and with it the whole file",
            ),
            Schema::Since2026Aug => {
                Effect::Refused("2026.9.6 does not know this key, and refuses the whole file")
            }
            Schema::UpTo2026Jul => {
                Effect::Refused("2026.7.35 does not know this key, and refuses the whole file")
            }
            Schema::Feb2026 => {
                Effect::Refused("2026.2.12 does not know this key, and refuses the whole file")
            }
        }
    }

    /// Effect of settings in the place where other versions have them.
    pub(crate) fn elsewhere(self) -> Effect {
        match self {
            Schema::Since2026Aug => Effect::Refused(
                "since 2026.8 these settings are in memory.search; 2026.9.6 refuses the whole file until `openclaw doctor --fix` moves them",
            ),
            Schema::UpTo2026Jul => {
                Effect::Refused("memory.search came with 2026.8; 2026.7.35 refuses the whole file")
            }
            Schema::Feb2026 => {
                Effect::Refused("memory.search came with 2026.8; 2026.2.12 refuses the whole file")
            }
        }
    }
}
