//! The facade of Memlens: open a library, watch folders, search, rank, and explain rankings.
//!
//! [`Library`] reads and searches, beside any writer. [`Engine`] combines it with a [`memlens_indexer::Writer`] for a window:
//! a separate thread writes and watches. A [`Search`] is retrieved once and ranked any number of times. [`view`] holds the
//! types that are sent to a window.
//!
//! This crate prints nothing and knows no window and no command line.
//!
//! ```
//! use std::sync::{Arc, atomic::AtomicBool};
//! use memlens_embed::Hashing;
//! use memlens_engine::{EmbedderSource, Indexer, Library};
//! use memlens_params::Params;
//!
//! let notes = tempfile::tempdir()?;
//! let data = tempfile::tempdir()?;
//! std::fs::write(notes.path().join("router.md"), "The router stands in the hall.")?;
//!
//! let (mut indexer, _) = Indexer::open(data.path(), Box::new(Hashing::default()))?;
//! let folder = indexer.add_folder(notes.path())?;
//! let go_on = AtomicBool::new(false);
//! indexer.scan(&folder, &go_on)?;
//! indexer.run(&go_on, &mut ())?;
//!
//! let source: EmbedderSource = Arc::new(|_| Ok(Box::new(Hashing::default())));
//! let library = Library::open(data.path(), source)?;
//! let search = library.search("where is the router", &Params::default(), None)?;
//! let trace = search.rank(&Params::default());
//! assert_eq!(search.row(trace.kept()[0])?.path, "router.md");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod acts;
mod aggregating;
mod aggregator;
mod default_library;
mod engine;
mod moving;
mod past_watch;
mod sample_notes;
mod window_frame;

pub use default_library::default_library;
pub use engine::{Engine, Event, Listener};
pub use memlens_agents::Home;
/// Keys of agents' configs, and their effects.
pub use memlens_agents::{Effect, Setting, Takes, Target, Void};
/// Memlens in agents' configs, as a server of tools.
pub use memlens_agents::{Launch, ToolServerConfig};
/// Past questions with the results that agents received.
pub use memlens_agents::{PastKind, PastQuestion, Returned, Used};
pub use memlens_embed::{
    EmbedderSource, HUB_MODELS, HubModel, Model, Purpose, bundled, forbid_telemetry, is_foreign,
    lower_priority, source as embedder_source,
};
/// Metrics of query sets, and the number of judged queries that a conclusion needs.
pub use memlens_eval::{Metric, QUERIES_MIN};
pub use memlens_evidence::{
    JudgedFile, LoadedSet, Nearest, QueryFile, Run, RunDrop, RunRecord, compare_over, judged,
    models, nearest, run_query, scores, tuning,
};
/// Starting programs with the right file permissions.
pub use memlens_files::{start_private, with_users_umask};
pub use memlens_handover::{
    AgentConfig, ConfigChange, Evidence, Export, Finding, FolderToAdd, LoadedView, Measured,
    OwnRanking, add_agent_folders, agents, always_loaded, always_text, always_view, config_of,
    cut_said, export, export_made, export_only, folders_of_library, folders_to_add, known_agent,
    loaded, made, note_agents, own_ranking, own_ranking_of, part_of_agent, pipelines_of, preset,
    preset_schema, read_agent_config, read_evidence, read_params, read_ranking, removed_lines_said,
    saved_ranking, saved_ranking_at, target, target_infos, tool_server, unloaded_lines_said,
    values_in_file, watched_folders, with_load_cap,
};
pub use memlens_indexer::{
    ChangeStep, Counts, Indexer, IndexerError, Observer, Step, Watching, refuse_library_among,
};
pub use memlens_library::{
    Choice, Clustering, Contents, CopyReport, EngineError, GivenRanking, Job, Jobs, Library,
    LibraryStatus, Place, Ranking, RowReport, SaidPlace, Search, SearchReport, StageReport,
    StepReport, Timing, TraceForm, answers_outside, ask_second_opinion, changed_model,
    choose_model, chosen_model, clusters, compare, contents, data_size, download_embedding_model,
    drift, drift_report, embedding_models, erase, folded_sentence, foreign_notes, heat,
    hidden_notes, is_new_second_opinion, is_small_model, location, note_drift, opened_cluster,
    oppositions, pipeline, pipelines, plan_model, prepare_memory, providers, put_model_folder,
    rank_given, read_downloaded_model, read_model_folder, refuse_agent_place, report, rerank_calls,
    rows_json, saved_questions, second_opinion, sent_texts, small_model_notice,
    small_model_sentence, source_of_library, stage_looks, trace_text, unread,
};
pub use memlens_map::{lay_out, map};
pub use memlens_note::{
    beside_note, followed_link, history_kept, links_of, note_history, note_history_at,
    note_questions, notes_like, said_elsewhere,
};
pub use memlens_overview::{
    NoteList, WORDS_MAX, different_words, note_list, note_page, note_tags, overview, timeline,
    whole_overview,
};
pub use memlens_past as past;
pub use memlens_past::{Past, PastFilter, PastKinds, PastOnly, PastPage};
pub use memlens_recall::{RecallChange, recall_logs};
/// Cancels a running download.
pub use memlens_rerank::CancellationToken;
pub use memlens_rerank::choice::{
    HttpChoice, HttpState, KeyState, KindOffer, ModelChoice, ModelOffer, RerankChange,
    RerankSettings, RerankTest,
};
/// Input of a rerank hook.
pub use memlens_rerank::hook::Event as HookEvent;
/// An event without the mark that some programs write before it.
pub use memlens_rerank::hook::without_mark;
pub use memlens_rerank::{DownloadProgress, RerankError};
pub use memlens_retrieve::{Lists, Part, Scope};
pub use memlens_store::{Folder, FolderId, Voted};
pub use memlens_why::{
    CLOSE_TO_FACT, Cause, autopsy, autopsy_markdown, autopsy_text, why, why_typed,
};
pub use memlens_wire as view;
pub use memlens_wire::{
    ChunkWhy, ClusterReport, ClustersAnswer, Evergreen, FeedbackEntry, FeedbackImport,
    FeedbackPlace, Fix, FixPrice, Heat, HeatWord, OnDisk, RerankTime, RowThumb, Said, SaidCluster,
    SentText, WhyAnswer, WhyNot,
};
pub use moving::move_folder;
pub use sample_notes::open_sample_notes;
pub use window_frame::window_frame;
