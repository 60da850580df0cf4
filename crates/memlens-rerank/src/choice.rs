//! What a person chose for reranking: a provider over HTTP, a model on this machine, a command of their own.
//!
//! Choices are checked when they are made, and kept as texts by whoever has a place for them, see [`Choices`]. A key is
//! no choice: it goes into the system's keyring, or stays in the environment variable that the person names.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use specta::Type;

use crate::hook::HookCommand;
use crate::http::{Kind, Provider};
use crate::{RerankError, keys};

mod hook;
mod http;
mod kept_key;
mod kind;
mod model;

pub use http::{Checked, HttpChoice, HttpState, KeyState, RerankTest};
use kept_key::KeptKey;
pub use kept_key::forget_keys;
pub use kind::KindOffer;
pub use model::{Found, ModelChoice, ModelOffer, erase_models, named as named_model};

/// The names under which the texts are kept.
const HTTP: &str = "rerank_http";
const MODEL: &str = "rerank_model";
const HOOK: &str = "hook";
/// The providers whose keys were put into the keyring.
const KEPT_KEYS: &str = "rerank_keys";

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

/// The choices as they are kept: texts that are not read yet, so that one that this version does not understand fails
/// only what needs it.
#[derive(Debug, Clone)]
pub struct Choices {
    http: Option<String>,
    model: Option<String>,
    hook: Option<String>,
    kept_keys: Option<String>,
}

impl Choices {
    /// The choices in a place that gives the text of a name.
    ///
    /// # Errors
    /// Those of the place.
    pub fn in_place<E>(
        text: impl Fn(&'static str) -> Result<Option<String>, E>,
    ) -> Result<Choices, E> {
        Ok(Choices {
            http: text(HTTP)?,
            model: text(MODEL)?,
            hook: text(HOOK)?,
            kept_keys: text(KEPT_KEYS)?,
        })
    }

    /// The provider over HTTP, on or off; none where none was ever set.
    ///
    /// # Errors
    /// [`RerankError::Setting`] for one that is not understood or cannot be used.
    pub fn http(&self) -> Result<Option<Checked>, RerankError> {
        let choice: Option<HttpChoice> = read(HTTP, self.http.as_ref())?;
        choice.map(HttpChoice::check).transpose()
    }

    /// The cross-encoder; none where none is chosen.
    ///
    /// # Errors
    /// [`RerankError::Setting`] for one that is not understood.
    pub fn model(&self) -> Result<Option<ModelChoice>, RerankError> {
        read(MODEL, self.model.as_ref())
    }

    /// The person's own command, which does not get the variable that holds a provider's key; none where none is set.
    ///
    /// # Errors
    /// [`RerankError::Setting`], [`RerankError::Hook`] for one that names no program.
    pub fn hook(&self) -> Result<Option<HookCommand>, RerankError> {
        let command: Option<Vec<String>> = read(HOOK, self.hook.as_ref())?;
        // A provider that is not understood is not asked either.
        let key_env = self.http_unchecked().and_then(|http| http.key_env);
        command
            .map(|command| HookCommand::new(&command).map(|hook| hook.without(key_env)))
            .transpose()
    }

    /// The providers whose keys are in the keyring because of these choices.
    ///
    /// # Errors
    /// [`RerankError::Setting`] where they are not understood.
    pub fn kept_keys(&self) -> Result<Vec<Provider>, RerankError> {
        let kept = self.kept()?;
        Ok(kept.into_iter().filter_map(KeptKey::provider).collect())
    }

    /// All of them with what there is to choose from, and where the key of a provider is that is on; `models` is the
    /// folder of models that were downloaded.
    ///
    /// # Errors
    /// [`RerankError::Setting`] for a choice that is not understood.
    pub fn settings(&self, models: &Path) -> Result<RerankSettings, RerankError> {
        // Those that are not understood are told by what needs them.
        let kept = self.kept().unwrap_or_default();
        let http = self.http()?;
        Ok(RerankSettings {
            model: self.model()?,
            hook: read(HOOK, self.hook.as_ref())?,
            http: http
                .map(|http| http.state(kept.iter().any(|key| key.is_of(&http.provider))))
                .transpose()?,
            kinds: Kind::ALL.into_iter().map(KindOffer::of).collect(),
            models: model::offers(models),
        })
    }

    /// The host that note text or a key would go to by another choice and does not by this one; none where nothing new
    /// leaves this machine.
    ///
    /// # Errors
    /// As [`HttpChoice::check`].
    pub fn new_host(&self, choice: &HttpChoice) -> Result<Option<String>, RerankError> {
        let asked = choice.clone().check()?;
        let is_known = self
            .http_unchecked()
            .and_then(|before| before.check().ok())
            .is_some_and(|before| asked.sends_no_more_than(&before));
        asked.remote_host().map(|host| host.filter(|_| !is_known))
    }

    /// The folder whose files would be read by another choice and are not by this one; none where no other folder is
    /// named. Nothing is looked at in it.
    pub fn new_model_folder(&self, choice: Option<&ModelChoice>) -> Option<String> {
        let folder = choice.and_then(|choice| choice.folder.clone())?;
        // One that is not understood any more was agreed to by nobody.
        let before = self.model().unwrap_or_default();
        let is_known = before.is_some_and(|before| before.folder.as_ref() == Some(&folder));
        (!is_known).then_some(folder)
    }

    /// Makes a change, and has `put` keep each text of a name, or take it away; `models` is the folder of models that
    /// were downloaded.
    ///
    /// # Errors
    /// [`RerankError::Setting`] for what cannot be used, [`RerankError::Keyring`] for a keyring that refuses, and those
    /// of `put`.
    pub fn change<E: From<RerankError>>(
        &self,
        change: RerankChange,
        models: &Path,
        mut put: impl FnMut(&'static str, Option<String>) -> Result<(), E>,
    ) -> Result<(), E> {
        match change {
            RerankChange::Http(choice, key) => {
                let Checked { choice, provider } = choice.check()?;
                match key.as_deref().map(str::trim) {
                    None => {}
                    Some("") => self.forget_key(&provider, &mut put)?,
                    Some(typed) => {
                        let key = http::key(typed)?;
                        // Noted first, so that none is ever kept that nobody can find to forget it.
                        let mut kept = self.kept()?;
                        if !kept.iter().any(|key| key.is_of(&provider)) {
                            kept.push(KeptKey::of(&provider));
                        }
                        put(KEPT_KEYS, Some(json(&kept)))?;
                        keys::save(&provider, &key)?;
                    }
                }
                put(HTTP, Some(json(&choice)))
            }
            RerankChange::HttpOff => match self.http_unchecked() {
                Some(http) => put(
                    HTTP,
                    Some(json(&HttpChoice {
                        is_on: false,
                        ..http
                    })),
                ),
                None => Ok(()),
            },
            RerankChange::ForgetKey => match self.http_unchecked() {
                Some(http) => self.forget_key(&http.check()?.provider, &mut put),
                None => Ok(()),
            },
            RerankChange::Model(choice) => {
                if let Some(choice) = &choice {
                    choice.find()?.load(models)?;
                }
                put(MODEL, choice.as_ref().map(json))
            }
            RerankChange::Hook(command) => {
                let command = command.map(hook::checked).transpose()?;
                put(HOOK, command.as_ref().map(json))
            }
        }
    }

    /// Takes a provider's key out of the keyring; where none was put there, the keyring is not asked.
    fn forget_key<E: From<RerankError>>(
        &self,
        provider: &Provider,
        put: &mut impl FnMut(&'static str, Option<String>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut kept = self.kept()?;
        if !kept.iter().any(|key| key.is_of(provider)) {
            return Ok(());
        }
        keys::forget(provider)?;
        kept.retain(|key| !key.is_of(provider));
        put(KEPT_KEYS, Some(json(&kept)))
    }

    /// The provider as it was set; none also where it is not understood any more: it can still be replaced.
    fn http_unchecked(&self) -> Option<HttpChoice> {
        read(HTTP, self.http.as_ref()).unwrap_or_default()
    }

    fn kept(&self) -> Result<Vec<KeptKey>, RerankError> {
        read(KEPT_KEYS, self.kept_keys.as_ref()).map(Option::unwrap_or_default)
    }
}

/// Names a choice that cannot be used.
pub(crate) fn refused(what: impl Into<String>, why: impl Into<String>) -> RerankError {
    RerankError::Setting {
        what: what.into(),
        why: why.into(),
    }
}

fn read<T: DeserializeOwned>(name: &str, text: Option<&String>) -> Result<Option<T>, RerankError> {
    text.map(|text| serde_json::from_str(text))
        .transpose()
        .map_err(|error| refused(format!("the setting {name}"), error.to_string()))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data can always be written as JSON")
}
