//! Contradictions among notes, as the window and the command line show them.

use serde::Serialize;
use specta::Type;

/// How two notes contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// Words of an opposition pair.
    Opposition,
    /// One denies what the other says.
    Negation,
    /// Another number or amount.
    Number,
    /// Another time, duration or period.
    Time,
    /// Another date or day.
    Date,
    /// Another name.
    Name,
    /// The same number in another unit.
    Unit,
    /// Exchanged roles.
    Roles,
}

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct MarkedText {
    /// The text.
    pub text: String,
    /// Whether it opposes the other side.
    pub is_marked: bool,
}

/// One side of a contradiction.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DriftSide {
    /// The watched folder's id.
    pub folder: String,
    /// The note's path in it.
    pub path: String,
    /// First line of the sentence, 1-based.
    pub line: u32,
    /// Last line of the sentence, 1-based.
    pub end_line: u32,
    /// What the paragraph or list item says before the sentence; the end of it if it is long.
    pub before: String,
    /// The sentence that contradicts.
    pub text: String,
    /// The same sentence in parts.
    pub parts: Vec<MarkedText>,
    /// What follows the sentence; the beginning of it if it is long.
    pub after: String,
    /// `YYYY-MM-DD`: of the record, the note or its path; `None` without a date, or if it is of 1970 or of the future.
    pub date: Option<String>,
    /// The agent, otherwise the folder.
    pub agent: String,
    /// How many other observations make the same statement, neither quoted nor struck through, of those that were looked up.
    pub n_same: u32,
    /// Whether there are more, which were not looked up.
    pub has_more_same: bool,
}

/// The side that is newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NewerSide {
    /// The first.
    A,
    /// The second.
    B,
}

/// Two observations that contradict each other, or of which one replaces the other.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Drifted {
    /// Names the two sentences by their words, so that the user can mark them as no contradiction.
    pub id: String,
    /// Names the pair with its newer side, so that the user can mark it as resolved; `None` if no side is known to be newer.
    pub resolved_id: Option<String>,
    /// The first side, by the order of notes.
    pub a: DriftSide,
    /// The second side.
    pub b: DriftSide,
    /// How they oppose each other.
    pub kind: DriftKind,
    /// The opposing words, those of the first side first.
    pub words: Vec<String>,
    /// The share of common content words, 0 to 1.
    pub score: f64,
    /// Whether both say the same but for what opposes; otherwise they may contradict each other.
    pub sure: bool,
    /// What the model that the user chose says of a pair that is not sure; `None` if it was not asked.
    pub second_opinion: Option<SecondOpinion>,
    /// The heading, title, project or folder of each side, if they say that both may be true; then the pair is not sure.
    pub scopes: Option<[String; 2]>,
    /// The newer side, by two plausible dates that differ; `None` if unknown.
    pub newer: Option<NewerSide>,
}

/// What a model says of a pair that may contradict. It decides nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SecondOpinion {
    /// The probability that the two sentences contradict each other, 0 to 1: the greater one of both directions.
    pub contradiction: f64,
    /// Name of the model's folder.
    pub model: String,
    /// Whether the model read only the beginning of a long sentence.
    pub is_cut: bool,
}

/// What is known of second opinions as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SecondOpinions {
    /// Name of the model's folder.
    pub model: String,
    /// Number of pairs that may contradict and have none yet.
    pub n_without: u32,
    /// Why the model could not be asked; `None` if it could.
    pub problem: Option<String>,
}

/// The folder whose model gives a second opinion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SecondOpinionChoice {
    /// Its absolute path; `None` if there is none.
    pub folder: Option<String>,
}

/// Two rows of a search that disagree, by a sure contradiction or a change that the last pass found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Disagreement {
    /// Slot of a row that makes the first statement.
    pub a: u32,
    /// Slot of a row that makes the second.
    pub b: u32,
    /// The words of the first statement that oppose the second.
    pub said_a: String,
    /// The words of the second.
    pub said_b: String,
    /// The newer statement, by two plausible dates that differ; `None` if unknown.
    pub newer: Option<NewerSide>,
}

/// The contradictions among all notes.
#[derive(Debug, Clone, PartialEq, Serialize, Type, Default)]
pub struct DriftReport {
    /// Sure ones first, newest first. The others are by their second opinion, then newest first.
    pub contradictions: Vec<Drifted>,
    /// Pairs of which a newer note replaces the older one, by date.
    pub changed: Vec<Drifted>,
    /// Pairs that the user marked as no contradiction.
    pub dismissed: Vec<Drifted>,
    /// Pairs that the user marked as resolved by the newer side.
    pub resolved: Vec<Drifted>,
    /// Number of clusters of observations that say the same.
    pub clusters: u32,
    /// Number of observations in a cluster.
    pub corroborated_count: u32,
    /// What the pass scanned, of all notes.
    pub compared: DriftCompared,
    /// What is known of second opinions; `None` if the user chose no model for it.
    pub second_opinions: Option<SecondOpinions>,
    /// Duration of the pass.
    pub elapsed_ms: f64,
}

/// What the window shows of the last pass.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct DriftAnswer {
    /// What it found; `None` before the first pass.
    pub report: Option<DriftReport>,
    /// How many it found; the report lists at most 2,000 contradictions and as many changes.
    pub totals: DriftTotals,
    /// How many observations the library holds now.
    pub n_observations: u32,
    /// Whether anything has changed since the pass.
    pub is_stale: bool,
}

/// The contradictions and changes of one note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NoteDrift {
    /// Sure contradictions with a side in it, newest first.
    pub contradictions: Vec<Drifted>,
    /// Facts with a side in it that changed, newest first.
    pub changed: Vec<Drifted>,
    /// Whether anything has changed since all notes were compared.
    pub is_stale: bool,
}

/// How many contradictions and changes there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Type)]
pub struct DriftTotals {
    /// Sure contradictions.
    pub n_sure: u32,
    /// Pairs that may contradict each other.
    pub n_unsure: u32,
    /// Pairs of which a newer note replaces the older one.
    pub n_changed: u32,
    /// Pairs that the user marked as no contradiction.
    pub n_dismissed: u32,
    /// Pairs that the user marked as resolved by the newer side.
    pub n_resolved: u32,
}

/// What a pass over all observations is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AggregationStep {
    /// Reading observations.
    Reading,
    /// Comparing pairs of sentences.
    Comparing,
    /// Asking a model for its opinion on pairs that may contradict.
    Asking,
}

/// The progress of a pass over all observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct AggregationProgress {
    /// What it is doing.
    pub step: AggregationStep,
    /// How many observations, or pairs, are done.
    pub n_done: u32,
    /// Of how many.
    pub n_all: u32,
}

/// What a pass compared, and what it did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type, Default)]
pub struct DriftCompared {
    /// Number of observations.
    pub n_observations: u32,
    /// Number of their sentences that were compared with those that are near.
    pub n_sentences: u32,
    /// Why the other sentences were not compared, and how many; most first.
    pub left_out: Vec<DriftReason>,
    /// Number of pairs of near sentences that were compared.
    pub n_pairs: u32,
    /// Why pairs of near sentences do not contradict each other, and how many; most first.
    pub apart: Vec<DriftReason>,
    /// Number of pairs that were not compared, because too many are near each other.
    pub n_pairs_skipped: u32,
}

/// A reason and how often it applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct DriftReason {
    /// In words that follow the number: "not in English".
    pub why: String,
    /// How often.
    pub n: u32,
}
