//! The user's choices for reranking: a provider over HTTP, a local model, a command.
//!
//! Choices are checked when they are made, and stored as texts by the caller; see [`Choices`]. A key is not a choice:
//! it is stored in the system's keyring, or stays in the environment variable that the user names.

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
pub use model::{
    Found, ModelChoice, ModelOffer, erase_models, named as named_model, remove_embedding,
};

/// The names under which the texts are stored.
const HTTP: &str = "rerank_http";
const MODEL: &str = "rerank_model";
const HOOK: &str = "hook";
/// The providers whose keys were stored in the keyring.
const KEPT_KEYS: &str = "rerank_keys";

/// The user's choices for reranking, and what is on offer.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RerankSettings {
    /// The provider over HTTP; `None` if none was ever set.
    pub http: Option<HttpState>,
    /// The cross-encoder; `None` if none is chosen.
    pub model: Option<ModelChoice>,
    /// The user's own command and its arguments; `None` if it is not set.
    pub hook: Option<Vec<String>>,
    /// The kinds of providers, in the order in which they are offered.
    pub kinds: Vec<KindOffer>,
    /// The cross-encoders that can be downloaded by name, the smallest first.
    pub models: Vec<ModelOffer>,
}

/// A change that the user makes.
pub enum RerankChange {
    /// Sets the provider over HTTP. `None` as key keeps the stored one; an empty key removes it.
    Http(HttpChoice, Option<String>),
    /// Switches the provider off; its settings stay.
    HttpOff,
    /// Removes the provider's key from the keyring, if this library stored one there.
    ForgetKey,
    /// Chooses a cross-encoder, after loading it and scoring a trial, or none.
    Model(Option<ModelChoice>),
    /// Sets the command, or removes it.
    Hook(Option<Vec<String>>),
}

/// The stored choices. They are texts that are parsed on use, so that one that this version does not understand fails
/// only what needs it.
#[derive(Debug, Clone)]
pub struct Choices {
    http: Option<String>,
    model: Option<String>,
    hook: Option<String>,
    kept_keys: Option<String>,
}

impl Choices {
    /// Reads the choices with a function that returns the text of a name.
    ///
    /// # Errors
    /// Those of `text`.
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

    /// Returns the provider over HTTP, on or off; `None` if none was ever set.
    ///
    /// # Errors
    /// [`RerankError::Setting`] if it cannot be parsed or used.
    pub fn http(&self) -> Result<Option<Checked>, RerankError> {
        let choice: Option<HttpChoice> = read(HTTP, self.http.as_ref())?;
        choice.map(HttpChoice::check).transpose()
    }

    /// Returns the cross-encoder; `None` if none is chosen.
    ///
    /// # Errors
    /// [`RerankError::Setting`] if it cannot be parsed.
    pub fn model(&self) -> Result<Option<ModelChoice>, RerankError> {
        read(MODEL, self.model.as_ref())
    }

    /// Returns the user's own command, without access to the variable that holds a provider's key; `None` if it is not
    /// set.
    ///
    /// # Errors
    /// [`RerankError::Setting`]; [`RerankError::Hook`] if it names no program.
    pub fn hook(&self) -> Result<Option<HookCommand>, RerankError> {
        let command: Option<Vec<String>> = read(HOOK, self.hook.as_ref())?;
        // A provider that cannot be parsed is not called either.
        let key_env = self.http_unchecked().and_then(|http| http.key_env);
        command
            .map(|command| HookCommand::new(&command).map(|hook| hook.without(key_env)))
            .transpose()
    }

    /// Returns the providers whose keys are in the keyring because of these choices.
    ///
    /// # Errors
    /// [`RerankError::Setting`] if they cannot be parsed.
    pub fn kept_keys(&self) -> Result<Vec<Provider>, RerankError> {
        let kept = self.kept()?;
        Ok(kept.into_iter().filter_map(KeptKey::provider).collect())
    }

    /// Returns all choices with what is on offer, and the place of the key if a provider is on. `models` is the folder
    /// of downloaded models.
    ///
    /// # Errors
    /// [`RerankError::Setting`] if a choice cannot be parsed.
    pub fn settings(&self, models: &Path) -> Result<RerankSettings, RerankError> {
        // Those that cannot be parsed are reported where they are needed.
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

    /// Returns the host that note text or the value of a variable would be sent to with the other choice but not with this
    /// one; `None` if nothing new leaves this machine and no other variable is named. A server on this machine may belong
    /// to another user.
    ///
    /// # Errors
    /// Like [`HttpChoice::check`].
    pub fn new_host(&self, choice: &HttpChoice) -> Result<Option<String>, RerankError> {
        let asked = choice.clone().check()?;
        let is_known = self
            .http_unchecked()
            .and_then(|before| before.check().ok())
            .is_some_and(|before| asked.sends_no_more_than(&before));
        let asks = asked.is_remote()? || asked.choice.key_env.is_some();
        (asks && !is_known).then(|| asked.host()).transpose()
    }

    /// Returns the folder whose files would be read with the other choice but not with this one; `None` if it names no
    /// other folder. The folder is not accessed.
    pub fn new_model_folder(&self, choice: Option<&ModelChoice>) -> Option<String> {
        let folder = choice.and_then(|choice| choice.folder.clone())?;
        // A choice that cannot be parsed does not count as the user's consent.
        let before = self.model().unwrap_or_default();
        let is_known = before.is_some_and(|before| before.folder.as_ref() == Some(&folder));
        (!is_known).then_some(folder)
    }

    /// Makes a change. `put` stores the text of a name, or removes it; `models` is the folder of downloaded models.
    ///
    /// # Errors
    /// [`RerankError::Setting`] if it cannot be used, [`RerankError::Keyring`] if the keyring refuses, and those of
    /// `put`.
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
                        // Recorded first, so that every stored key can be found and removed.
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

    /// Removes a provider's key from the keyring. The keyring is not accessed if no key was stored there.
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

    /// Returns the provider as it was set; also `None` if it cannot be parsed, in which case it can still be replaced.
    fn http_unchecked(&self) -> Option<HttpChoice> {
        read(HTTP, self.http.as_ref()).unwrap_or_default()
    }

    fn kept(&self) -> Result<Vec<KeptKey>, RerankError> {
        read(KEPT_KEYS, self.kept_keys.as_ref()).map(Option::unwrap_or_default)
    }
}

/// Returns the error for a choice that cannot be used.
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
