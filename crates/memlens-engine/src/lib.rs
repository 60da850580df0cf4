//! The facade of Memlens: open a library, watch folders, search, rank, look at the reasons.
//!
//! [`Library`] reads and searches, beside any writer. [`Engine`] holds it and a [`memlens_indexer::Writer`] for a window:
//! a thread of its own writes and watches. A [`Search`] is retrieved once
//! and ranked any number of times. [`view`] holds the types that are sent to a window.
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
mod agent_config;
mod agent_notes;
mod agents;
mod aggregator;
mod always;
mod asking;
mod autopsy;
mod cause;
mod changes;
mod clock;
mod closest;
mod clustering;
mod clusters;
mod compare;
mod compare_set;
mod copies;
mod data;
mod emulation;
mod emulations;
mod engine;
mod error;
mod evaluate;
mod evergreen;
mod evidence;
mod examples;
pub mod export;
mod facts;
mod feedback;
mod folded;
mod following;
mod given;
mod hook;
mod in_turn;
mod jobs;
mod judged;
mod kept;
mod library;
mod made;
mod markdown;
mod marks;
mod moving;
mod nearest;
mod note_names;
mod notes;
mod notices;
mod output;
mod outside;
mod own_index;
mod own_ranking;
mod passage;
pub mod past;
mod past_watch;
mod place;
pub mod preset;
pub mod providers;
mod query_file;
mod ranking;
mod recall;
mod recall_later;
mod report;
mod rerank;
mod reranking;
mod saved_questions;
mod scope;
mod search;
mod searched;
mod staleness;
mod status;
mod thumbs;
pub mod tuning;
mod unread;
pub mod view;
mod why;
mod window_frame;
mod writes;

pub use agent_config::{AgentConfig, read_agent_config};
pub use agents::{
    Finding, FolderToAdd, LoadedView, add_agent_folders, agents, folders_to_add, known_agent,
    loaded, note_agents, watched_folders, with_load_cap,
};
pub use always::{always_loaded, always_text, always_view};
pub use autopsy::CLOSE_TO_FACT;
pub use cause::Cause;
pub use clustering::Clustering;
pub use compare::compare;
pub use data::{Contents, contents, erase};
pub use engine::{Engine, Event, Listener};
pub use error::EngineError;
pub use evaluate::Run;
pub use evidence::{Evidence, Measured};
pub use export::{ConfigChange, Export, config_of, export, export_only, target, targets_told};
pub use folded::folded_sentence;
pub use given::GivenRanking;
pub use jobs::{Job, Jobs};
pub use judged::JudgedFile;
pub use library::Library;
pub use made::{export_made, made};
pub use marks::Evergreen;
pub use memlens_agents::Home;
/// A key of an agent's config, and what it does.
pub use memlens_agents::{Effect, Setting, Takes, Target, Void};
/// What an agent asked, and what it was given.
pub use memlens_agents::{PastKind, PastQuestion, Returned, Used};
pub use memlens_embed::{EmbedderSource, Purpose, bundled, forbid_telemetry, lower_priority};
/// What a query set is measured by, and how many judged queries a conclusion needs.
pub use memlens_eval::{Metric, QUERIES_MIN};
/// Where agents are looked for.
pub use memlens_files::{start_private, with_users_umask};
pub use memlens_indexer::{
    Counts, Indexer, IndexerError, Observer, Step, Watching, refuse_library_among,
};
/// Stops a download.
pub use memlens_rerank::CancellationToken;
pub use memlens_rerank::choice::{
    HttpChoice, HttpState, KeyState, KindOffer, ModelChoice, ModelOffer, RerankChange,
    RerankSettings, RerankTest,
};
/// What a hook reads.
pub use memlens_rerank::hook::Event as HookEvent;
/// An event without the mark that some programs write before it.
pub use memlens_rerank::hook::without_mark;
pub use memlens_rerank::{DownloadProgress, RerankError};
pub use memlens_retrieve::{Lists, Part, Scope};
pub use memlens_store::{Folder, FolderId, Voted};
pub use moving::move_folder;
pub use nearest::Nearest;
pub use output::refuse_agent_place;
pub use own_ranking::{OwnRanking, own_ranking};
pub use past::{Past, PastFilter, PastKinds, PastOnly, PastPage};
pub use place::Place;
pub use preset::{
    in_file as values_in_file, preset_schema, read_evidence, read_params, read_ranking,
};
pub use query_file::QueryFile;
pub use ranking::{Ranking, pipeline, pipelines, stage_looks};
pub use recall::RecallChange;
pub use report::{CopyReport, RowReport, SearchReport, StageReport, StepReport, TraceForm};
pub use search::{Search, Timing};
pub use staleness::OnDisk;
pub use status::LibraryStatus;
pub use tuning::{LoadedSet, RunDrop, RunRecord};
pub use view::{
    ChunkWhy, ClusterReport, ClustersAnswer, FeedbackEntry, FeedbackImport, FeedbackPlace, Fix,
    FixPrice, Heat, HeatWord, RerankTime, RowThumb, Said, SaidCluster, SentText, WhyAnswer, WhyNot,
};
pub use window_frame::window_frame;
