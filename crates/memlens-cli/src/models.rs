use std::path::PathBuf;

use memlens_document::Document;
use memlens_engine::view::{EmbeddingModels, ModelDownload, size_in_words};
use memlens_engine::{acts, download_embedding_model, embedding_models};
use serde::Serialize;

use crate::arguments::{ModelsAct, ModelsArgs};
use crate::download_bar::with_bar;
use crate::error::CliError;
use crate::output::{notify, plural, print, print_json};
use crate::settings::open;

#[derive(Serialize)]
struct ModelsReport {
    schema_version: u32,
    #[serde(flatten)]
    models: EmbeddingModels,
}

/// Lists the embedding models, or deletes vectors of one.
pub fn run(library: Option<PathBuf>, arguments: &ModelsArgs) -> Result<(), CliError> {
    let library = open(library)?;
    if let Some(ModelsAct::Download { name }) = &arguments.act {
        let folder = with_bar(|progress, cancel| {
            download_embedding_model(&library, name, progress, cancel)
        })?;
        notify(format_args!(
            "{name} is in {}; `memlens index --model {name}` embeds the notes by it",
            folder.display()
        ));
        return Ok(());
    }
    if let Some(ModelsAct::Forget { model }) = &arguments.act {
        let n_deleted = acts::forget_vectors(&library.to_write(), model)?;
        notify(match n_deleted {
            0 => format!("no vectors of {model} are stored"),
            1 => format!("1 vector of {model} was deleted"),
            n => format!("{n} vectors of {model} were deleted"),
        });
        return Ok(());
    }
    let models = embedding_models(&library.store())?;
    if arguments.json {
        return print_json(&ModelsReport {
            schema_version: 1,
            models,
        });
    }
    print(&page(&models))
}

fn page(models: &EmbeddingModels) -> Document {
    let mut page = Document::new();
    for model in &models.models {
        let state = match (model.is_in_use, model.is_chosen) {
            (true, true) => "in use",
            (true, false) => "in use until all notes are embedded by the chosen model",
            (false, true) if model.missing.is_some() => {
                "chosen, but it cannot be used: the notes stay with the model in use"
            }
            (false, true) => "chosen: `memlens index` or the window embeds the notes by it",
            (false, false) => "not in use",
        };
        page.line(format!("{}  {}, {state}", model.name, model.label));
        page.line(format!(
            "  {} values, languages: {}, licence {}",
            model.dim, model.languages, model.licence
        ));
        if let Some(about) = &model.about {
            page.line(format!("  {about}"));
        }
        if let Some(folder) = &model.folder {
            page.line(format!("  folder: {folder}"));
        }
        if let Some(download) = &model.download {
            page.line(downloaded(download));
        }
        // What is missing of a model that was never downloaded is its download.
        if let Some(missing) = &model.missing
            && (model.download.is_none() || model.is_chosen)
        {
            page.line(format!("  not there: {missing}"));
        }
        if let Some(n_bytes) = model.file_bytes {
            let about = if model.download.is_some() {
                "about "
            } else {
                ""
            };
            page.line(format!("  files: {about}{}", size_in_words(n_bytes)));
        }
        if model.n_vectors > 0 {
            page.line(stored(model.n_vectors, model.vector_bytes));
            if !model.is_in_use && !model.is_chosen {
                page.line("  choosing it embeds only the texts that have no vector yet");
            }
        }
    }
    for other in &models.others {
        page.line(format!("{}  not known to this version", other.id));
        page.line(stored(other.n_vectors, other.vector_bytes));
    }
    page
}

fn downloaded(download: &ModelDownload) -> String {
    let state = match (download.is_there, &download.blocked) {
        (true, _) => "downloaded".to_owned(),
        (false, None) => "not downloaded".to_owned(),
        (false, Some(why)) => format!("not downloaded, and {why}"),
    };
    let checksum = match download.is_pinned {
        true => "known checksums",
        false => "no known checksum: that of the first download is kept",
    };
    format!("  {state}, from {}, {checksum}", download.source)
}

fn stored(n_vectors: u32, n_bytes: f64) -> String {
    let vectors = plural(n_vectors, "vector", "vectors");
    format!("  {n_vectors} {vectors} stored: {}", size_in_words(n_bytes))
}
