//! The user's choices for reranking, as stored in the library's settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use memlens_params::{HookMode, Params, RerankMode};
use memlens_rerank::choice::{
    Checked, Choices, HttpChoice, ModelChoice, RerankChange, RerankSettings, RerankTest,
    named_model,
};
use memlens_rerank::hook::HookCommand;
use memlens_rerank::http::Provider;
use memlens_rerank::{CancellationToken, RerankError};
use memlens_store::Store;

use crate::writes::Writes;
use crate::{EngineError, Library};

/// Where downloaded models are in the library's folder.
const MODELS_FOLDER: &str = "models";

/// The folder of downloaded models in the library's folder.
pub fn models_folder(dir: &Path) -> PathBuf {
    dir.join(MODELS_FOLDER)
}

/// The highest value of `rerank_max_docs`.
const TEST_TEXTS_MAX: u32 = 200;

/// The user's choices for reranking, and where the key of the active provider is stored.
///
/// # Errors
/// [`EngineError::Store`]; [`RerankError::Setting`] for a choice that this version does not understand.
pub fn rerank_settings(library: &Library) -> Result<RerankSettings, EngineError> {
    let choices = choices(&library.store())?;
    Ok(choices.settings(&models_folder(library.dir()))?)
}

/// The host that would receive note text or a key by this choice and did not before; `None` if nothing new leaves
/// this machine.
///
/// # Errors
/// As [`HttpChoice::check`], and [`EngineError::Store`].
pub fn new_host(library: &Library, choice: &HttpChoice) -> Result<Option<String>, EngineError> {
    Ok(choices(&library.store())?.new_host(choice)?)
}

/// The folder whose files would be read by this choice and were not before; `None` if the choice names no other folder.
/// Reads nothing in it.
///
/// # Errors
/// [`EngineError::Store`].
pub fn new_model_folder(
    library: &Library,
    choice: Option<&ModelChoice>,
) -> Result<Option<String>, EngineError> {
    Ok(choices(&library.store())?.new_model_folder(choice))
}

/// The user's own command that a ranking by these parameters would run; `None` if it runs none.
///
/// # Errors
/// [`EngineError::Store`], [`RerankError::Setting`] for a command that is not understood.
pub fn hook_started_by(
    library: &Library,
    params: &Params,
) -> Result<Option<Vec<String>>, EngineError> {
    if params.hook == HookMode::Off {
        return Ok(None);
    }
    Ok(hook(&library.store())?.map(|command| command.words()))
}

/// Asks the provider over HTTP to score made-up texts, whether it is on or not: no note's text is sent. It is sent `n_texts` of
/// them, at least 2 and at most 200; by default as many as `rerank_max_docs` does.
///
/// # Errors
/// [`EngineError::NoReranker`] if none is set; [`EngineError::Rerank`] if the provider fails, or if another one was set
/// meanwhile, to which the answer does not apply.
pub fn test_rerank_http(
    library: &Library,
    n_texts: Option<u32>,
) -> Result<RerankTest, EngineError> {
    let call = library.reranking.beside();
    let checked = choices(&library.store())?.http()?.ok_or_else(no_provider)?;
    let timeout = checked
        .timeout()
        .unwrap_or_else(|| parameter_timeout(&Params::default()));
    let n_texts = n_texts.unwrap_or(Params::default().rerank_max_docs);
    let tested = checked.test(
        n_texts.clamp(2, TEST_TEXTS_MAX),
        timeout,
        call.cancel.clone(),
    );
    // Another process may have changed it, or this one its key.
    let now = choices(&library.store())?.http()?;
    if now.as_ref() != Some(&checked) || !library.reranking.is_wanted(&call) {
        return Err(RerankError::Setting {
            what: "the answer of the test".to_owned(),
            why: "the provider changed during the test; test it again".to_owned(),
        }
        .into());
    }
    Ok(tested?)
}

/// Downloads a model into the library's folder, and returns its folder. `progress` gets the bytes that are there and
/// those of the whole model. What came before continues from there. `cancel` stops it.
///
/// # Errors
/// [`RerankError::Setting`] for an unknown name, others with the cause or where it was stopped.
pub fn download_model(
    library: &Library,
    name: &str,
    progress: &mut dyn FnMut(u64, u64),
    cancel: &CancellationToken,
) -> Result<PathBuf, EngineError> {
    let model = named_model(name)?;
    Ok(model.download(&models_folder(library.dir()), progress, cancel)?)
}

/// Changes what is chosen for reranking, and drops the scores of the choice before.
///
/// # Errors
/// As [`Choices::change`], and as [`Writes::write`].
pub fn change_rerank(writes: &impl Writes, change: RerankChange) -> Result<(), EngineError> {
    let library = writes.library();
    let choices = choices(&library.store())?;
    // Fails before a model is loaded or the keyring changes, if the choice could not be stored afterwards.
    writes.begin()?;
    choices.change(change, &models_folder(library.dir()), |key, value| {
        writes.write(|store| Ok(store.put_setting(key, value.as_deref())?))
    })?;
    library.forget_answers();
    Ok(())
}

/// A reranker that the user chose, before it is loaded.
pub(crate) enum Chosen {
    /// A cross-encoder on this machine; with the folder of downloaded models.
    Model(ModelChoice, PathBuf),
    /// A provider that is on.
    Http(Checked),
}

/// The reranker that the user set up for this mode; `None` for a mode that needs no setting.
///
/// # Errors
/// [`EngineError::NoReranker`] if none is set up or it is off.
pub(crate) fn chosen(store: &Store, mode: RerankMode) -> Result<Option<Chosen>, EngineError> {
    Ok(match mode {
        RerankMode::Off | RerankMode::Late => None,
        RerankMode::Model => Some(Chosen::Model(
            chosen_model(store)?,
            models_folder(store.dir()),
        )),
        RerankMode::Http => Some(Chosen::Http(http_that_is_on(store)?)),
    })
}

impl Chosen {
    /// A key that changes whenever another reranker must be made.
    pub(crate) fn text(&self) -> String {
        match self {
            Chosen::Model(model, _) => format!("{model:?}"),
            Chosen::Http(http) => format!("{:?}", http.choice),
        }
    }
}

/// Time limit of a reranker: the parameter, or, if that is at its default, the timeout chosen for the provider.
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

/// The user's own hook command; `None` if none is set.
///
/// # Errors
/// [`EngineError::Store`], and as [`Choices::hook`].
pub(crate) fn hook(store: &Store) -> Result<Option<HookCommand>, EngineError> {
    Ok(choices(store)?.hook()?)
}

/// Providers whose keys this library stored in the keyring; empty if the setting is invalid or cannot be read.
pub fn kept_keys(store: &Store) -> Vec<Provider> {
    let kept = choices(store).and_then(|choices| Ok(choices.kept_keys()?));
    kept.unwrap_or_default()
}

/// All choices in the library's settings.
pub(crate) fn choices(store: &Store) -> Result<Choices, EngineError> {
    Ok(Choices::in_place(|key| store.setting(key))?)
}

fn no_provider() -> EngineError {
    EngineError::NoReranker {
        mode: RerankMode::Http.as_str(),
        why: "no provider is set: choose one in the settings, or with `memlens rerank-provider set`",
    }
}

fn chosen_model(store: &Store) -> Result<ModelChoice, EngineError> {
    choices(store)?.model()?.ok_or(EngineError::NoReranker {
        mode: RerankMode::Model.as_str(),
        why: "no model is chosen: choose one in the settings, or with `memlens rerank-model set`",
    })
}

fn http_that_is_on(store: &Store) -> Result<Checked, EngineError> {
    let chosen = choices(store)?.http()?.ok_or_else(no_provider)?;
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
