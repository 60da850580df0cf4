//! The engine on real SQLite, real lists and real folders; the hashing embedder stands in for the model.

#[path = "engine/agreeing.rs"]
mod agreeing;
#[path = "engine/asking.rs"]
mod asking;
#[path = "engine/changing.rs"]
mod changing;
#[path = "engine/choosing.rs"]
mod choosing;
#[path = "engine/confining.rs"]
mod confining;
#[path = "engine/evergreen.rs"]
mod evergreen;
#[path = "engine/feedback.rs"]
mod feedback;
#[path = "engine/opening.rs"]
mod opening;
#[path = "engine/presets.rs"]
mod presets;
#[path = "engine/recovering.rs"]
mod recovering;
#[path = "engine/retrieving.rs"]
mod retrieving;
#[path = "engine/watching.rs"]
mod watching;
#[path = "engine/why.rs"]
mod why;
