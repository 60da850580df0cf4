//! The engine on real SQLite, real lists and real folders; the hashing embedder takes the place of the model.

#[path = "engine/agents.rs"]
mod agents;
#[path = "engine/agreeing.rs"]
mod agreeing;
#[path = "engine/asking.rs"]
mod asking;
#[path = "engine/autopsy.rs"]
mod autopsy;
#[path = "engine/autopsy_cases.rs"]
mod autopsy_cases;
#[path = "engine/autopsy_loaded.rs"]
mod autopsy_loaded;
#[path = "engine/autopsy_ranked.rs"]
mod autopsy_ranked;
#[path = "engine/autopsy_used.rs"]
mod autopsy_used;
#[path = "engine/autopsy_whose.rs"]
mod autopsy_whose;
#[path = "engine/autopsy_written.rs"]
mod autopsy_written;
#[path = "engine/beside_note.rs"]
mod beside_note;
#[path = "engine/best_try.rs"]
mod best_try;
#[path = "engine/changing.rs"]
mod changing;
#[path = "engine/choosing.rs"]
mod choosing;
#[path = "engine/compacting.rs"]
mod compacting;
#[path = "engine/comparable.rs"]
mod comparable;
#[path = "engine/comparing.rs"]
mod comparing;
#[path = "engine/confining.rs"]
mod confining;
#[path = "engine/damages.rs"]
mod damages;
#[path = "engine/drifting.rs"]
mod drifting;
#[path = "engine/emulating.rs"]
mod emulating;
#[path = "engine/evergreen.rs"]
mod evergreen;
#[path = "engine/failing.rs"]
mod failing;
#[path = "engine/feedback.rs"]
mod feedback;
#[path = "engine/first_sight.rs"]
mod first_sight;
#[path = "engine/first_start.rs"]
mod first_start;
#[path = "engine/flipping.rs"]
mod flipping;
#[path = "engine/folded.rs"]
mod folded;
#[path = "engine/folders.rs"]
mod folders;
#[path = "engine/forgetting.rs"]
mod forgetting;
#[path = "engine/identifiers.rs"]
mod identifiers;
#[path = "engine/in_turn.rs"]
mod in_turn;
#[path = "engine/linking.rs"]
mod linking;
#[path = "engine/listing.rs"]
mod listing;
#[path = "engine/long_questions.rs"]
mod long_questions;
#[path = "engine/losing.rs"]
mod losing;
#[path = "engine/mapping.rs"]
mod mapping;
#[path = "engine/model_changes.rs"]
mod model_changes;
#[path = "engine/named_sets.rs"]
mod named_sets;
#[path = "engine/note_commits.rs"]
mod note_commits;
#[path = "engine/opening.rs"]
mod opening;
#[path = "engine/opposing.rs"]
mod opposing;
#[path = "engine/other_memory.rs"]
mod other_memory;
#[path = "engine/other_pipeline.rs"]
mod other_pipeline;
#[path = "engine/overviewing.rs"]
mod overviewing;
#[path = "engine/own_index.rs"]
mod own_index;
#[path = "engine/past_set.rs"]
mod past_set;
#[path = "engine/presets.rs"]
mod presets;
#[path = "engine/query_sets.rs"]
mod query_sets;
#[path = "engine/recovering.rs"]
mod recovering;
#[path = "engine/refusing.rs"]
mod refusing;
#[path = "engine/reporting.rs"]
mod reporting;
#[path = "engine/resting.rs"]
mod resting;
#[path = "engine/retrieving.rs"]
mod retrieving;
#[path = "engine/searched.rs"]
mod searched;
#[path = "engine/served.rs"]
mod served;
#[path = "engine/sound.rs"]
mod sound;
#[path = "engine/spelling.rs"]
mod spelling;
#[path = "engine/stopping.rs"]
mod stopping;
#[path = "engine/tuning.rs"]
mod tuning;
#[path = "engine/watched.rs"]
mod watched;
#[path = "engine/watching.rs"]
mod watching;
#[path = "engine/why.rs"]
mod why;
