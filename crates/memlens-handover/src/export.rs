//! Hand-over: a ranking in the form of another program's settings, and the change of that program's config.

use std::path::{Path, PathBuf};

use memlens_agents::{
    Config, Effect, Fit, Home, Mapped, Put, TARGETS, Takes, Target, diff, edited, fragment,
};
use memlens_emulate::openclaw::Edition;
use memlens_files::{is_within, place_of, replace_keeping};
use memlens_library::closest::with_closest;
use memlens_library::ranking::{Ranking, pipeline};
use memlens_library::{EngineError, Library};
use memlens_params::{ParameterSet, Value};
use serde_json::json;

use crate::agent_config::{self, Wanted, acts, read, version_assumed};

/// Placeholder of the question in the arguments of a call.
const QUESTION: &str = "\"QUESTION\"";

/// A ranking in the form of another program's settings.
pub struct Export {
    /// The program that receives the ranking.
    pub target: &'static Target,
    /// Name on screen of the pipeline that the parameters belong to.
    pub source: &'static str,
    /// Each parameter that has an effect, with its mapping.
    pub mapped: Vec<Mapped>,
    /// The settings alone: a config with nothing else, or the arguments of a call.
    pub text: String,
    /// Change of the program's config; `None` until a config is read.
    pub change: Option<ConfigChange>,
    puts: Vec<Put>,
    /// Number of parent keys of each setting.
    n_above: usize,
}

/// A config before and after.
#[derive(Clone)]
pub struct ConfigChange {
    /// Path of the config file.
    pub path: PathBuf,
    /// What changes, as a unified diff without texts and comments; empty if nothing does.
    pub diff: String,
    /// Whether it already contains all of these settings.
    pub is_same: bool,
    /// Notices to show to the user before the file is written.
    pub notes: Vec<String>,
    /// Why the file is not written; `None` if it can be.
    pub refused: Option<String>,
    /// Agents of the program that can be configured separately.
    pub agents: Vec<String>,
    /// The ranking by the config as it is, and as it would be; `None` if the program's search is not emulated.
    pub rankings: Option<(Ranking, Ranking)>,
    before: String,
    after: String,
}

/// A program that can receive a ranking: `openclaw` (the newest version), `openclaw@2026.7.35`, `qmd`, `octopus`.
///
/// # Errors
/// [`EngineError::NoTarget`].
pub fn target(named: &str) -> Result<&'static Target, EngineError> {
    let named = named.trim();
    let by_id = |id: &str| TARGETS.iter().copied().find(|it| it.id == id);
    // A version names its pipeline, if the program is emulated.
    let of_pipeline = || by_id(pipeline(named).ok()?.id().0);
    let newest = || TARGETS.iter().copied().find(|it| it.program() == named);
    by_id(named)
        .or_else(of_pipeline)
        .or_else(newest)
        .ok_or_else(|| EngineError::NoTarget {
            named: memlens_params::brief(named).into_owned(),
            why: with_closest(
                named,
                &TARGETS.map(|it| it.id),
                format!(
                    "name one of memlens, {}",
                    TARGETS.map(|it| it.id).join(", ")
                ),
            ),
        })
}

/// Every target, as the window shows it.
pub fn target_infos(home: Option<&Home>) -> Vec<memlens_wire::TargetInfo> {
    let info = |target: &&Target| {
        let place = home.and_then(|home| Some((home, config_of(target, home)?)));
        memlens_wire::TargetInfo {
            id: target.id,
            label: target.label,
            file: match target.takes {
                Takes::Config { file, .. } => Some(file),
                Takes::Arguments(_) => None,
            },
            config: place.as_ref().map(|(home, path)| home.shown(path)),
            is_of_config: place
                .as_ref()
                .and_then(|(_, path)| read(path).ok())
                .is_some_and(|(_, of)| of.id == target.id),
        }
    };
    TARGETS.iter().map(info).collect()
}

/// Path of a program's config; `None` if it does not exist, or the program has no usual path.
pub fn config_of(target: &Target, home: &Home) -> Option<PathBuf> {
    agent_config::place(target, home).filter(|path| path.symlink_metadata().is_ok())
}

/// A ranking in the form of a target's settings; `agent` names one of the program's agents, if they can be configured
/// separately.
///
/// # Errors
/// [`EngineError::NoTarget`] if the target has no settings for single agents.
pub fn export(
    ranking: &Ranking,
    target: &'static Target,
    agent: Option<&str>,
) -> Result<Export, EngineError> {
    let mapped = target.map(ranking.pipeline.id().0, &ranking.values);
    export_mapped(ranking, target, agent, mapped)
}

/// The same of some parameters alone, by their ids, with the switches of their stages if these are on.
///
/// # Errors
/// As [`export`].
pub fn export_only(
    ranking: &Ranking,
    target: &'static Target,
    agent: Option<&str>,
    only: &[&str],
) -> Result<Export, EngineError> {
    let table = ranking.values.table();
    let switch = |id: &&str| table.stage(table.parameter(id).ok()?.stage?)?.switch;
    let switches: Vec<&str> = only.iter().filter_map(switch).collect();
    let mut mapped = target.map(ranking.pipeline.id().0, &ranking.values);
    mapped.retain(|it| {
        let is_on = it.written == Some(json!(true));
        only.contains(&it.parameter) || (is_on && switches.contains(&it.parameter))
    });
    export_mapped(ranking, target, agent, mapped)
}

fn export_mapped(
    ranking: &Ranking,
    target: &'static Target,
    agent: Option<&str>,
    mapped: Vec<Mapped>,
) -> Result<Export, EngineError> {
    let settings = || mapped.iter().filter_map(setting);
    let (puts, text, n_above) = match target.takes {
        Takes::Arguments(call) => {
            let arguments: Vec<_> = settings().collect();
            refuse_agent(target, agent)?;
            (Vec::new(), call(&arguments, QUESTION) + "\n", 0)
        }
        Takes::Config {
            root,
            root_of_agent,
            ..
        } => {
            let root: Vec<String> = match (agent, root_of_agent) {
                (None, _) => root.iter().map(|&key| key.to_owned()).collect(),
                (Some(agent), Some(root_of)) => root_of(agent),
                (Some(_), None) => {
                    refuse_agent(target, agent)?;
                    Vec::new()
                }
            };
            let put = |(key, value): (&str, serde_json::Value)| {
                let below = key.split('.').map(str::to_owned);
                (root.iter().cloned().chain(below).collect(), value)
            };
            let puts: Vec<Put> = settings().map(put).collect();
            let text = fragment(&puts);
            (puts, text, root.len())
        }
    };
    Ok(Export {
        target,
        source: ranking.pipeline.label(),
        mapped,
        text,
        change: None,
        puts,
        n_above,
    })
}

impl Export {
    /// Whether the target can express nothing of it.
    pub fn is_empty(&self) -> bool {
        self.mapped.iter().all(|it| setting(it).is_none())
    }

    /// Reads the target's config and sees what would become of it. What is already so is left as it is.
    ///
    /// # Errors
    /// [`EngineError::AgentConfig`] if it cannot be read.
    pub fn into_config(&mut self, path: &Path, agent: Option<&str>) -> Result<(), EngineError> {
        let (config, written_by) = read(path)?;
        let mut notes = Vec::new();
        if let Some(remark) = version_assumed(&config) {
            notes.push(format!("{remark}; it is taken for {}", self.target.label));
        }
        let mut refused = self.refusal(&config, written_by, agent);
        let acting: Vec<Put> = self
            .puts
            .iter()
            .filter(|(path, value)| {
                !self
                    .standing(&config.value, path)
                    .is_some_and(|it| is_same(&it, value))
            })
            .cloned()
            .collect();
        let words: Vec<&str> = acting.iter().filter_map(|(_, it)| it.as_str()).collect();
        let before = config.text;
        let after = edited(&before, &acting).unwrap_or_else(|why| {
            refused.get_or_insert(why);
            before.clone()
        });
        for group in &config.settings.groups {
            if let Some(other) = group.agent.as_deref().filter(|_| agent.is_none())
                && acts(group)
            {
                notes.push(format!(
                    "{other} has settings of its own, which stay as they are"
                ));
            }
            for setting in &group.settings {
                match setting.effect {
                    Effect::Refused(why) => notes.push(format!("{}: {why}", setting.key)),
                    Effect::WrongKind(takes) => {
                        notes.push(format!("{}: it takes {takes}", setting.key));
                    }
                    Effect::Sets(_)
                    | Effect::Elsewhere(_)
                    | Effect::NotEmulated(_)
                    | Effect::Without(_) => {}
                }
            }
        }
        self.change = Some(ConfigChange {
            path: path.to_owned(),
            rankings: self.rankings(path, agent),
            diff: diff(&before, &after, &words),
            is_same: before == after,
            notes,
            refused,
            agents: agents(&config.value, self.target),
            before,
            after,
        });
        Ok(())
    }

    /// The ranking by a config as it is, and with these settings, for `agent` or else the agent that the program uses by
    /// default. `None` if the config is of another program, or its program refuses it or does not search by it.
    fn rankings(&self, path: &Path, agent: Option<&str>) -> Option<(Ranking, Ranking)> {
        let wanted = agent.map_or(Wanted::Default, Wanted::Agent);
        let before = agent_config::read_for(path, &wanted, &mut |_| ()).ok()?;
        if before.target.id != self.target.id || !before.voids().is_empty() {
            return None;
        }
        // Settings of the agent itself go over those that are written for all.
        let groups = &before.config.settings.groups;
        let own = groups.iter().filter(|group| {
            agent.is_none() && group.agent.is_some() && group.agent == before.agent
        });
        let shadowed: Vec<&str> = own
            .flat_map(|group| &group.settings)
            .filter_map(|setting| setting.effect.parameter())
            .collect();
        let mut after = before.ranking.clone();
        for (path, value) in &self.puts {
            let toggle = value.as_bool().map(Value::Toggle);
            let value = toggle.or_else(|| value.as_f64().map(Value::Number));
            let parameter = self.target.parameter_of(path);
            if let (Some(parameter), Some(value)) = (parameter, value)
                && !shadowed.contains(&parameter)
            {
                after.values.set(parameter, value).ok()?;
            }
        }
        Some((before.ranking, after))
    }

    /// File name for the settings alone.
    pub fn file_name(&self) -> &'static str {
        match self.target.takes {
            Takes::Config { file, .. } => file,
            Takes::Arguments(_) => "qmd.txt",
        }
    }

    /// Why this config cannot be used for this target.
    fn refusal(&self, config: &Config, written_by: &Target, agent: Option<&str>) -> Option<String> {
        if config.program != self.target.program() {
            return Some(format!("it is the config of {}", written_by.label));
        }
        // A config without a version may be of any version.
        let is_known = config
            .settings
            .version
            .as_deref()
            .and_then(Edition::of)
            .is_some();
        if written_by.id != self.target.id && is_known {
            let version = config.settings.version.as_deref();
            return Some(format!(
                "it was written by {}, which uses other settings; export for {} ({})",
                version.unwrap_or(written_by.label),
                written_by.label,
                written_by.id
            ));
        }
        let agent = agent?;
        let is_known = agents(&config.value, self.target)
            .iter()
            .any(|it| it == agent);
        (!is_known).then(|| format!("it names no agent {agent}"))
    }

    /// What holds at a place of a config: its value, for one of the program's agents else that of all, else the program's
    /// default if it is known.
    fn standing(&self, config: &serde_json::Value, path: &[String]) -> Option<serde_json::Value> {
        let at = |path: &[String]| {
            let found = path.iter().fold(config, |at, key| &at[key.as_str()]);
            (!found.is_null()).then(|| found.clone())
        };
        let of_all = || {
            let Takes::Config { root, .. } = self.target.takes else {
                return None;
            };
            let above = root.iter().map(|&key| key.to_owned());
            let below = path.get(self.n_above..)?.iter().cloned();
            at(&above.chain(below).collect::<Vec<String>>())
        };
        if let Some(found) = at(path).or_else(of_all) {
            return Some(found);
        }
        if let Some(switch) = self.target.switch_of(path) {
            return Some(json!(switch));
        }
        let defaults = Ranking::of(pipeline(self.target.id).ok()?).values;
        Some(json!(defaults.get(self.target.parameter_of(path)?)?))
    }
}

/// Writes the changed config atomically, with a backup of its previous contents beside it, whose path is returned.
///
/// This is the one exception to "watched folders are read only": a program's config may be in a watched folder, and the
/// user asked for this file by name.
///
/// # Errors
/// [`EngineError::AgentConfig`] where it is refused, has changed since it was read, or cannot be written.
pub fn write_config(change: &ConfigChange) -> Result<PathBuf, EngineError> {
    let failed = |why: String| EngineError::AgentConfig {
        path: change.path.clone(),
        why,
    };
    if let Some(why) = &change.refused {
        return Err(failed(why.clone()));
    }
    if change.before == change.after {
        return Err(failed(
            "it already has these settings; nothing was written".to_owned(),
        ));
    }
    let backup = free_backup(&change.path);
    let (before, after) = (change.before.as_bytes(), change.after.as_bytes());
    replace_keeping(&change.path, before, after, &backup)
        .map_err(|error| failed(error.to_string()))?;
    Ok(backup)
}

/// Puts the contents of a backup back, which [`write_config`] made for this change, and saves what was written beside it; returns
/// the path of that.
///
/// # Errors
/// [`EngineError::AgentConfig`] if the backup is gone or holds something else, or if the config has changed since.
pub fn undo_config(change: &ConfigChange, backup: &Path) -> Result<PathBuf, EngineError> {
    let failed = |why: String| EngineError::AgentConfig {
        path: change.path.clone(),
        why,
    };
    let saved = std::fs::read(backup)
        .map_err(|error| failed(format!("cannot read {}: {error}", backup.display())))?;
    if saved != change.before.as_bytes() {
        return Err(failed(format!(
            "{} does not hold what was replaced",
            backup.display()
        )));
    }
    let replaced = free_backup(&change.path);
    replace_keeping(&change.path, change.after.as_bytes(), &saved, &replaced)
        .map_err(|error| failed(error.to_string()))?;
    Ok(replaced)
}

/// What a config, as it is on the disk, does not take: values that are refused, and what makes it void, a sentence each.
pub fn config_problems(path: &Path, agent: Option<&str>) -> Vec<String> {
    let wanted = agent.map_or(Wanted::Default, Wanted::Agent);
    match agent_config::read_for(path, &wanted, &mut |_| ()) {
        Ok(read) => {
            let voids = read.voids();
            let voids = voids.iter().map(|void| void.sentence().to_owned());
            voids.chain(read.problems).collect()
        }
        Err(error) => vec![error.to_string()],
    }
}

/// A free name for a backup beside a config.
pub(crate) fn free_backup(config: &Path) -> PathBuf {
    let at = memlens_library::clock::now().strftime("%Y-%m-%dT%H-%M-%SZ");
    let name = config.file_name().unwrap_or_default().to_string_lossy();
    let named = |number: String| config.with_file_name(format!("{name}.{at}{number}.bak"));
    // Two changes may happen within one second.
    std::iter::once(named(String::new()))
        .chain((2..).map(|n: u32| named(format!("-{n}"))))
        .find(|path| path.symlink_metadata().is_err())
        .expect("some name is free")
}

/// Number of backups that earlier changes of a config left beside it.
pub fn n_backups(config: &Path) -> usize {
    let name = config.file_name().unwrap_or_default().to_string_lossy();
    let folder = config
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let is_backup = |entry: &std::fs::DirEntry| {
        let found = entry.file_name();
        let found = found.to_string_lossy();
        let middle = found
            .strip_prefix(&*name)
            .and_then(|it| it.strip_prefix('.')?.strip_suffix(".bak"));
        middle.is_some_and(|at| at.starts_with(|it: char| it.is_ascii_digit()))
    };
    let entries = entries.into_iter().flatten().flatten();
    entries.filter(is_backup).count()
}

/// An export of a ranking as the window shows it.
pub fn export_view(
    library: &Library,
    export: &Export,
    ranking: &Ranking,
    home: Option<&Home>,
) -> memlens_wire::Export {
    let table = ranking.values.table();
    let row = |it: &Mapped| memlens_wire::ExportRow {
        parameter: it.parameter,
        label: table
            .parameter(it.parameter)
            .map_or(it.parameter, |parameter| parameter.label),
        value: it.value.clone(),
        key: it.key,
        written: it.written.as_ref().map(ToString::to_string),
        fit: it.fit.name(),
        why: it.fit.why(),
    };
    let model = format!(
        "this library uses the embedding model {}; where {} uses another, its scores and thresholds differ",
        library.lists().vectors.model(),
        export.target.label
    );
    let change = export
        .change
        .as_ref()
        .map(|change| memlens_wire::ConfigChange {
            path: home.map_or_else(
                || change.path.display().to_string(),
                |home| home.shown(&change.path),
            ),
            diff: change.diff.clone(),
            is_same: change.is_same,
            notes: change
                .notes
                .iter()
                .cloned()
                .chain([model.clone()])
                .collect(),
            refused: change.refused.clone(),
            watched: watched_around(library, &change.path),
            agents: change.agents.clone(),
            before: change.rankings.as_ref().map(|(before, _)| before.to_view()),
            after: change.rankings.as_ref().map(|(_, after)| after.to_view()),
        });
    memlens_wire::Export {
        id: 0,
        target: export.target.id,
        rows: export.mapped.iter().map(row).collect(),
        text: export.text.clone(),
        model,
        change,
        problem: None,
    }
}

/// The watched folder that contains a config; `None` if none does.
pub fn watched_around(library: &Library, path: &Path) -> Option<String> {
    let place = place_of(path).ok()?;
    let lists = library.lists();
    let mut watched = lists.snapshot.folders.iter();
    watched
        .find(|folder| is_within(&place, Path::new(&folder.path)))
        .map(|folder| folder.path.clone())
}

/// Setting to write for a parameter; nothing if it would have no effect.
fn setting(mapped: &Mapped) -> Option<(&'static str, serde_json::Value)> {
    match mapped.fit {
        Fit::Exact | Fit::Approximate(_) => Some((mapped.key?, mapped.written.clone()?)),
        Fit::NotExpressible(_) | Fit::Proposed(_) => None,
    }
}

/// The agents of a config that can be configured separately.
fn agents(config: &serde_json::Value, target: &Target) -> Vec<String> {
    let has_agents = matches!(
        target.takes,
        Takes::Config {
            root_of_agent: Some(_),
            ..
        }
    );
    let entries = config["agents"]["entries"]
        .as_object()
        .filter(|_| has_agents);
    entries
        .into_iter()
        .flatten()
        .map(|(id, _)| id.clone())
        .collect()
}

/// Whether two values are equal; 6 equals 6.0.
fn is_same(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    one == other || one.as_f64().is_some_and(|it| other.as_f64() == Some(it))
}

fn refuse_agent(target: &Target, agent: Option<&str>) -> Result<(), EngineError> {
    match agent {
        None => Ok(()),
        Some(_) => Err(EngineError::NoTarget {
            named: target.label.to_owned(),
            why: "it has no search settings for single agents".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use memlens_agents::TARGETS;
    use memlens_params::Params;

    use super::{export, target};
    use memlens_library::ranking::{Ranking, pipeline, pipelines};

    #[test]
    fn every_key_that_sets_a_parameter_names_one_of_its_pipeline() {
        for target in TARGETS {
            for parameter in target.parameters() {
                let pipeline = pipeline(target.id).expect(target.id);
                let known = pipeline.table().parameter(parameter);
                assert!(known.is_ok(), "{}: {parameter}", target.id);
            }
        }
    }

    #[test]
    fn every_ranking_can_be_exported_to_every_target() {
        for target in TARGETS {
            for pipeline in pipelines() {
                let ranking = Ranking::of(pipeline);
                let export = export(&ranking, target, None).expect(target.id);
                let ids = export.mapped.iter().map(|it| it.parameter);
                let known = ids.filter(|id| pipeline.table().parameter(id).is_err());
                assert_eq!(known.count(), 0, "{} to {}", pipeline.label(), target.id);
                // A parameter without a key has a reason, an exact one needs none.
                for row in &export.mapped {
                    assert_eq!(
                        row.fit.why().is_none(),
                        row.fit == super::Fit::Exact,
                        "{row:?}"
                    );
                    assert!(row.key.is_some() || row.written.is_none(), "{row:?}");
                }
            }
        }
    }

    #[test]
    fn a_target_is_found_by_name_and_version() {
        for (named, id) in [
            ("openclaw", "openclaw@2026.9"),
            ("openclaw@2026.8.1", "openclaw@2026.9"),
            ("openclaw@2026.2.13", "openclaw@2026.2"),
            ("qmd", "qmd@2.8"),
            (" octopus ", "octopus"),
            ("openviking@0.5", "openviking@0.5"),
        ] {
            assert_eq!(target(named).map(|it| it.id).ok(), Some(id), "{named}");
        }
        for named in [
            "",
            "nobody",
            "openclaw@x",
            "hindsight",
            &"x".repeat(100_000),
        ] {
            let refused = target(named).map(|it| it.id).expect_err(named).to_string();
            assert!(
                refused.contains("name one of memlens, openclaw@2026.9") && refused.len() < 400,
                "{refused}"
            );
        }
    }

    #[test]
    fn equal_values_are_exported_unchanged() {
        // The weights of Memlens's own fusion are exported even if they are the defaults.
        let export = export(
            &Ranking::native(&Params::default()),
            target("openclaw@2026.7").expect("it is known"),
            None,
        );
        let text = export.expect("it can be exported").text;
        assert!(
            text.contains("\"vectorWeight\": 0.6") && text.contains("\"textWeight\": 0.4"),
            "{text}"
        );
    }
}
