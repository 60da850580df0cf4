//! `memlens import`.

use std::io::{self, Write};

use memlens_engine::{AgentConfig, Effect, Setting, read_openclaw};
use memlens_params::Values;
use serde::Serialize;

use crate::arguments::ImportArgs;
use crate::error::CliError;
use crate::output::{BOLD, DIM, print_json, print_text, shown};

#[derive(Serialize)]
struct ImportReport<'a> {
    version: Option<&'a str>,
    pipeline: &'static str,
    params: &'a Values,
    settings: Vec<SettingReport<'a>>,
    problems: &'a [String],
}

#[derive(Serialize)]
struct SettingReport<'a> {
    agent: Option<&'a str>,
    key: &'a str,
    value: &'a serde_json::Value,
    /// sets, not_emulated, without_effect or wrong_kind.
    effect: &'static str,
    parameter: Option<&'static str>,
    why: Option<&'static str>,
}

/// Tells what a config does.
pub fn run(arguments: &ImportArgs) -> Result<(), CliError> {
    let config = read_openclaw(&arguments.config, arguments.agent.as_deref())?;
    if arguments.json {
        return print_json(&ImportReport {
            version: config.settings.version.as_deref(),
            pipeline: config.ranking.pipeline.id().0,
            params: &config.ranking.values,
            settings: reports(&config),
            problems: &config.problems,
        });
    }
    print_text(|out| write(out, &config))
}

fn reports(config: &AgentConfig) -> Vec<SettingReport<'_>> {
    let groups = config.settings.groups.iter();
    groups
        .flat_map(|group| {
            let agent = group.agent.as_deref();
            group
                .settings
                .iter()
                .map(move |setting| report(agent, setting))
        })
        .collect()
}

fn report<'a>(agent: Option<&'a str>, setting: &'a Setting) -> SettingReport<'a> {
    let (effect, parameter, why) = match setting.effect {
        Effect::Sets(parameter) => ("sets", Some(parameter), None),
        Effect::NotEmulated(why) => ("not_emulated", None, Some(why)),
        Effect::Without(why) => ("without_effect", None, Some(why)),
        Effect::WrongKind(takes) => ("wrong_kind", None, Some(takes)),
    };
    SettingReport {
        agent,
        key: &setting.key,
        value: &setting.value,
        effect,
        parameter,
        why,
    }
}

fn write(out: &mut dyn Write, config: &AgentConfig) -> io::Result<()> {
    let version = config.settings.version.as_deref();
    let version = version.map_or_else(
        || "it names no version, so the newest is taken".to_owned(),
        |version| format!("written by {}", shown(version)),
    );
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}  {DIM}{version}{DIM:#}",
        config.ranking.pipeline.label()
    )?;
    let reports = reports(config);
    if reports.is_empty() {
        return writeln!(
            out,
            "It sets nothing of the memory search: the defaults hold."
        );
    }
    for report in reports {
        let told = match (report.effect, report.parameter, report.why) {
            (_, Some(parameter), _) => format!("sets {parameter}"),
            ("wrong_kind", _, Some(takes)) => format!("is of the wrong kind: it takes {takes}"),
            ("not_emulated", _, Some(why)) => format!("acts, but not here: {why}"),
            (_, _, why) => format!("does nothing: {}", why.unwrap_or_default()),
        };
        let value = report.value.to_string();
        writeln!(
            out,
            "{}  {BOLD}{}{BOLD:#}  {DIM}{told}{DIM:#}",
            shown(report.key),
            shown(&value)
        )?;
    }
    for problem in &config.problems {
        writeln!(out, "{}", shown(problem))?;
    }
    Ok(())
}
