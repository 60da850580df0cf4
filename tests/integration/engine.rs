//! The engine on real SQLite, real lists and real folders; the hashing embedder stands in for the model.

#[path = "engine/changing.rs"]
mod changing;
