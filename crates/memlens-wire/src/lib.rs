//! View types: plain data sent to the window and printed as JSON.
//!
//! Ids are strings and counts are 32 bits wide, so that no number loses digits in JavaScript.

mod agents;
mod always;
mod autopsy;
mod clusters;
mod compare;
mod drift;
mod evergreen;
mod export;
mod feedback;
mod history;
mod jobs;
mod map;
mod models;
mod note;
mod notes;
mod on_disk;
mod oppositions;
mod overview;
mod past;
mod ranking;
mod rerank;
mod search;
mod searched;
mod serving;
mod tuning;
mod why;

use memlens_params::Params;
use serde::Serialize;
use specta::Type;

pub use agents::{
    AgentFolder, AgentName, AgentView, AgentsView, LoadCut, LoadedFile, Unloaded, UnloadedLines,
};
pub use always::{AlwaysFile, AlwaysFileKind, AlwaysState, AlwaysText, AlwaysView};
pub use autopsy::{
    AskedThen, Autopsy, AutopsyProgress, AutopsyQuestion, AutopsyStep, FactPlace, StepOutcome,
    StepProof, Verdict, WorkingQuestion,
};
pub use clusters::{
    AgreementStep, ClusterMember, ClusterReport, ClustersAnswer, OpenedCluster, Said, SaidCluster,
};
pub use compare::{
    Change, ComparedRow, ComparedSide, Comparison, QueryChange, QueryScope, QuerySetProgress,
    SetComparison, SetSide,
};
pub use drift::{
    AggregationProgress, AggregationStep, Disagreement, DriftAnswer, DriftCompared, DriftKind,
    DriftReason, DriftReport, DriftSide, DriftTotals, Drifted, MarkedText, NewerSide, NoteDrift,
    SecondOpinion, SecondOpinionChoice, SecondOpinions,
};
pub use evergreen::Evergreen;
pub use export::{
    AgentConfig, AgentSetting, ConfigChange, Export, ExportRow, NearestSetting, TargetInfo,
    WrittenConfig,
};
pub use feedback::{FeedbackEntry, FeedbackImport, FeedbackPlace, RowThumb};
pub use history::{ChangeOrigin, HistoryKept, NoteChanged, NoteHistory};
pub use jobs::{JobKind, JobProgress};
pub use map::{
    LayoutProgress, LayoutStep, MapCluster, MapLayout, MapNote, MapPicture, NeighbourLayout,
    NeighbourState,
};
pub use memlens_indexer::{
    Activity, FolderStatus, Happening, IndexingPhase, ModelChanging, Progress, Scanning,
};
pub use models::{
    EmbeddingModel, EmbeddingModels, ForeignNotes, ModelDownload, ModelPlan, OtherVectors,
};
pub use note::{
    AlikeNote, AlikeNotes, BesideNote, ChunkLines, FollowedLink, LinkPlace, LinkRow, LinksOfNote,
    NoteQuestion, NoteQuestions, SaidElsewhere, SaidOfNote,
};
pub use notes::stamp_of;
pub use notes::{
    DocumentChunk, DocumentView, EntryState, FolderTree, HiddenEntry, HiddenNotes, KnownStamps,
    TreeEntry, UnreadEntry, UnreadFolder,
};
pub use on_disk::OnDisk;
pub use oppositions::OppositionPair;
pub use overview::{
    CardId, CardItem, DateFrom, LanguageCount, News, NoDay, NotePage, NoteQuery, NoteRow, NoteSort,
    NoteTags, Overview, OverviewCard, TagCount, Timeline, TimelineDay,
};
pub use past::{
    AskedAgain, AskingSession, AutopsyChoices, CopiedPast, Fate, LostAnswer, LostAnswers, LostNote,
    NoteAnswers, NowResult, PastAgent, PastDay, PastLately, PastPlace, PastQuestions, PastRow,
    PastServed, RecallImport, RecallLog, RecallLogs, RecallProgress, ReplaySummary, SavedQueries,
    SuggestedQuestion, ThenNow, ThenResult, size_in_words,
};
pub use ranking::{Emulated, EmulationProgress, PipelineInfo, Ranking, YourConfig};
pub use rerank::{Heat, HeatWord, RerankTime, SentText};
pub use search::{Fact, Journey, QueryWord, Row, SearchAnswer, Snippet};
pub use searched::NotSearchedBy;
pub use serving::{
    ToolServer, ToolServerChange, ToolServerChoice, ToolServerResult, ToolServerState,
    ToolServerTest, ToolServerWritten,
};
pub use tuning::{
    BestTry, Calibration, CalibrationAnswer, CategoryFigure, ChangedValue, Curve, GoldPlace,
    GoldState, IfTaken, LineFigures, MadeSet, MetricRow, NewSetFrom, NothingFound, Origin,
    OriginCount, QueryEdit, QueryFigure, QuerySetCounts, QuerySetInfo, QuerySetView, RunComparison,
    RunInfo, RunMetric, RunQuery, RunView, Sensitivity, SetFormat, SetMetrics, SetQuery, SetWish,
    TuneAnswer, TuneKind, TuneProgress, TuneRequest, TuneRow, TuneStep, TypedPlace,
};
pub use why::{ChunkWhy, Fix, FixPrice, MetricPrice, WhyAnswer, WhyNot};

/// A watched folder with its state.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FolderState {
    /// Id of the folder in the library.
    pub id: String,
    /// Absolute path of the folder.
    pub path: String,
    /// Name of the folder on screen.
    pub name: String,
    /// Agent whose memory the folder is; `None` if it belongs to no known agent.
    pub agent: Option<AgentName>,
    /// Number of documents in the folder.
    pub n_files: u32,
    /// Number of chunks of these documents.
    pub n_chunks: u32,
    /// Whether and how the folder is watched.
    pub status: FolderStatus,
    /// Reason for the status; `None` if the status says enough.
    pub why: Option<String>,
}

/// State of the library and its watched folders.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LibraryState {
    /// All watched folders, in the order shown.
    pub folders: Vec<FolderState>,
    /// Number of documents in all folders.
    pub n_files: u32,
    /// Number of chunks in all folders.
    pub n_chunks: u32,
    /// Number of files that cannot be read.
    pub n_problems: u32,
    /// Name of the embedding model that the notes are searched by.
    pub model: String,
    /// Progress of embedding all notes by another model; `None` if that is not wanted.
    pub changing: Option<ModelChanging>,
    /// Why the last attempt to change the model failed, unless another one worked since.
    pub change_failed: Option<String>,
    /// Counter that every change of the library raises.
    pub generation: u32,
    /// Generation whose observations were last compared; `None` before the first pass.
    pub clustering: Option<u32>,
    /// Changes whenever a model gave second opinions about contradictions, or another one was chosen.
    pub second_opinions: u32,
    /// Whether indexing is working, paused or failed.
    pub phase: IndexingPhase,
    /// Progress of indexing; `None` if nothing is left to do.
    pub indexing: Option<Progress>,
    /// Folder being scanned for files to index; `None` while no scan is running.
    pub scanning: Option<Scanning>,
    /// Folder that contains the library.
    pub data_dir: String,
    /// Size of the library on disk in bytes.
    pub data_bytes: f64,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// Why this window can only read; `None` if it can write.
    pub read_only: Option<String>,
    /// Version of the running program.
    pub version: String,
}

/// Disk space that the library takes, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct DataSize {
    /// Size of the database: notes, embeddings, presets.
    pub database: f64,
    /// Size of the BM25 list.
    pub text_list: f64,
    /// Size of the vector list.
    pub vectors: f64,
    /// Total size, including locks and other small files.
    pub total: f64,
}

/// Severity of a problem with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ProblemSeverity {
    /// The file is not in the library.
    Error,
    /// The file is in the library, but something was skipped or guessed.
    Note,
}

/// A problem with a file of a watched folder.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FileProblem {
    /// Id of the watched folder.
    pub folder: String,
    /// Name of the watched folder.
    pub folder_name: String,
    /// Path of the file, relative to the watched folder.
    pub path: String,
    /// Line of the problem; `None` if it concerns the whole file.
    pub line: Option<u32>,
    /// What went wrong, as a sentence.
    pub message: String,
    /// Whether the file is missing or only partly read.
    pub severity: ProblemSeverity,
}

/// Parameters saved under a name.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Preset {
    /// Unique name of the preset.
    pub name: String,
    /// Value of every saved parameter.
    pub params: Params,
    /// Notices to show to the user: another model, another version.
    pub notes: Vec<String>,
    /// Whether it comes with Memlens and cannot be deleted.
    pub is_built_in: bool,
}

/// An error as the window receives it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ErrorInfo {
    /// Error code that the window branches on.
    pub code: String,
    /// Message to show to the user.
    pub message: String,
}
