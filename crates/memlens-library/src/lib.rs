//! Reads a library: searches it, ranks, shows notes, and keeps the last searches.
//!
//! [`Library`] works beside any writer. A [`Search`] is retrieved once and ranked any number of times. [`Writes`] is how actions of
//! the user change a library. Features that need more than one search (past questions, query sets, autopsies) are crates above this
//! one; what they cache beside a library is a [`FeatureState`].

pub mod clock;
pub mod closest;
pub mod clustering;
pub mod emulation;
pub mod error;
pub mod features;
pub mod jobs;
pub mod judging;
pub mod library;
pub mod markdown;
pub mod model_choice;
mod model_list;
pub mod notes;
pub mod output;
pub mod ranking;
pub mod recall_choice;
pub mod reranking;
pub mod search;
pub mod writes;

pub use clustering::Clustering;
pub use clustering::clusters::{ListedCluster, clusters};
pub use clustering::drift::{
    add_opposition, ask_second_opinion, choose_second_opinion, dismiss_contradiction, drift,
    drift_report, is_new_second_opinion, n_opinion_changes, note_drift, oppositions,
    remove_opposition, resolve_contradiction, second_opinion, switch_opposition,
};
pub use clustering::opened::{SaidPlace, opened_cluster};
pub use emulation::outside::{answers_outside, notes_outside};
pub use emulation::prepare_memory;
pub use error::EngineError;
pub use features::FeatureState;
pub use jobs::{Job, Jobs};
pub use judging::saved_questions::saved_questions;
pub use library::Library;
pub use library::data::{
    Contents, contents, data_size, erase, erase_map, erase_server_token, forget_served_calls,
    map_path, served_calls, server_token_path,
};
pub use library::status::LibraryStatus;
pub use model_choice::{
    Choice, changed_model, choose_model, chosen_model, is_small_model, model_label,
    put_model_folder, read_downloaded_model, read_model_folder, small_model_notice,
    small_model_sentence, source_of_library,
};
pub use model_list::{
    download_embedding_model, embedding_models, foreign_notes, forget_vectors, hub_model,
    plan_model,
};
pub use notes::examples::example_questions;
pub use notes::hidden::hidden_notes;
pub use notes::location::location;
pub use notes::place::Place;
pub use notes::unread::unread;
pub use output::refuse_agent_place;
pub use ranking::{Ranking, pipeline, pipelines, stage_looks};
pub use reranking::providers;
pub use reranking::rerank::{
    TEXT_CHARS_MAX, TextScores, fill_in, heat, rerank_calls, reranker_model, score_texts,
    sent_texts,
};
pub use search::compare::compare;
pub use search::folded::folded_sentence;
pub use search::given::{GivenRanking, rank_given};
pub use search::report::{
    CopyReport, RowReport, SearchReport, StageReport, StepReport, TraceForm, report, rows_json,
    trace_text,
};
pub use search::{Search, Timing};
pub use writes::{Writes, Writing};
