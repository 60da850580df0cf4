//! Errors of everything that the user can ask the library for, with a code that the window branches on.

use std::path::{Path, PathBuf};

use memlens_embed::EmbedError;
use memlens_index::IndexError;
use memlens_indexer::IndexerError;
use memlens_ingest::IngestError;
use memlens_params::ParamError;
use memlens_rerank::RerankError;
use memlens_retrieve::RetrieveError;
use memlens_store::StoreError;
use thiserror::Error;

/// Why a request to the engine failed.
#[derive(Debug, Error)]
pub enum EngineError {
    /// Error of the library's database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Error of a derived list.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Error of the embedding model.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The library cannot be written, or a folder cannot be watched, for another reason than these.
    #[error(transparent)]
    Indexer(IndexerError),
    /// Error of a reranker or its model.
    #[error(transparent)]
    Rerank(#[from] RerankError),
    /// No reranker of this kind is set up.
    #[error("cannot rerank with {mode}: {why}")]
    NoReranker {
        /// The value of the parameter `rerank`.
        mode: &'static str,
        /// Why, and what to do.
        why: &'static str,
    },
    /// An agent's folders cannot be watched.
    #[error("cannot watch {id}: {why}")]
    Agent {
        /// The agent's id, as typed.
        id: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// No agent has this id.
    #[error("no agent has the id {id}; {}",
        crate::closest::suggestion(id, &memlens_agents::AGENTS.map(|agent| agent.id)))]
    NoAgent {
        /// The id as the user typed it.
        id: String,
    },
    /// A query set whose answers another program does not index.
    #[error(
        "none of the {n} answers is in a note that {by} indexes, so every figure would be 0 and mean nothing.{why}"
    )]
    NoneSearched {
        /// Name of the program that was emulated.
        by: String,
        /// How many answers there are.
        n: usize,
        /// Why most of them are not, and what to do, preceded by a blank; empty if unknown.
        why: String,
    },
    /// There is no such past question.
    #[error("there is no past question {id}; run \"memlens recall list\"")]
    NoPast {
        /// The id as the user gave it.
        id: String,
    },
    /// A session cannot be identified.
    #[error("cannot find the session {typed}: {why}; `memlens recall list` names the sessions")]
    NoSession {
        /// The session as the user typed it.
        typed: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// An opening of notes has no question that could be asked again.
    #[error(
        "cannot ask past entry {id} again: it is an opening of notes and not a search; `memlens recall show {id}` prints it"
    )]
    IsOpening {
        /// The id as the user gave it.
        id: String,
    },
    /// A fact without a word.
    #[error(
        "cannot find out what was forgotten: say the fact in words, or as a line of a note like notes.md:12"
    )]
    NoFact,
    /// The user has not allowed reading agents' logs.
    #[error(
        "cannot read past questions: you have not allowed it for this library yet; allow it in the view Past questions, or with `memlens recall import`"
    )]
    RecallNotAllowed,
    /// No command is set up to be run.
    #[error("cannot run the hook: no command is set; set one in the settings")]
    NoHook,
    /// A file or folder could not be read.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// A parameter or its value is invalid.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// There is nothing to search for.
    #[error("cannot search: type a question")]
    EmptyQuery,
    /// A retriever cannot answer, for another reason than its database or a list.
    #[error(transparent)]
    Retrieve(RetrieveError),
    /// A pipeline does not rank what this retriever finds.
    #[error("cannot rank with {pipeline}: it ranks results of {expected}, not of {found}")]
    OtherRetriever {
        /// The pipeline's name on screen.
        pipeline: &'static str,
        /// The retriever that it ranks the sets of.
        expected: &'static str,
        /// The retriever that was asked.
        found: &'static str,
    },
    /// Vectors to delete are in use.
    #[error(
        "cannot delete the vectors of {model}: your notes are searched by it, or are being embedded by it; choose another model first"
    )]
    VectorsInUse {
        /// Name or id of the model.
        model: String,
    },
    /// An agent's config cannot be used.
    #[error("cannot use the config {}: {why}", path.display())]
    AgentConfig {
        /// Path of the config file.
        path: PathBuf,
        /// The reason, to show to the user.
        why: String,
    },
    /// The name for a new query set is that of another.
    #[error(
        "cannot use the name {named}: another query set has it; replace that one, keep both, or choose another name"
    )]
    QuerySetTaken {
        /// Name that the user gave.
        named: String,
    },
    /// A query set, or a query of one, cannot be used in this way.
    #[error("cannot {attempt} {named}: {why}")]
    QuerySet {
        /// The failed action, as a verb phrase.
        attempt: &'static str,
        /// Name that the user gave.
        named: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// Tuning is not possible in this way.
    #[error("cannot tune: {why}")]
    Tune {
        /// Why, and what to do.
        why: String,
    },
    /// A run is missing, or cannot be compared with.
    #[error("cannot use the run {named}: {why}")]
    Run {
        /// Name that the user gave.
        named: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// A query set holds no query.
    #[error("cannot evaluate {}: it has no judged queries", path.display())]
    NoQueries {
        /// Path of the query file.
        path: PathBuf,
    },
    /// A query set contains only nonsense questions.
    #[error("cannot measure by {}: none of its queries has an answer", path.display())]
    NoAnswers {
        /// Path of the query file.
        path: PathBuf,
    },
    /// A file is not a query set.
    #[error("cannot read {}: it is in none of the formats that are read: {}", path.display(), memlens_eval::FORMATS_READ)]
    UnknownQueries {
        /// Path of the query file.
        path: PathBuf,
    },
    /// The questions of a file of judgments are missing.
    #[error("cannot read the questions of {}: {why}", path.display())]
    Topics {
        /// Path of the judgments file.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// A document id of a query set matches several notes.
    #[error(
        "cannot measure by {set}: the document id {id} fits {n} notes ({examples}); write more of the path in front of it"
    )]
    ManyNotes {
        /// The query set, as the user named it.
        set: String,
        /// The id that fits several notes.
        id: String,
        /// The number of notes that it fits.
        n: usize,
        /// Paths of some of these notes.
        examples: String,
    },
    /// No note that a query set judges is in the library.
    #[error(
        "cannot measure by {set}: none of the {n} judged notes is in this library ({examples}){}; index the folder that holds them, or correct the paths",
        looked_up_in(base.as_deref())
    )]
    NoneJudgedHere {
        /// The query set, as the user named it.
        set: String,
        /// The number of notes that it judges.
        n: usize,
        /// Some of them, as the set names them.
        examples: String,
        /// The folder from which the set's paths begin; `None` if it names notes by their ids.
        base: Option<PathBuf>,
    },
    /// No pipeline has this name.
    #[error("cannot rank as {named}: {why}")]
    NoPipeline {
        /// Name that the user gave.
        named: String,
        /// The names that exist, as a sentence.
        why: String,
    },
    /// No target has this name, or it cannot do what was asked.
    #[error("cannot export for {named}: {why}")]
    NoTarget {
        /// Name that the user gave.
        named: String,
        /// The names that exist, or the reason, as a sentence.
        why: String,
    },
    /// A search that the window asks about is not cached any more.
    #[error("cannot rank search {id}: it is no longer kept; search again")]
    SearchGone {
        /// Number of the search that is gone.
        id: u32,
    },
    /// A search was retrieved with other parameters than it should be ranked by.
    #[error("cannot rank search {id}: it was retrieved with other parameters; search again")]
    OtherLists {
        /// Number of the search to be ranked.
        id: u32,
    },
    /// The search has no row in this slot.
    #[error("cannot show row {slot}: the search has {n_rows} rows")]
    NoRow {
        /// The slot that was asked for.
        slot: u32,
        /// Number of rows of the search.
        n_rows: usize,
    },
    /// A note changed since the search, so that the text of a row is gone.
    #[error("cannot {attempt} {path}: it has changed since the search; search again")]
    NoteChanged {
        /// The failed action, as a verb phrase.
        attempt: &'static str,
        /// Path of the changed note.
        path: String,
    },
    /// The text of a row differs from what was saved.
    #[error(
        "cannot {attempt} {path}: its copy in the library is damaged; `memlens index`, or the next start of the window, \
         re-indexes it"
    )]
    NoteAltered {
        /// The failed action, as a verb phrase.
        attempt: &'static str,
        /// Path of the damaged note.
        path: String,
    },
    /// A path cannot be marked or unmarked as evergreen.
    #[error("cannot mark {path}: {why}")]
    Evergreen {
        /// The path as the user typed it.
        path: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// The list of opposite words cannot be changed as asked.
    #[error("cannot {attempt}: {why}")]
    Opposition {
        /// The change, as a verb with its object.
        attempt: &'static str,
        /// The reason, to show to the user.
        why: String,
    },
    /// A path is in no watched folder.
    #[error("cannot use {path}: it is not in a watched folder")]
    NotWatched {
        /// The path as the user gave it.
        path: String,
    },
    /// A scope names nothing, or more than one thing.
    #[error("cannot search in {typed}: {why}")]
    Scope {
        /// The scope as the user typed it.
        typed: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// A note or line that was asked about cannot be identified.
    #[error("cannot tell why {typed} is not found: {why}")]
    Place {
        /// The place as the user typed it.
        typed: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// A note that should be shown cannot be identified.
    #[error("cannot show the note {typed}: {why}")]
    Note {
        /// The place as the user typed it.
        typed: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// A chunk that should get a thumb cannot be identified.
    #[error("cannot give {typed} a thumb: {why}")]
    Thumb {
        /// The place as the user typed it.
        typed: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// There is no thumb of this id.
    #[error("cannot take back thumb {id}: no such thumb")]
    NoFeedback {
        /// The id as the user gave it.
        id: String,
    },
    /// A file of thumbs could not be used.
    #[error("cannot import {}: {why}", path.display())]
    Feedback {
        /// Path of the thumbs file.
        path: PathBuf,
        /// The reason, to show to the user.
        why: String,
    },
    /// An output file would be in a watched folder.
    #[error("cannot write {}: it is in {folder}, a watched folder, where Memlens never writes", path.display())]
    WatchedPlace {
        /// Path of the output file.
        path: PathBuf,
        /// Path of the watched folder.
        folder: String,
    },
    /// An output file would be in the library's folder.
    #[error("cannot write {}: it is in the library's own folder {}, or is one of its files; choose another place", path.display(), dir.display())]
    OwnPlace {
        /// Path of the output file.
        path: PathBuf,
        /// Path of the library's folder.
        dir: PathBuf,
    },
    /// An output file would overwrite a file that is read.
    #[error("cannot write {}: it is the same file as {}, which is being read; choose another place", path.display(), input.display())]
    InputPlace {
        /// Path of the output file.
        path: PathBuf,
        /// The file that is read.
        input: PathBuf,
    },
    /// An output file would be an agent's config, state, log or instructions.
    #[error("cannot write {}: {} belongs to {agent}, which keeps its settings, logs or instructions there; choose another place{instead}", path.display(), file.display())]
    AgentPlace {
        /// Path of the output file.
        path: PathBuf,
        /// The agent's file, or the folder in which everything is the agent's.
        file: PathBuf,
        /// Name of the agent on screen.
        agent: &'static str,
        /// Another command for what the user may want, with punctuation before; empty if there is none.
        instead: String,
    },
    /// A note is not in the library.
    #[error("cannot open {path}: it is not in the library")]
    NoDocument {
        /// Path of the note, as asked for.
        path: String,
    },
    /// A preset that should be saved has no name.
    #[error("cannot save the preset: give it a name")]
    NoPresetName,
    /// A preset could not be read.
    #[error("cannot read preset {origin}: {why}")]
    Preset {
        /// File or name of the preset.
        origin: String,
        /// The reason, to show to the user.
        why: String,
    },
    /// A file that the user named could not be read or written.
    #[error("cannot {attempt} {}: {source}", path.display())]
    File {
        /// What was tried, as a verb.
        attempt: &'static str,
        /// Path of the file that failed.
        path: PathBuf,
        /// Error of the file system.
        source: std::io::Error,
    },
    /// No program opens a note.
    #[error("cannot open {}: {source}", path.display())]
    NoEditor {
        /// Path of the note to open.
        path: PathBuf,
        /// Why, and what to do.
        source: std::io::Error,
    },
    /// A thread could not be started, or the file watcher refused.
    #[error("cannot {attempt}: {why}")]
    System {
        /// The failed action, as a verb phrase.
        attempt: &'static str,
        /// The reason, to show to the user.
        why: String,
    },
}

impl From<IndexerError> for EngineError {
    fn from(error: IndexerError) -> EngineError {
        match error {
            IndexerError::Store(error) => EngineError::Store(error),
            IndexerError::Index(error) => EngineError::Index(error),
            IndexerError::Embed(error) => EngineError::Embed(error),
            IndexerError::Ingest(error) => EngineError::Ingest(error),
            other @ (IndexerError::HoldsWatched { .. }
            | IndexerError::Unmounted { .. }
            | IndexerError::CannotWatch { .. }
            | IndexerError::ReadOnly { .. }
            | IndexerError::File { .. }
            | IndexerError::System { .. }) => EngineError::Indexer(other),
        }
    }
}

impl From<RetrieveError> for EngineError {
    fn from(error: RetrieveError) -> EngineError {
        match error {
            RetrieveError::Store(error) => EngineError::Store(error),
            RetrieveError::Index(error) => EngineError::Index(error),
            other @ (RetrieveError::Building { .. } | RetrieveError::Outside { .. }) => {
                EngineError::Retrieve(other)
            }
        }
    }
}

impl EngineError {
    /// A file of the user's could not be read or written.
    pub fn file(attempt: &'static str, path: &Path, source: std::io::Error) -> EngineError {
        EngineError::File {
            attempt,
            path: path.to_owned(),
            source,
        }
    }

    /// Names the library's folder in an error of its database that does not know it.
    pub fn at(self, dir: &Path) -> EngineError {
        if let EngineError::Store(error) = self {
            return EngineError::Store(error.at(dir));
        }
        self
    }

    /// Whether the library's database is damaged.
    pub fn is_damage(&self) -> bool {
        matches!(self, EngineError::Store(StoreError::Damaged { .. }))
    }

    /// Whether a list is damaged or gone, and not merely behind the library.
    pub fn is_of_damaged_list(&self) -> bool {
        matches!(self, EngineError::Index(error)
            if error.needs_rebuild() && !matches!(error, IndexError::Stale { .. }))
    }

    /// The code that the window branches on; most errors are only shown.
    pub fn code(&self) -> &'static str {
        match self {
            EngineError::EmptyQuery => "empty_query",
            EngineError::NoEditor { .. } => "no_editor",
            EngineError::QuerySetTaken { .. } => "set_taken",
            EngineError::SearchGone { .. } | EngineError::OtherLists { .. } => "search_gone",
            EngineError::Retrieve(RetrieveError::Building { .. }) => "building",
            EngineError::Store(_)
            | EngineError::Index(_)
            | EngineError::Embed(_)
            | EngineError::Indexer(_)
            | EngineError::Retrieve(_)
            | EngineError::OtherRetriever { .. }
            | EngineError::NoPipeline { .. }
            | EngineError::NoTarget { .. }
            | EngineError::NoQueries { .. }
            | EngineError::NoAnswers { .. }
            | EngineError::NoneJudgedHere { .. }
            | EngineError::UnknownQueries { .. }
            | EngineError::Topics { .. }
            | EngineError::ManyNotes { .. }
            | EngineError::QuerySet { .. }
            | EngineError::Tune { .. }
            | EngineError::Run { .. }
            | EngineError::VectorsInUse { .. }
            | EngineError::AgentConfig { .. }
            | EngineError::Rerank(_)
            | EngineError::NoReranker { .. }
            | EngineError::Agent { .. }
            | EngineError::NoAgent { .. }
            | EngineError::NoneSearched { .. }
            | EngineError::NoPast { .. }
            | EngineError::NoSession { .. }
            | EngineError::IsOpening { .. }
            | EngineError::NoFact
            | EngineError::RecallNotAllowed
            | EngineError::NoHook
            | EngineError::NoteChanged { .. }
            | EngineError::NoteAltered { .. }
            | EngineError::Ingest(_)
            | EngineError::Param(_)
            | EngineError::NoRow { .. }
            | EngineError::NotWatched { .. }
            | EngineError::Scope { .. }
            | EngineError::Place { .. }
            | EngineError::Note { .. }
            | EngineError::Evergreen { .. }
            | EngineError::Opposition { .. }
            | EngineError::Thumb { .. }
            | EngineError::NoFeedback { .. }
            | EngineError::Feedback { .. }
            | EngineError::WatchedPlace { .. }
            | EngineError::OwnPlace { .. }
            | EngineError::InputPlace { .. }
            | EngineError::AgentPlace { .. }
            | EngineError::NoDocument { .. }
            | EngineError::NoPresetName
            | EngineError::Preset { .. }
            | EngineError::File { .. }
            | EngineError::System { .. } => "error",
        }
    }
}

impl From<&EngineError> for memlens_wire::ErrorInfo {
    fn from(error: &EngineError) -> memlens_wire::ErrorInfo {
        memlens_wire::ErrorInfo {
            code: error.code().to_owned(),
            message: error.to_string(),
        }
    }
}

/// Where paths of a query set were looked up, as the end of a clause.
fn looked_up_in(base: Option<&Path>) -> String {
    base.map_or_else(String::new, |base| {
        format!("; their paths begin in {}", base.display())
    })
}
