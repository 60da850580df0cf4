//! What a person chose outside ranking: a provider over HTTP, a model on this machine, a command of their own.
//!
//! Choices are settings of the library, checked when they are made. A key is no setting: it goes into the system's
//! keyring, or stays in the environment variable that the person names.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memlens_params::{Params, RerankMode};
use memlens_rerank::hook::HookCommand;
use memlens_rerank::http::{Kind, Price, Provider};
use memlens_rerank::{Limits, Reranker, Scale, keys};
use memlens_store::Store;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{Engine, EngineError, Library};

mod http;
mod model;

use http::Checked;
pub use http::{HttpChoice, HttpState, KeyState};
pub use model::{ModelChoice, ModelOffer};
pub(crate) use model::{erase_models, models_folder, named as named_model};

/// The settings' keys.
const HTTP: &str = "rerank_http";
const MODEL: &str = "rerank_model";
const HOOK: &str = "hook";
/// The providers whose keys this library put into the keyring.
const KEPT_KEYS: &str = "rerank_keys";

/// What a test sends: no note's text.
const TEST_QUERY: &str = "Where does the ferry leave from?";
const TEST_TEXTS: [&str; 2] = [
    "The ferry leaves from the northern pier every hour.",
    "Bread rises best in a warm kitchen.",
];

/// All that a person chose for reranking, and what there is to choose from.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RerankSettings {
    /// The provider over HTTP; none where none was ever set.
    pub http: Option<HttpState>,
    /// The cross-encoder; none where none is chosen.
    pub model: Option<ModelChoice>,
    /// The person's own command and its arguments; none where none is set.
    pub hook: Option<Vec<String>>,
    /// The kinds of providers, in the order in which they are offered.
    pub kinds: Vec<KindOffer>,
    /// The cross-encoders that can be had by name, the smallest first.
    pub models: Vec<ModelOffer>,
}

/// A kind of provider to choose.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct KindOffer {
    /// Its name.
    pub kind: &'static str,
    /// Its name as a person knows it.
    pub label: &'static str,
    /// Where it is found by default; empty where that is not known.
    pub url: &'static str,
    /// The model that is asked for where none is named.
    pub model: Option<&'static str>,
    /// Whether nobody is served without a key.
    pub needs_key: bool,
    /// US dollars for a thousand questions, where it is paid so.
    pub price_per_thousand: Option<f64>,
    /// US dollars for a million tokens, where it is paid so.
    pub price_per_million_tokens: Option<f64>,
}

/// What a person changes.
pub enum RerankChange {
    /// Sets the provider over HTTP. No key leaves the one that is kept; an empty one forgets it.
    Http(HttpChoice, Option<String>),
    /// Switches the provider off; what it was set to stays.
    HttpOff,
    /// Takes the provider's key out of the keyring, where this library put one there.
    ForgetKey,
    /// Chooses a cross-encoder, once it was loaded and scored a trial, or none.
    Model(Option<ModelChoice>),
    /// Sets the command, or takes it away.
    Hook(Option<Vec<String>>),
}

/// What a provider made of a question and two texts that are no notes.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RerankTest {
    /// How long it took.
    pub ms: f64,
    /// The score of a text that answers the question, and of one that does not.
    pub scores: Vec<f64>,
    /// The name of their scale.
    pub scale: &'static str,
    /// The model, as scores are kept by it.
    pub model: String,
    /// The host that was asked.
    pub host: String,
}

/// Names an entry of the keyring.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptKey {
    kind: String,
    url: String,
}

impl KeptKey {
    fn of(provider: &Provider) -> KeptKey {
        KeptKey {
            kind: provider.kind.as_str().to_owned(),
            url: provider.url.clone(),
        }
    }

    /// Whether it is this provider's; an entry belongs to a kind and a host.
    fn is_of(&self, provider: &Provider) -> bool {
        let hosts = self.clone().provider().map(|kept| kept.host());
        match (hosts, provider.host()) {
            (Some(Ok(kept)), Ok(host)) => self.kind == provider.kind.as_str() && kept == host,
            (_, _) => false,
        }
    }

    fn provider(self) -> Option<Provider> {
        Some(Provider::new(Kind::named(&self.kind)?, self.url))
    }
}

impl Library {
    /// What is chosen for reranking, and tells where the key of a provider is that is on.
    ///
    /// # Errors
    /// [`EngineError::Store`]; [`EngineError::Setting`] for a choice that this version does not understand.
    pub fn rerank_settings(&self) -> Result<RerankSettings, EngineError> {
        let (http, kept, model, hook) = {
            let store = self.store();
            // Those that are not understood are told by what needs them.
            let kept: Option<Vec<KeptKey>> = read(&store, KEPT_KEYS).unwrap_or_default();
            (
                chosen_http(&store)?,
                kept.unwrap_or_default(),
                read(&store, MODEL)?,
                read(&store, HOOK)?,
            )
        };
        Ok(RerankSettings {
            http: http
                .map(|http| http.state(kept.iter().any(|key| key.is_of(&http.provider))))
                .transpose()?,
            model,
            hook,
            kinds: Kind::ALL.into_iter().map(offer).collect(),
            models: model::offers(self.dir()),
        })
    }

    /// The host that note text or a key would go to by this choice and did not by the one before; none where
    /// nothing new leaves this machine.
    ///
    /// # Errors
    /// As [`HttpChoice`]'s checks in [`Library::change_rerank`], and [`EngineError::Store`].
    pub fn new_host(&self, choice: &HttpChoice) -> Result<Option<String>, EngineError> {
        let before = Settings::of(&self.store())?.http;
        let asked = choice.clone().check()?;
        let is_known = before
            .and_then(|before| before.check().ok())
            .is_some_and(|before| asked.sends_no_more_than(&before));
        asked.remote_host().map(|host| host.filter(|_| !is_known))
    }

    /// The folder whose files would be read by this choice and are not by the one before; none where no other
    /// folder is named. Nothing is looked at in it.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn new_model_folder(
        &self,
        choice: Option<&ModelChoice>,
    ) -> Result<Option<String>, EngineError> {
        let Some(folder) = choice.and_then(|choice| choice.folder.clone()) else {
            return Ok(None);
        };
        // One that is not understood any more was agreed to by nobody.
        let before: Option<ModelChoice> = read(&self.store(), MODEL).unwrap_or_default();
        let is_known = before.is_some_and(|before| before.folder.as_ref() == Some(&folder));
        Ok((!is_known).then_some(folder))
    }

    /// Changes what is chosen for reranking. For a library that nobody else writes to.
    ///
    /// # Errors
    /// [`EngineError::Setting`] for what cannot be used, [`EngineError::Rerank`] for a keyring that refuses;
    /// [`memlens_store::StoreError::Locked`] while another process writes.
    pub fn change_rerank(&self, change: RerankChange) -> Result<RerankSettings, EngineError> {
        let settings = Settings::of(&self.store())?;
        let mut writer = self.writer_store()?;
        settings.change(change, |key, value| {
            Ok(writer.put_setting(key, value.as_deref())?)
        })?;
        drop(writer);
        self.rerank_settings()
    }

    /// Asks the provider over HTTP to score two made-up texts, whether it is on or not: no note's text is sent.
    ///
    /// # Errors
    /// [`EngineError::NoReranker`] where none is set, [`EngineError::Rerank`] for what the provider did;
    /// [`EngineError::Setting`] where another one was set meanwhile, of which the answer says nothing.
    pub fn test_rerank_http(&self) -> Result<RerankTest, EngineError> {
        let call = self.reranking.beside();
        let checked = chosen_http(&self.store())?.ok_or_else(no_provider)?;
        let mut client = checked.client()?;
        let timeout = checked
            .timeout()
            .unwrap_or_else(|| parameter_timeout(&Params::default()));
        let started = Instant::now();
        let limits = Limits {
            deadline: started + timeout,
            cancel: call.cancel.clone(),
        };
        let scored = client.score(TEST_QUERY, &TEST_TEXTS, &limits);
        // Another process may have set it, or this one its key alone.
        let now = chosen_http(&self.store())?;
        if now.as_ref() != Some(&checked) || !self.reranking.is_wanted(&call) {
            let why = "the provider was changed while it was tested; test it again";
            return Err(refused("the answer", why));
        }
        let scored = scored?;
        Ok(RerankTest {
            ms: started.elapsed().as_secs_f64() * 1000.0,
            scores: scored.scores,
            scale: Scale::as_str(scored.scale),
            model: client.info().model.clone(),
            host: client.host(),
        })
    }
}

impl Engine {
    /// Changes what is chosen for reranking; what was ranked by the choice before is forgotten.
    ///
    /// # Errors
    /// As [`Library::change_rerank`], and [`EngineError::ReadOnly`].
    pub fn change_rerank(&self, change: RerankChange) -> Result<RerankSettings, EngineError> {
        let settings = Settings::of(&self.library().store())?;
        settings.change(change, |key, value| self.put_setting(key, value))?;
        self.library().forget_answers();
        self.library().rerank_settings()
    }
}

/// What was chosen before a change.
struct Settings {
    /// The library's folder.
    dir: PathBuf,
    http: Option<HttpChoice>,
    /// An error where they are not understood: only what needs them fails then, and a provider can still be switched off.
    kept_keys: Result<Vec<KeptKey>, EngineError>,
}

impl Settings {
    fn of(store: &Store) -> Result<Settings, EngineError> {
        Ok(Settings {
            dir: store.dir().to_owned(),
            // One that is not understood any more can still be replaced.
            http: read(store, HTTP).unwrap_or_default(),
            kept_keys: read(store, KEPT_KEYS).map(Option::unwrap_or_default),
        })
    }

    fn change(
        self,
        change: RerankChange,
        mut put: impl FnMut(&'static str, Option<String>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        match change {
            RerankChange::Http(choice, key) => {
                let Checked { choice, provider } = choice.check()?;
                match key.as_deref().map(str::trim) {
                    None => {}
                    Some("") => forget_key(self.kept_keys?, &provider, &mut put)?,
                    Some(typed) => {
                        let key = http::key(typed)?;
                        // Noted first, so that none is ever kept that nobody can find to forget it.
                        let mut kept = self.kept_keys?;
                        if !kept.iter().any(|key| key.is_of(&provider)) {
                            kept.push(KeptKey::of(&provider));
                        }
                        put(KEPT_KEYS, Some(json(&kept)))?;
                        keys::save(&provider, &key)?;
                    }
                }
                put(HTTP, Some(json(&choice)))
            }
            RerankChange::HttpOff => match self.http {
                Some(http) => put(
                    HTTP,
                    Some(json(&HttpChoice {
                        is_on: false,
                        ..http
                    })),
                ),
                None => Ok(()),
            },
            RerankChange::ForgetKey => match self.http {
                Some(http) => forget_key(self.kept_keys?, &http.check()?.provider, &mut put),
                None => Ok(()),
            },
            RerankChange::Model(choice) => {
                if let Some(choice) = &choice {
                    choice.find()?.load(&self.dir)?;
                }
                put(MODEL, choice.as_ref().map(json))
            }
            RerankChange::Hook(command) => {
                let command = command.map(hook_command).transpose()?;
                put(HOOK, command.as_ref().map(json))
            }
        }
    }
}

/// Takes a provider's key out of the keyring; where this library put none there, the keyring is not asked.
fn forget_key(
    mut kept: Vec<KeptKey>,
    provider: &Provider,
    put: &mut impl FnMut(&'static str, Option<String>) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    if !kept.iter().any(|key| key.is_of(provider)) {
        return Ok(());
    }
    keys::forget(provider)?;
    kept.retain(|key| !key.is_of(provider));
    put(KEPT_KEYS, Some(json(&kept)))
}

/// A reranker that a person chose, before it is made.
pub(crate) enum Chosen {
    /// A cross-encoder on this machine; with the library's folder.
    Model(ModelChoice, PathBuf),
    /// A provider that is on.
    Http(Checked),
}

/// The reranker that the person set up for this mode; none for a mode that needs no setting.
///
/// # Errors
/// [`EngineError::NoReranker`] where none is set up or it is off.
pub(crate) fn chosen(store: &Store, mode: RerankMode) -> Result<Option<Chosen>, EngineError> {
    Ok(match mode {
        RerankMode::Off | RerankMode::Late => None,
        RerankMode::Model => Some(Chosen::Model(chosen_model(store)?, store.dir().to_owned())),
        RerankMode::Http => Some(Chosen::Http(http_that_is_on(store)?)),
    })
}

impl Chosen {
    /// A text that differs where another reranker must be made.
    pub(crate) fn text(&self) -> String {
        match self {
            Chosen::Model(model, _) => json(model),
            Chosen::Http(http) => json(&http.choice),
        }
    }
}

/// How long a reranker may take: the parameter, or where it stands at its default what was chosen for the
/// provider.
///
/// # Errors
/// As [`chosen`].
pub(crate) fn timeout(store: &Store, params: &Params) -> Result<Duration, EngineError> {
    let is_default = params.rerank_timeout_ms == Params::default().rerank_timeout_ms;
    let chosen = match params.rerank {
        RerankMode::Http if is_default => http_that_is_on(store)?.timeout(),
        RerankMode::Off | RerankMode::Late | RerankMode::Model | RerankMode::Http => None,
    };
    Ok(chosen.unwrap_or_else(|| parameter_timeout(params)))
}

/// The person's own command, which does not get the variable that holds a provider's key; none where none is set.
///
/// # Errors
/// [`EngineError::Store`], [`EngineError::Setting`], [`EngineError::Rerank`] for one that names no program.
pub(crate) fn hook(store: &Store) -> Result<Option<HookCommand>, EngineError> {
    let command: Option<Vec<String>> = read(store, HOOK)?;
    // A provider that is not understood is not asked either.
    let http: Option<HttpChoice> = read(store, HTTP).unwrap_or_default();
    let key_env = http.and_then(|http| http.key_env);
    Ok(command
        .map(|command| HookCommand::new(&command).map(|hook| hook.without(key_env)))
        .transpose()?)
}

/// The providers whose keys are in the keyring because of this library.
///
/// # Errors
/// [`EngineError::Store`], [`EngineError::Setting`].
pub(crate) fn kept_keys(store: &Store) -> Result<Vec<Provider>, EngineError> {
    let kept: Vec<KeptKey> = read(store, KEPT_KEYS)?.unwrap_or_default();
    Ok(kept.into_iter().filter_map(KeptKey::provider).collect())
}

/// Takes keys out of the keyring; what cannot be taken out is said in the log, since the rest is forgotten all the same.
pub(crate) fn forget_keys(providers: &[Provider]) {
    for provider in providers {
        if let Err(error) = keys::forget(provider) {
            tracing::warn!(%error, kind = provider.kind.as_str(), "cannot take a key out of the keyring");
        }
    }
}

/// Names a setting that cannot be used.
pub(crate) fn refused(what: impl Into<String>, why: impl Into<String>) -> EngineError {
    EngineError::Setting {
        what: what.into(),
        why: why.into(),
    }
}

fn no_provider() -> EngineError {
    EngineError::NoReranker {
        mode: RerankMode::Http.as_str(),
        why: "no provider is set: choose one in the settings, or with `memlens rerank-provider set`",
    }
}

fn chosen_model(store: &Store) -> Result<ModelChoice, EngineError> {
    read(store, MODEL)?.ok_or(EngineError::NoReranker {
        mode: RerankMode::Model.as_str(),
        why: "no model is chosen: choose one in the settings, or with `memlens rerank-model set`",
    })
}

fn chosen_http(store: &Store) -> Result<Option<Checked>, EngineError> {
    let choice: Option<HttpChoice> = read(store, HTTP)?;
    choice.map(HttpChoice::check).transpose()
}

fn http_that_is_on(store: &Store) -> Result<Checked, EngineError> {
    let chosen = chosen_http(store)?.ok_or_else(no_provider)?;
    if chosen.choice.is_on {
        return Ok(chosen);
    }
    Err(EngineError::NoReranker {
        mode: RerankMode::Http.as_str(),
        why: "the provider is switched off for this library: switch it on in the settings, or with `memlens rerank-provider set`",
    })
}

fn parameter_timeout(params: &Params) -> Duration {
    Duration::from_millis(u64::from(params.rerank_timeout_ms))
}

/// A command that can be run: its program is found by name on the search path, or stands at a full path, so that
/// it does not matter where Memlens was started.
fn hook_command(command: Vec<String>) -> Result<Vec<String>, EngineError> {
    let program = command.first().map_or("", |program| program.trim());
    if program.is_empty() {
        return Err(refused("the hook", "name a program"));
    }
    if command.iter().any(|word| word.contains('\0')) {
        return Err(refused("the hook", "no program takes a NUL"));
    }
    let path = Path::new(program);
    if path.components().count() > 1 && !path.is_absolute() {
        return Err(refused(
            format!("the hook {program}"),
            "give its full path, or a name that is found on the search path",
        ));
    }
    if path.is_absolute() && !path.is_file() {
        return Err(refused(
            format!("the hook {program}"),
            "there is no such file",
        ));
    }
    Ok(command)
}

fn offer(kind: Kind) -> KindOffer {
    let (price_per_thousand, price_per_million_tokens) = match kind.price() {
        Some(Price::ThousandCalls(price)) => (Some(price), None),
        Some(Price::MillionTokens(price)) => (None, Some(price)),
        None => (None, None),
    };
    KindOffer {
        kind: kind.as_str(),
        label: kind.label(),
        url: kind.default_url().unwrap_or_default(),
        model: kind.default_model(),
        needs_key: kind.needs_key(),
        price_per_thousand,
        price_per_million_tokens,
    }
}

fn read<T: DeserializeOwned>(store: &Store, key: &str) -> Result<Option<T>, EngineError> {
    let Some(text) = store.setting(key)? else {
        return Ok(None);
    };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| refused(format!("the setting {key}"), error.to_string()))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data can always be written as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_key_belongs_to_a_kind_and_a_host() {
        let kept = KeptKey::of(&Provider::new(Kind::Tei, "https://a.example/x"));
        for (kind, url, expected) in [
            (Kind::Tei, "https://a.example", true),
            (Kind::Tei, "https://a.example:443/y", true),
            (Kind::Tei, "https://a.example:8443", false),
            (Kind::Vllm, "https://a.example", false),
            (Kind::Tei, "https://b.example", false),
            (Kind::Tei, "nothing", false),
        ] {
            assert_eq!(kept.is_of(&Provider::new(kind, url)), expected, "{url}");
        }
    }
}
