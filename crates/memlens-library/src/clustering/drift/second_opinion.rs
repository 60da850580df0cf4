//! The second opinion: a model in a folder that the user chose says how probable it is that the pairs contradict that the rules
//! are not sure of. It orders these pairs, and decides nothing.
//!
//! What it said is cached by the sentences and the model, under hashes, in the library's score cache.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use memlens_corroborate::fnv1a;
use memlens_embed::{indexing_threads, locations};
use memlens_rerank::{Judged, NliModel, RerankError};
use memlens_store::{ScoreCache, Store};
use memlens_wire::{
    AggregationProgress, AggregationStep, Drifted, SecondOpinion, SecondOpinionChoice,
    SecondOpinions,
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::dismissed::Marked;
use super::{Found, Wanted};
use crate::features::FeatureState;
use crate::writes::Writes;
use crate::{EngineError, Library};

/// The setting that holds the chosen folder; absent if there is none.
const KEY: &str = "second_opinion";

/// Maximum number of pairs that the model compares after a pass: a model of usual size takes some 0.1 s for a pair.
const ASKED_MAX: usize = 200;

/// Under which name the score cache holds what such models said.
const PROVIDER: &str = "second opinion";

/// Names of the scales under which the score cache holds it: sentences that were read whole, and those that were cut.
const WHOLE: &str = "probability";
const CUT: &str = "probability of cut sentences";

/// The folder that the user chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    folder: PathBuf,
    /// Id of the model that was in it then.
    model: String,
}

impl Choice {
    fn read(store: &Store) -> Result<Option<Choice>, EngineError> {
        let Some(text) = store.setting(KEY)? else {
            return Ok(None);
        };
        let choice = serde_json::from_str(&text).map_err(|error| EngineError::System {
            attempt: "read which model gives a second opinion",
            why: format!("{error}; choose it again"),
        })?;
        Ok(Some(choice))
    }

    /// The folder's name, in one line.
    fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or(self.folder.as_os_str());
        name.to_string_lossy().replace(char::is_control, " ")
    }

    /// Loads the model, which must be the one that was chosen.
    fn load(&self) -> Result<NliModel, RerankError> {
        let model = load(&self.folder)?;
        if model.id() == self.model {
            return Ok(model);
        }
        Err(RerankError::LoadModel {
            path: self.folder.clone(),
            why: format!(
                "the folder holds another model now, {} in place of {}; choose the folder again",
                model.id(),
                self.model
            ),
        })
    }
}

fn load(folder: &Path) -> Result<NliModel, RerankError> {
    let at = locations().map_err(RerankError::Runtime)?;
    NliModel::load(folder, &at, indexing_threads())
}

/// Two sentences, as hashes; the same in either order.
type Pair = [u64; 2];

fn pair_of(drifted: &Drifted) -> Pair {
    let mut pair = [&drifted.a, &drifted.b].map(|side| fnv1a(&side.text));
    pair.sort_unstable();
    pair
}

/// What a model said since the library was opened.
#[derive(Default)]
struct State {
    given: Mutex<Given>,
    /// Held while a model is asked.
    turn: Mutex<()>,
}

impl FeatureState for State {}

#[derive(Default)]
struct Given {
    /// Id of the model that all are of.
    model: String,
    by_pair: HashMap<Pair, Judged>,
    /// Why the model could not be asked the last time.
    problem: Option<String>,
    /// Raised by each change.
    n_changes: u32,
}

impl Given {
    /// Drops what another model said.
    fn keep_only(&mut self, model: &str) {
        if self.model != model {
            *self = Given {
                model: model.to_owned(),
                n_changes: self.n_changes + 1,
                ..Given::default()
            };
        }
    }
}

/// What is known of a second opinion at one time.
pub(super) struct Opinions(Option<Known>);

struct Known {
    choice: Choice,
    by_pair: HashMap<Pair, Judged>,
    problem: Option<String>,
}

impl Opinions {
    /// Reads what the chosen model said so far. Nothing of its folder is read.
    pub(super) fn read(library: &Library) -> Result<Opinions, EngineError> {
        let Some(choice) = Choice::read(&library.store())? else {
            return Ok(Opinions(None));
        };
        let state = library.feature::<State>();
        let given = state.given.lock();
        let is_same = given.model == choice.model;
        let by_pair = if is_same {
            given.by_pair.clone()
        } else {
            HashMap::new()
        };
        let problem = given.problem.clone().filter(|_| is_same);
        Ok(Opinions(Some(Known {
            choice,
            by_pair,
            problem,
        })))
    }

    /// Adds to the pairs that are not sure what the model said, and orders these by it: the most probable first, those without an
    /// opinion last, otherwise as they were. Sure ones stay in front as they were.
    pub(super) fn order(&self, contradictions: &mut [Drifted]) {
        let Some(known) = &self.0 else {
            return;
        };
        let model = known.choice.name();
        for drifted in contradictions.iter_mut().filter(|drifted| !drifted.sure) {
            let judged = known.by_pair.get(&pair_of(drifted));
            drifted.second_opinion = judged.map(|judged| SecondOpinion {
                contradiction: judged.contradiction,
                model: model.clone(),
                is_cut: judged.is_cut,
            });
        }
        // Stable. Probabilities are not negative, so their bits are in their order.
        contradictions.sort_by_key(|drifted| {
            let opinion = drifted.second_opinion.as_ref();
            let probable = opinion.map(|opinion| opinion.contradiction.abs().to_bits());
            (!drifted.sure, Reverse(probable))
        });
    }

    /// What the list says of the second opinion as a whole; `None` if no model is chosen.
    pub(super) fn summary(&self, contradictions: &[Drifted]) -> Option<SecondOpinions> {
        let known = self.0.as_ref()?;
        let unsure = contradictions.iter().filter(|drifted| !drifted.sure);
        let n_without = unsure
            .filter(|drifted| drifted.second_opinion.is_none())
            .count();
        Some(SecondOpinions {
            model: known.choice.name(),
            n_without: n_without as u32,
            problem: known.problem.clone(),
        })
    }
}

/// The number of changes of what is known of second opinions since the library was opened.
pub fn n_opinion_changes(library: &Library) -> u32 {
    library.feature::<State>().given.lock().n_changes
}

/// Asks the chosen model for its opinion on pairs that the last pass is not sure of and that have none yet, at most 200 at a time,
/// those that are listed first before others. Returns whether anything new is known, also that the model cannot be asked. It is
/// stopped as a pass is.
///
/// # Errors
/// [`EngineError::Store`]. That the model cannot be asked is part of the report.
pub fn ask_second_opinion(library: &Library) -> Result<bool, EngineError> {
    let Some(choice) = Choice::read(&library.store())? else {
        return Ok(false);
    };
    let run = library.jobs().aggregation.begin();
    let state = library.feature::<State>();
    let _turn = state.turn.lock();
    state.given.lock().keep_only(&choice.model);
    let pairs = unsure_pairs(library)?;
    let is_new = |drifted: &&Drifted| !state.given.lock().by_pair.contains_key(&pair_of(drifted));
    let asked: Vec<&Drifted> = pairs.iter().filter(is_new).collect();
    let cache = library.score_cache()?;
    let (known, unknown) = cached(&cache, &choice.model, &asked);
    let n_known = known.len();
    state.given.lock().by_pair.extend(known);
    let mut model = None;
    let mut n_judged = 0;
    let mut problem = None;
    let n_asked = unknown.len().min(ASKED_MAX);
    for (at, drifted) in unknown.into_iter().take(ASKED_MAX).enumerate() {
        run.report(AggregationProgress {
            step: AggregationStep::Asking,
            n_done: at as u32,
            n_all: n_asked as u32,
        });
        if run.is_stopped() {
            break;
        }
        let loaded = match &mut model {
            Some(model) => Ok(model),
            none => choice.load().map(|model| none.insert(model)),
        };
        let (a, b) = in_order(drifted);
        match loaded.and_then(|model| model.judge(a, b)) {
            Ok(judged) => {
                keep(&cache, &choice.model, drifted, judged);
                state.given.lock().by_pair.insert(pair_of(drifted), judged);
                n_judged += 1;
            }
            Err(error) => {
                problem = Some(error.to_string());
                break;
            }
        }
    }
    let mut given = state.given.lock();
    let is_changed = n_known + n_judged > 0 || given.problem != problem;
    given.problem = problem;
    given.n_changes += u32::from(is_changed);
    Ok(is_changed)
}

/// The pairs that may contradict, in the order of the list without a second opinion.
fn unsure_pairs(library: &Library) -> Result<Vec<Drifted>, EngineError> {
    let Some(clustering) = library.clustering() else {
        return Ok(Vec::new());
    };
    let marked = Marked::read(&library.store())?;
    let wanted = Wanted {
        since: None,
        note: None,
    };
    let snapshot = &library.lists().snapshot;
    let mut pairs = Found::new(&clustering, snapshot, &marked, wanted).contradictions;
    pairs.retain(|drifted| !drifted.sure);
    Ok(pairs)
}

/// The sentences of a pair, the same in either order.
fn in_order(drifted: &Drifted) -> (&str, &str) {
    let (a, b) = (drifted.a.text.as_str(), drifted.b.text.as_str());
    if a <= b { (a, b) } else { (b, a) }
}

/// Returns what the cache holds of pairs, and the pairs of which it holds nothing.
fn cached<'d>(
    cache: &ScoreCache,
    model: &str,
    pairs: &[&'d Drifted],
) -> (Vec<(Pair, Judged)>, Vec<&'d Drifted>) {
    let mut known = Vec::new();
    let mut unknown = Vec::new();
    for &drifted in pairs {
        let (a, b) = in_order(drifted);
        let found = cache
            .scores(a, PROVIDER, model, &[b])
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot read kept second opinions");
                Vec::new()
            });
        match found.into_iter().flatten().next() {
            Some(found) => known.push((
                pair_of(drifted),
                Judged {
                    contradiction: found.score,
                    is_cut: found.scale == CUT,
                },
            )),
            None => unknown.push(drifted),
        }
    }
    (known, unknown)
}

fn keep(cache: &ScoreCache, model: &str, drifted: &Drifted, judged: Judged) {
    let (a, b) = in_order(drifted);
    let scale = if judged.is_cut { CUT } else { WHOLE };
    let scores = [(b, judged.contradiction)];
    if let Err(error) = cache.put_scores(a, PROVIDER, model, scale, &scores) {
        tracing::warn!(%error, "cannot keep a second opinion");
    }
}

/// The folder whose model gives a second opinion. Nothing in it is read.
///
/// # Errors
/// [`EngineError::Store`]; [`EngineError::System`] if the setting is in an unknown form.
pub fn second_opinion(library: &Library) -> Result<SecondOpinionChoice, EngineError> {
    let choice = Choice::read(&library.store())?;
    Ok(SecondOpinionChoice {
        folder: choice.map(|choice| choice.folder.display().to_string()),
    })
}

/// Whether a folder is another one than the user chose before. Nothing in it is read.
pub fn is_new_second_opinion(library: &Library, folder: &str) -> bool {
    // A choice that cannot be read does not count as the user's consent.
    let choice = Choice::read(&library.store()).ok().flatten();
    choice.is_none_or(|choice| choice.folder != Path::new(folder))
}

/// Chooses the folder whose model gives a second opinion, after loading it and comparing a trial, or none.
///
/// # Errors
/// [`EngineError::Rerank`] if it is no such folder; as [`Writes::write`].
pub fn choose_second_opinion(
    writes: &impl Writes,
    folder: Option<&str>,
) -> Result<SecondOpinionChoice, EngineError> {
    // Fails before a model is loaded if the choice could not be stored afterwards.
    writes.begin()?;
    let choice = folder.map(|folder| chosen(Path::new(folder))).transpose()?;
    let text = choice.as_ref().map(|choice| {
        serde_json::to_string(choice).expect("plain data can always be written as JSON")
    });
    writes.write(|store| Ok(store.put_setting(KEY, text.as_deref())?))?;
    let state = writes.library().feature::<State>();
    let mut given = state.given.lock();
    given.problem = None;
    given.n_changes += 1;
    drop(given);
    writes.second_opinion_chosen();
    second_opinion(writes.library())
}

/// Loads the model of a folder that the user names.
fn chosen(folder: &Path) -> Result<Choice, RerankError> {
    let why = if !folder.is_absolute() {
        "give its full path"
    } else if !folder.is_dir() {
        "there is no such folder"
    } else {
        return Ok(Choice {
            folder: folder.to_owned(),
            model: load(folder)?.id().to_owned(),
        });
    };
    Err(RerankError::Setting {
        what: format!("the model in {}", folder.display()),
        why: why.to_owned(),
    })
}
