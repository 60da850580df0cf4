//! View types of an autopsy: why an agent forgot a fact.

use memlens_document::Text;
use serde::Serialize;
use specta::Type;

use super::{Fix, Ranking};

/// Step at which a fact was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No file contains the fact.
    NeverWritten,
    /// The fact was written after it was needed.
    WrittenLater,
    /// The fact is in the part of a note that the agent does not load.
    PastLoadCap,
    /// The note is not in the index, or the index is older.
    NotIndexed,
    /// The agent asked no question about the fact.
    NeverAsked,
    /// The agent asked, but in words that cannot find the fact.
    AskedBadly,
    /// The fact was found, and lost on its way to the results.
    RankedOut,
    /// The agent received the fact. Whether its answer used it is not known, unless the agent opened or cited it.
    Given,
    /// There is too little evidence for a verdict.
    Unknown,
}

/// A step between writing a fact and using it in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AutopsyStep {
    /// Was it written, and before the moment?
    Written,
    /// Does the agent load that part, or search for it?
    LoadCap,
    /// Does the index contain it as the note does?
    Indexed,
    /// Did the agent ask about it?
    Asked,
    /// Did it get through the ranking?
    Ranked,
    /// Did the agent receive it?
    Given,
    /// Did the answer make use of it?
    Used,
}

impl AutopsyStep {
    /// Name of the step on screen.
    pub fn label(self) -> &'static str {
        match self {
            AutopsyStep::Written => "Written",
            AutopsyStep::LoadCap => "Loading at start",
            AutopsyStep::Indexed => "Indexed",
            AutopsyStep::Asked => "Asked",
            AutopsyStep::Ranked => "Ranked",
            AutopsyStep::Given => "Given",
            AutopsyStep::Used => "Used",
        }
    }
}

/// Result of checking one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// The fact passed this step.
    Passed,
    /// The fact was lost at this step.
    Failed,
    /// It cannot be known, or does not matter.
    Unknown,
}

/// A step with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct StepProof {
    /// The step that was checked.
    pub step: AutopsyStep,
    /// Whether the fact passed the step.
    pub outcome: StepOutcome,
    /// Evidence, in one or two sentences.
    #[specta(type = String)]
    pub proof: Text,
    /// Questions that belong to the step, nearest first; at most 20.
    pub questions: Vec<AskedThen>,
}

/// A question that was asked around the time in question.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AskedThen {
    /// Id of the past question.
    pub id: String,
    /// Time of the question in milliseconds since 1970; `None` if the log has no time.
    pub at_ms: Option<f64>,
    /// Text of the past question.
    pub question: String,
    /// How close it came to the fact: "came closest, 0.310", "rank 4".
    pub came: String,
    /// Cosine of question and fact; `None` if they were not compared by meaning.
    pub closeness: Option<f64>,
}

/// Place of the fact in a note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FactPlace {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// Line of the fact, 1-based.
    pub line: u32,
    /// Text of that line in the note.
    pub text: String,
}

/// Result of an autopsy: why an agent forgot a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Autopsy {
    /// The fact as the user typed it.
    pub fact: String,
    /// Id of the agent; `None` if none was named and none is known.
    pub agent: Option<String>,
    /// Pipeline and values used for the ranking.
    pub ranking: Ranking,
    /// Name of that pipeline on screen.
    pub label: String,
    /// Step at which the fact was lost.
    pub verdict: Verdict,
    /// The verdict in one sentence.
    pub headline: String,
    /// Explanation of the verdict, in one sentence.
    #[specta(type = String)]
    pub summary: Text,
    /// Place of the fact; `None` if no note contains it.
    pub place: Option<FactPlace>,
    /// Every step, in the order of [`AutopsyStep`].
    pub steps: Vec<StepProof>,
    /// What to do, one sentence each.
    #[specta(type = Vec<String>)]
    pub advice: Vec<Text>,
    /// Smallest change that makes the fact a result; `None` if none was searched for or found.
    pub fix: Option<Fix>,
    /// Rank of the fact with that change, 1-based.
    pub fix_rank: Option<u32>,
    /// A question that finds the fact now, with rank and score; `None` if none was searched for or found.
    pub works: Option<WorkingQuestion>,
    /// Number of the closest search, for opening its trace; `None` if nothing was asked.
    pub search: Option<u32>,
    /// Question of that closest search.
    pub closest: Option<String>,
}

/// Progress of an autopsy that reads files.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct AutopsyProgress {
    /// Number of files read so far.
    pub n_files: u32,
    /// Size of these files in MiB.
    pub mib: f64,
}

/// A question that finds the fact.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct WorkingQuestion {
    /// Text of the question that works.
    pub question: String,
    /// Rank of the fact's chunk, 1-based.
    pub rank: u32,
    /// Score of the chunk after the last scoring stage.
    pub score: f64,
}

/// Request for an autopsy: which fact, whose memory, and when.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, Type)]
pub struct AutopsyQuestion {
    /// Words of the fact, or a line of a note as `path:line`.
    pub fact: String,
    /// Id of the agent; `None` for any agent that asked.
    pub agent: Option<String>,
    /// Session id; `None` for any session.
    pub session: Option<String>,
    /// When the agent should have known it, in milliseconds since 1970; `None` for now.
    pub at_ms: Option<f64>,
}
