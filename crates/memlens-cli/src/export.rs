use std::path::{Path, PathBuf};

use memlens_document::{Document, Table, dim, left, right, strong};
use memlens_engine::{
    Evidence, Export, Home, Library, Nearest, QueryFile, Ranking, Takes, config_of, export,
    export_only, judged, preset, preset_schema, read_agent_config, target,
};
use memlens_params::Values;
use memlens_rank::number;
use serde::Serialize;

use crate::arguments::ExportArgs;
use crate::error::CliError;
use crate::evaluate::{answered_set, progress};
use crate::output::{notify, print, print_bytes, print_json, print_line};
use crate::settings::{open, ranking};

#[derive(Serialize)]
struct ExportReport<'a> {
    schema_version: u32,
    #[serde(flatten)]
    export: memlens_engine::view::Export,
    source: &'a str,
    /// The file that the settings were written to, or the config that was changed.
    written: Option<&'a Path>,
    /// The file with the previous content of the config.
    backup: Option<&'a Path>,
    nearest: Option<NearestReport<'a>>,
}

#[derive(Serialize)]
struct NearestReport<'a> {
    params: &'a Values,
    #[serde(rename = "ndcg@10")]
    ndcg_10: f64,
    #[serde(rename = "ndcg@10_full")]
    full: f64,
    #[serde(rename = "ndcg@10_mapped")]
    mapped: f64,
    n_tried: usize,
}

/// Writes the parameters as memlens.json, or as settings of another program.
pub fn run(library: Option<PathBuf>, arguments: &ExportArgs) -> Result<(), CliError> {
    if arguments.schema {
        return print_bytes(preset_schema().as_bytes());
    }
    let ranking = ranking(&arguments.ranking)?;
    if arguments.target == "memlens" {
        return own(library, arguments, &ranking);
    }
    let home = Home::of_process();
    let home = home.as_ref();
    let named = arguments.config.as_deref();
    let target = chosen(&arguments.target, named, home)?;
    let config = named
        .map(Path::to_owned)
        .or_else(|| config_of(target, home?));
    let agent = arguments.agent.as_deref();
    let library = open(library)?;
    let settings = &arguments.ranking.settings;
    let named_ids = || {
        let named = settings.settings.iter();
        named.filter_map(|it| Some(it.split_once('=')?.0.trim()))
    };
    let mut export = if settings.preset.is_none() && !settings.settings.is_empty() {
        export_only(&ranking, target, agent, &named_ids().collect::<Vec<_>>())?
    } else {
        export(&ranking, target, agent)?
    };
    if let Some(config) = &config {
        match export.into_config(config, agent) {
            Err(error) if named.is_none() && !arguments.write => notify(error),
            outcome => outcome?,
        }
    }
    let nearest = match &arguments.queries {
        None => None,
        Some(queries) => {
            let set = answered_set(&library, queries, arguments.topics.as_deref())?;
            Some(nearest(&library, &ranking, &export, &set)?)
        }
    };
    let backup = write(&library, arguments, &export)?;
    let written = arguments.out.as_deref().or_else(|| {
        backup.as_ref()?;
        Some(export.change.as_ref()?.path.as_path())
    });
    if arguments.json {
        return print_json(&ExportReport {
            schema_version: 1,
            export: export::export_view(&library, &export, &ranking, None),
            source: export.source,
            written,
            backup: backup.as_deref(),
            nearest: nearest.as_ref().map(|it| NearestReport {
                params: &it.ranking.values,
                ndcg_10: it.found,
                full: it.full,
                mapped: it.mapped,
                n_tried: it.n_tried,
            }),
        });
    }
    let view = export::export_view(&library, &export, &ranking, None);
    print(&page(&view, &export, nearest.as_ref()))?;
    if let (Some(written), Some(backup)) = (written, &backup) {
        let others = match export::n_backups(written) {
            0 | 1 => String::new(),
            n => format!("; {n} backups of it are there"),
        };
        notify(format_args!(
            "changed {}; backup: {}{others}",
            written.display(),
            backup.display()
        ));
    } else if let Some(written) = written {
        notify(format_args!("wrote {}", written.display()));
    }
    Ok(())
}

fn own(
    library: Option<PathBuf>,
    arguments: &ExportArgs,
    ranking: &Ranking,
) -> Result<(), CliError> {
    let refused = |flag| CliError::ForOthers { flag };
    if arguments.write {
        return Err(refused("--write"));
    }
    if arguments.config.is_some() {
        return Err(refused("--config"));
    }
    if arguments.agent.is_some() {
        return Err(refused("--agent"));
    }
    let library = open(library)?;
    let settings = &arguments.ranking.settings;
    let preset = settings.preset.as_deref();
    let evidence = match (&arguments.queries, preset) {
        (Some(queries), _) => {
            let set = answered_set(&library, queries, arguments.topics.as_deref())?;
            Some(evidence(&library, ranking, &set)?)
        }
        // Measured evidence holds only for the parameters that it was measured with.
        (None, Some(preset)) if settings.settings.is_empty() => {
            preset::evidence_of(&library, preset)?
        }
        (None, _) => None,
    };
    let text = preset::preset_text(&library, &ranking.values, evidence.as_ref())?;
    let Some(path) = &arguments.out else {
        return print_line(text.trim_end());
    };
    let inputs: Vec<&Path> = preset
        .into_iter()
        .chain(arguments.queries.as_deref())
        .chain(arguments.topics.as_deref())
        .collect();
    library.write_output(text.as_bytes(), path, &inputs)?;
    notify(format_args!("wrote {}", path.display()));
    if let Some(evidence) = evidence {
        notify(evidence.sentence());
    }
    Ok(())
}

/// Returns the target that was named. Without a version it is that of the program's config, or the newest if no config
/// can be read.
fn chosen(
    named: &str,
    config: Option<&Path>,
    home: Option<&Home>,
) -> Result<&'static memlens_engine::Target, CliError> {
    let newest = target(named)?;
    if named.contains('@') {
        return Ok(newest);
    }
    let place = config
        .map(Path::to_owned)
        .or_else(|| config_of(newest, home?));
    let read = place.and_then(|place| read_agent_config(&place, None).ok());
    Ok(read
        .map(|read| read.target)
        .filter(|it| it.program() == newest.program())
        .unwrap_or(newest))
}

fn evidence(library: &Library, ranking: &Ranking, set: &QueryFile) -> Result<Evidence, CliError> {
    let judged = judged(library, set)?;
    for notice in &judged.notices {
        notify(notice);
    }
    let bar = progress(2 * judged.answered().len());
    if let Some(params) = ranking.params() {
        library.aggregate_for(&params)?;
    }
    let scores =
        |ranking: &Ranking| memlens_engine::scores(library, &judged, ranking, || bar.inc(1));
    let before = scores(&Ranking::of(ranking.pipeline))?;
    let after = scores(ranking)?;
    bar.finish_and_clear();
    // The name of a set of the library is no path.
    let name = match set.input() {
        Some(path) => path.file_name().unwrap_or_default().to_string_lossy(),
        None => set.path.to_string_lossy(),
    };
    Ok(
        Evidence::of(name.into_owned(), &set.version, &before, &after)
            .expect("a query set without answers is refused"),
    )
}

fn nearest(
    library: &Library,
    ranking: &Ranking,
    export: &Export,
    set: &QueryFile,
) -> Result<Nearest, CliError> {
    let n_answered = set.queries.iter().filter(|it| it.gold().is_some()).count();
    let bar = progress(2 * n_answered);
    let found = memlens_engine::nearest(library, ranking, export.target, set, || bar.inc(1))?;
    bar.finish_and_clear();
    let found = found.ok_or(CliError::Stopped)?;
    for notice in &found.notices {
        notify(notice);
    }
    Ok(found)
}

/// Writes the settings to `--out`, or changes the config if `--write` is given. Returns the backup of the config;
/// `None` if no config was changed.
fn write(
    library: &Library,
    arguments: &ExportArgs,
    export: &Export,
) -> Result<Option<PathBuf>, CliError> {
    if export.is_empty() && (arguments.out.is_some() || arguments.write) {
        return Err(CliError::NoConfig {
            target: export.target.label,
            why: "it has no setting for any of these parameters",
        });
    }
    if let Some(path) = &arguments.out {
        let preset = arguments.ranking.settings.preset.as_deref();
        // The program's own config is changed with `--write` alone: a file saved with `--out` holds only these
        // settings.
        let config = export.change.as_ref().map(|change| &*change.path);
        let inputs: Vec<&Path> = [
            preset,
            config,
            arguments.config.as_deref(),
            arguments.queries.as_deref(),
            arguments.topics.as_deref(),
        ]
        .into_iter()
        .flatten()
        .collect();
        library.write_output(export.text.as_bytes(), path, &inputs)?;
        return Ok(None);
    }
    if !arguments.write {
        return Ok(None);
    }
    let change = export.change.as_ref().ok_or_else(|| CliError::NoConfig {
        target: export.target.label,
        why: match export.target.takes {
            Takes::Arguments(_) => "it has none: its settings are arguments of each call",
            Takes::Config { .. } => {
                "none was found; name it with --config, or save the settings with --out"
            }
        },
    })?;
    Ok(Some(export::write_config(change)?))
}

fn page(
    view: &memlens_engine::view::Export,
    export: &Export,
    nearest: Option<&Nearest>,
) -> Document {
    let target = export.target.label;
    let mut page = Document::new();
    let source = dim(format!("from the parameters of {}", export.source));
    page.line(strong(target) + "  " + source);
    page.gap();
    let mut settings = Table::new([left("").width(22), right("").width(10).gap(1), left("")]);
    for row in &export.mapped {
        let became = match (row.key, &row.written) {
            (Some(key), Some(written)) => format!("{key} = {written}"),
            _ => "–".to_owned(),
        };
        let why = row
            .fit
            .why()
            .map_or_else(String::new, |why| format!(": {why}"));
        let fit = row.fit.name().replace('_', " ");
        settings.row(vec![
            row.parameter.into(),
            row.value.to_string().into(),
            strong(became) + "  " + dim(format!("{fit}{why}")),
        ]);
    }
    page.table(settings);
    page.gap();
    if export.is_empty() {
        page.line(format!(
            "{target} has no setting for any of these parameters."
        ));
    } else {
        page.verbatim(export.text.trim_end());
    }
    if let Some(change) = &view.change {
        page.gap();
        page.heading(2, &change.path);
        if change.is_same && change.refused.is_none() && !export.is_empty() {
            page.line(dim("It already has these settings."));
        }
        page.verbatim(&change.diff);
        for note in &change.notes {
            page.line(format!("Note: {note}"));
        }
        if let Some(folder) = &change.watched {
            page.line(format!(
                "Note: it is in the watched folder {folder}; --write changes it all the same"
            ));
        }
        if let Some(why) = &change.refused {
            page.line(format!("It cannot be written: {why}"));
        }
    }
    if view.change.is_none() && !export.is_empty() {
        page.gap();
        page.line(format!("Note: {}", view.model));
    }
    if let Some(nearest) = nearest {
        page.gap();
        page.line(format!(
            "nDCG@10: {} as tuned, {} as mapped, {} at the nearest setting found ({} tried on the same queries)",
            number(nearest.full, 3),
            number(nearest.mapped, 3),
            number(nearest.found, 3),
            nearest.n_tried
        ));
        for (id, value) in memlens_params::ParameterSet::changed(&nearest.ranking.values) {
            page.item(2, format!("--set {id}={value}"));
        }
    }
    page
}
