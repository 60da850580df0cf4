//! What the window is told: plain data, its names those of the glossary.
//!
//! Ids are strings and counts 32 bits wide, so that no number loses a digit on its way.

mod agents;
mod always;
mod autopsy;
mod clusters;
mod compare;
mod export;
mod feedback;
mod jobs;
mod notes;
mod past;
mod prose;
mod ranking;
mod rerank;
mod search;
mod searched;
mod tuning;
mod why;

use memlens_params::Params;
use serde::Serialize;
use specta::Type;

pub use agents::{AgentFolder, AgentName, AgentView, AgentsView, LoadCut, LoadedFile};
pub use always::{AlwaysFile, AlwaysFileKind, AlwaysState, AlwaysText, AlwaysView};
pub use autopsy::{
    AskedThen, Autopsy, AutopsyProgress, AutopsyQuestion, AutopsyStep, FactPlace, StepOutcome,
    StepProof, Verdict, WorkingQuestion,
};
pub use clusters::{ClusterReport, ClustersAnswer, Said, SaidCluster};
pub use compare::{
    Change, ChosenQueries, ComparedRow, ComparedSide, Comparison, QueryChange, QueryScope,
    QuerySetProgress, SetComparison, SetSide,
};
pub use export::{
    AgentConfig, AgentSetting, ConfigChange, Export, ExportRow, NearestSetting, TargetInfo,
    WrittenConfig,
};
pub use feedback::{FeedbackEntry, FeedbackImport, FeedbackPlace, RowThumb};
pub use jobs::{JobKind, JobProgress};
pub use memlens_indexer::{Activity, FolderStatus, Happening, IndexingPhase, Progress, Scanning};
pub(crate) use notes::stamp_of;
pub use notes::{
    DocumentChunk, DocumentView, EntryState, FolderTree, KnownStamps, TreeEntry, UnreadEntry,
    UnreadFolder,
};
pub use past::{
    AskingSession, AutopsyChoices, CopiedPast, Fate, LostAnswer, LostAnswers, LostNote,
    NoteAnswers, NowResult, PastAgent, PastDay, PastPlace, PastQuestions, PastRow, RecallImport,
    RecallLog, RecallLogs, RecallProgress, ReplaySummary, SavedQueries, ThenNow, ThenResult,
};
pub use prose::Prose;
pub use ranking::{Emulated, EmulationProgress, PipelineInfo, Ranking, YourConfig};
pub use rerank::{Heat, HeatWord, RerankTime, SentText};
pub use search::{Fact, Journey, QueryWord, Row, SearchAnswer, Snippet};
pub use searched::NotSearchedBy;
pub use tuning::{
    BestTry, Calibration, CalibrationAnswer, CategoryFigure, ChangedValue, Curve, GoldPlace,
    GoldState, ImportedSet, LineFigures, MetricRow, NewSetFrom, NothingFound, Origin, OriginCount,
    QueryEdit, QueryFigure, QuerySetCounts, QuerySetInfo, QuerySetView, RunComparison, RunInfo,
    RunMetric, RunQuery, RunView, Sensitivity, SetFormat, SetMetrics, SetQuery, SetWish,
    TuneAnswer, TuneKind, TuneProgress, TuneRequest, TuneRow, TuneStep, TypedPlace,
};
pub use why::{ChunkWhy, Fix, FixPrice, MetricPrice, WhyAnswer, WhyNot};

/// A watched folder.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FolderState {
    /// Its id.
    pub id: String,
    /// Its absolute path.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Whose memory it is; none where it is of no agent that is known.
    pub agent: Option<AgentName>,
    /// Its documents.
    pub n_files: u32,
    /// Their chunks.
    pub n_chunks: u32,
    /// How it fares.
    pub status: FolderStatus,
    /// Why, where that is not plain.
    pub why: Option<String>,
}

/// The library in one line and behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LibraryState {
    /// The watched folders.
    pub folders: Vec<FolderState>,
    /// Documents.
    pub n_files: u32,
    /// Chunks.
    pub n_chunks: u32,
    /// Files that cannot be read.
    pub n_problems: u32,
    /// The embedding model's name.
    pub model: String,
    /// Raised by every change.
    pub generation: u32,
    /// The generation whose observations were last compared; none before the first pass.
    pub clustering: Option<u32>,
    /// Whether indexing goes on.
    pub phase: IndexingPhase,
    /// How far indexing is; none when nothing is to do.
    pub indexing: Option<Progress>,
    /// The folder that is being walked to find what is to be indexed; none while none is.
    pub scanning: Option<Scanning>,
    /// Where the library lies.
    pub data_dir: String,
    /// Its size in bytes.
    pub data_bytes: f64,
    /// What a person should be told.
    pub notices: Vec<String>,
    /// Why this window may only read; none when it may write.
    pub read_only: Option<String>,
    /// Memlens's version.
    pub version: String,
}

/// How much room the library takes on disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct DataSize {
    /// The database: notes, embeddings, presets.
    pub database: f64,
    /// The BM25 list.
    pub text_list: f64,
    /// The vector list.
    pub vectors: f64,
    /// All of it, locks and the like included.
    pub total: f64,
}

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ProblemSeverity {
    /// The file is not in the library.
    Error,
    /// It is, but something was skipped or guessed.
    Note,
}

/// Something that went wrong with a file.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FileProblem {
    /// The watched folder's id.
    pub folder: String,
    /// Its name.
    pub folder_name: String,
    /// The file's path in it.
    pub path: String,
    /// The line, where it is one.
    pub line: Option<u32>,
    /// What went wrong.
    pub message: String,
    /// How much it matters.
    pub severity: ProblemSeverity,
}

/// A set of parameters with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Params,
    /// What a person should know of it: another model, another version.
    pub notes: Vec<String>,
    /// Whether it comes with Memlens, and so cannot be deleted.
    pub is_built_in: bool,
}

/// An error as the window shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ErrorInfo {
    /// What the window branches on.
    pub code: String,
    /// What a person reads.
    pub message: String,
}

impl From<&crate::EngineError> for ErrorInfo {
    fn from(error: &crate::EngineError) -> ErrorInfo {
        ErrorInfo {
            code: error.code().to_owned(),
            message: error.to_string(),
        }
    }
}
