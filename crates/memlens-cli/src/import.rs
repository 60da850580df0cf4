use std::path::Path;

use memlens_document::{Document, Text, dim, strong};
use memlens_engine::{
    AgentConfig, Evidence, Ranking, read_agent_config, read_evidence, read_ranking,
};
use memlens_params::{ParameterSet, Values};
use serde::Serialize;

use crate::arguments::ImportArgs;
use crate::error::CliError;
use crate::output::{print, print_json};

#[derive(Serialize)]
struct ImportReport<'a> {
    target: &'static str,
    version: Option<&'a str>,
    pipeline: &'static str,
    params: &'a Values,
    /// The reasons that the settings have no effect, most decisive first.
    voids: Vec<String>,
    settings: Vec<SettingReport<'a>>,
    problems: &'a [String],
}

#[derive(Serialize)]
struct OwnReport<'a> {
    target: &'static str,
    pipeline: &'static str,
    params: &'a Values,
    evidence: Option<Evidence>,
}

#[derive(Serialize)]
struct SettingReport<'a> {
    agent: Option<&'a str>,
    key: &'a str,
    value: &'a serde_json::Value,
    /// One of `sets`, `elsewhere`, `not_emulated`, `without_effect`, `refused`, `wrong_kind`.
    effect: &'static str,
    parameter: Option<&'static str>,
    why: Option<&'static str>,
}

/// Reports the effects of a config.
pub fn run(arguments: &ImportArgs) -> Result<(), CliError> {
    let path = &arguments.config;
    let config = match read_agent_config(path, arguments.agent.as_deref()) {
        // A memlens.json is not an agent's config. A file that claims to be one is reported as one, also if it is
        // invalid.
        Err(error) => {
            return match read_ranking(path) {
                Ok(ranking) => own(path, &ranking, arguments.json),
                Err(ours) if is_own(path) => Err(ours.into()),
                Err(_) => Err(error.into()),
            };
        }
        Ok(config) => config,
    };
    if arguments.json {
        return print_json(&ImportReport {
            target: config.target.id,
            version: config.config.settings.version.as_deref(),
            pipeline: config.ranking.pipeline.id().0,
            params: &config.ranking.values,
            voids: config
                .voids()
                .iter()
                .map(|it| it.sentence().to_owned())
                .collect(),
            settings: reports(&config),
            problems: &config.problems,
        });
    }
    print(&page(&config))
}

/// The most bytes read; a larger file is not a memlens.json.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Returns whether a file claims to be a memlens.json.
fn is_own(path: &Path) -> bool {
    let bytes = memlens_files::read(path, FILE_BYTES_MAX).unwrap_or_default();
    serde_json::from_slice::<serde_json::Value>(&bytes)
        .is_ok_and(|it| !it["schemaVersion"].is_null())
}

/// Prints the contents of a memlens.json.
fn own(path: &Path, ranking: &Ranking, json: bool) -> Result<(), CliError> {
    let evidence = read_evidence(path)?;
    if json {
        return print_json(&OwnReport {
            target: "memlens",
            pipeline: ranking.pipeline.id().0,
            params: &ranking.values,
            evidence,
        });
    }
    let mut page = Document::new();
    let source = dim(format!("parameters of {}", ranking.pipeline.label()));
    page.line(strong("memlens.json") + "  " + source);
    let changed = ranking.values.changed();
    if changed.is_empty() {
        page.line("Every parameter is at its default.");
    }
    for (id, value) in changed {
        page.line(strong(id) + format!("  {value}"));
    }
    if let Some(evidence) = evidence {
        page.line(evidence.sentence());
    }
    print(&page)
}

fn reports(config: &AgentConfig) -> Vec<SettingReport<'_>> {
    let groups = config.config.settings.groups.iter();
    groups
        .flat_map(|group| {
            let agent = group.agent.as_deref();
            group.settings.iter().map(move |it| SettingReport {
                agent,
                key: &it.key,
                value: &it.value,
                effect: it.effect.name(),
                parameter: it.effect.parameter(),
                why: it.effect.why(),
            })
        })
        .collect()
}

fn page(config: &AgentConfig) -> Document {
    let mut page = Document::new();
    let version = config.config.settings.version.as_deref();
    let version = version.map_or_else(
        || match config.config.settings.is_before_2026_2 {
            true => "it names no version".to_owned(),
            false => "it names no version, so the newest is taken".to_owned(),
        },
        |version| format!("written by {version}"),
    );
    page.line(strong(config.label()) + "  " + dim(version));
    for void in config.voids() {
        page.line(void.sentence());
    }
    let reports = reports(config);
    if reports.is_empty() {
        page.line("It does not configure memory search, so the defaults apply.");
        return page;
    }
    for report in reports {
        let note = match (report.effect, report.parameter, report.why) {
            (_, Some(parameter), _) => format!("sets {parameter}"),
            ("wrong_kind", _, Some(takes)) => format!("is of the wrong kind: it takes {takes}"),
            ("elsewhere", _, Some(what)) => format!("acts there: {what}"),
            ("not_emulated", _, Some(why)) => format!("acts there, not here: {why}"),
            ("refused", _, Some(why)) => format!("refused: {why}"),
            (_, _, why) => format!("ignored: {}", why.unwrap_or_default()),
        };
        let value = strong(report.value.to_string());
        page.line(Text::from(report.key) + "  " + value + "  " + dim(note));
    }
    for problem in &config.problems {
        page.line(problem);
    }
    page
}
