//! Why an agent forgot a fact, as the window is told.

use serde::Serialize;
use specta::Type;

use super::{Fix, Prose, Ranking};

/// Where a fact was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is written in no file.
    NeverWritten,
    /// It was written after it was needed.
    WrittenLater,
    /// It stands in the part of a note that the agent does not load.
    PastLoadCap,
    /// Its note is not in the index, or the index is older.
    NotIndexed,
    /// The agent asked nothing about it.
    NeverAsked,
    /// The agent asked in words that cannot find it.
    AskedBadly,
    /// It was found and lost on its way to the results.
    RankedOut,
    /// It was returned, and the answer did not use it.
    GivenUnused,
    /// Too little is known.
    Unknown,
}

/// A step on the way of a fact to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AutopsyStep {
    /// Was it written, and before the moment?
    Written,
    /// Does the agent load that part, or search for it?
    LoadCap,
    /// Is it in the index as it stands in the note?
    Indexed,
    /// Did the agent ask?
    Asked,
    /// Did it come through the ranking?
    Ranked,
    /// Was it given?
    Given,
    /// Was it used?
    Used,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// The fact came through.
    Passed,
    /// The fact was lost here.
    Failed,
    /// It cannot be known, or does not matter.
    Unknown,
}

/// One step with its proof.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct StepProof {
    /// The step.
    pub step: AutopsyStep,
    /// How it ended.
    pub outcome: StepOutcome,
    /// The proof, in one or two sentences.
    #[specta(type = String)]
    pub proof: Prose,
    /// Questions that belong to it, the nearest first; at most 20.
    pub questions: Vec<AskedThen>,
}

/// A question that was asked about the fact's time.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AskedThen {
    /// The past question's id.
    pub id: String,
    /// When it was asked, milliseconds since 1970; none where the log does not say.
    pub at_ms: Option<f64>,
    /// The question.
    pub question: String,
    /// How near it came: "came closest, 0.310", "rank 4".
    pub came: String,
    /// The cosine of question and fact; `None` if they were not compared by meaning.
    pub closeness: Option<f64>,
}

/// Where the fact stands.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FactPlace {
    /// The watched folder's id.
    pub folder: String,
    /// The note's path.
    pub path: String,
    /// The line, 1-based.
    pub line: u32,
    /// The line's text.
    pub text: String,
}

/// Why an agent forgot a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Autopsy {
    /// The fact as the person gave it.
    pub fact: String,
    /// The agent's id; none where no agent was named and none is known.
    pub agent: Option<String>,
    /// What it was ranked by.
    pub ranking: Ranking,
    /// That pipeline's name on screen.
    pub label: String,
    /// Where it was lost.
    pub verdict: Verdict,
    /// The verdict in one sentence.
    pub headline: String,
    /// What is behind it, in one sentence.
    #[specta(type = String)]
    pub summary: Prose,
    /// Where the fact stands; none where it stands nowhere.
    pub place: Option<FactPlace>,
    /// Every step in its order.
    pub steps: Vec<StepProof>,
    /// What to do, each a sentence.
    #[specta(type = Vec<String>)]
    pub advice: Vec<Prose>,
    /// The smallest change that brings it back; none where none was looked for or found.
    pub fix: Option<Fix>,
    /// The rank that the change gives it.
    pub fix_rank: Option<u32>,
    /// A question that finds it now, with its rank and score; none where none was looked for or found.
    pub works: Option<WorkingQuestion>,
    /// The search that came closest, to open its trace; none where nothing was asked.
    pub search: Option<u32>,
    /// That search's question.
    pub closest: Option<String>,
}

/// How far an autopsy is that reads files.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct AutopsyProgress {
    /// Files read.
    pub n_files: u32,
    /// Their size, MiB.
    pub mib: f64,
}

/// A question that finds the fact.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct WorkingQuestion {
    /// Its words.
    pub question: String,
    /// The 1-based rank of the fact's chunk.
    pub rank: u32,
    /// Its last score.
    pub score: f64,
}

/// Which fact, whose, and when.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, Type)]
pub struct AutopsyQuestion {
    /// The fact: its words, or a line of a note as `path:line`.
    pub fact: String,
    /// The agent's id; none for whichever asked.
    pub agent: Option<String>,
    /// The session; none for any.
    pub session: Option<String>,
    /// When it should have known, milliseconds since 1970; none for now.
    pub at_ms: Option<f64>,
}
