//! The user's actions that change a library, for the window and the command line alike (see [`Writes`]).

pub use memlens_evidence::tuning::{
    delete_query_set, delete_run, import_query_set, new_query_set, remove_queries,
    rename_query_set, rename_run, save_query, save_run,
};
pub use memlens_handover::preset::{delete_preset, save_preset};
pub use memlens_library::judging::evergreen::{set_evergreen, set_evergreen_at};
pub use memlens_library::judging::feedback::{import_feedback, judge_place, undo_feedback, vote};
pub use memlens_library::judging::saved_questions::save_question;
pub use memlens_library::model_choice::{add_model_folder, choose_embedding_model};
pub use memlens_library::reranking::providers::change_rerank;
pub use memlens_library::writes::{Writes, Writing};
pub use memlens_library::{
    add_opposition, choose_second_opinion, dismiss_contradiction, forget_vectors,
    remove_opposition, resolve_contradiction, switch_opposition,
};
pub use memlens_note::keep_history;
pub use memlens_overview::{mark_seen, visit};
pub use memlens_recall::{change_recall, forget_recall, import_recall};
