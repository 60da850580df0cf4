use std::path::{Path, PathBuf};

use memlens_document::{Document, dim, strong};
use memlens_engine::acts;
use memlens_engine::providers;
use memlens_engine::{Library, ModelChoice, ModelOffer, RerankChange, RerankSettings};
use serde::Serialize;

use crate::arguments::{RerankModelAct, RerankModelArgs};
use crate::download_bar::with_bar;
use crate::error::CliError;
use crate::output::{notify, print, print_json};
use crate::settings::open;

#[derive(Serialize)]
struct ModelReport {
    schema_version: u32,
    /// `None` if no model is chosen.
    chosen: Option<ModelChoice>,
    models: Vec<ModelOffer>,
}

/// Chooses the model that reranks on this machine, lists the models, or downloads one.
pub fn run(library: Option<PathBuf>, arguments: &RerankModelArgs) -> Result<(), CliError> {
    let library = open(library)?;
    match &arguments.act {
        RerankModelAct::Set { model } => set(&library, model),
        RerankModelAct::List(arguments) => {
            let RerankSettings { model, models, .. } = providers::rerank_settings(&library)?;
            if arguments.json {
                return print_json(&ModelReport {
                    schema_version: 1,
                    chosen: model,
                    models,
                });
            }
            print(&page(model.as_ref(), &models))
        }
        RerankModelAct::Download { name } => download(&library, name),
        RerankModelAct::Off => {
            acts::change_rerank(&library.to_write(), RerankChange::Model(None))?;
            notify("no model is chosen now");
            Ok(())
        }
    }
}

/// Chooses a model by its name, or by its folder if no model has this name.
fn set(library: &Library, typed: &str) -> Result<(), CliError> {
    let offers = providers::rerank_settings(library)?.models;
    let is_name = offers.iter().any(|offer| offer.name == typed);
    let choice = if is_name || !Path::new(typed).is_dir() {
        ModelChoice {
            name: Some(typed.to_owned()),
            folder: None,
        }
    } else {
        let folder = std::path::absolute(typed).map_err(|source| CliError::File {
            attempt: "find",
            path: PathBuf::from(typed),
            source,
        })?;
        ModelChoice {
            name: None,
            folder: Some(folder.display().to_string()),
        }
    };
    acts::change_rerank(&library.to_write(), RerankChange::Model(Some(choice)))?;
    notify(format_args!(
        "{typed} is chosen; use it with --set rerank=model"
    ));
    Ok(())
}

/// Downloads a model.
fn download(library: &Library, name: &str) -> Result<(), CliError> {
    let folder =
        with_bar(|progress, cancel| providers::download_model(library, name, progress, cancel))?;
    notify(format_args!("{name} is in {}", folder.display()));
    Ok(())
}

fn page(chosen: Option<&ModelChoice>, models: &[ModelOffer]) -> Document {
    let mut page = Document::new();
    for model in models {
        let is_chosen = chosen.is_some_and(|chosen| chosen.name.as_deref() == Some(model.name));
        let state = match (is_chosen, model.is_there) {
            (true, true) => "chosen",
            (true, false) => "chosen, not downloaded",
            (false, true) => "downloaded",
            (false, false) => "not downloaded",
        };
        page.line(
            strong(model.name)
                + format!("  {} MB  {}  ", model.megabytes, model.licence)
                + dim(model.label)
                + format!("  {state}"),
        );
    }
    match chosen {
        Some(ModelChoice {
            folder: Some(folder),
            ..
        }) => page.line(format!("chosen: {folder}")),
        Some(_) => {}
        None => page.line("no model is chosen"),
    }
    page
}
