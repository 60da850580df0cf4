//! The user's acts that change a library, for the window and the command line alike (see [`Writes`]).

pub use crate::evergreen::{set_evergreen, set_evergreen_at};
pub use crate::feedback::{import_feedback, judge_place, undo_feedback, vote};
pub use crate::preset::{delete_preset, save_preset};
pub use crate::providers::change_rerank;
pub use crate::recall::{change_recall, forget_recall, import_recall};
pub use crate::saved_questions::save_question;
pub use crate::tuning::{
    delete_query_set, delete_run, import_query_set, new_query_set, remove_queries,
    rename_query_set, rename_run, save_query, save_run,
};
pub use crate::writes::{Writes, Writing};
