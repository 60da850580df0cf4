//! The settings of qmd, by their own names.

use memlens_params::make::{log, number, whole};
use memlens_params::{ParameterKind, RerankMode, StageId, StageInfo, choice, parameters};

use crate::staging::stage;

/// The list of full-text search by FTS5.
pub const TEXT: StageId = StageId("qmd.text");
/// The list by cosine of vectors.
pub const VECTOR: StageId = StageId("qmd.vector");
/// Further searches, by its model or typed.
pub const LINES: StageId = StageId("qmd.lines");
/// Fuses the lists into one order.
pub const FUSION: StageId = StageId("qmd.fusion");
/// Selects the notes to rerank.
pub const CANDIDATES: StageId = StageId("qmd.candidates");
/// Blends the place with its reranker's score.
pub const RERANK: StageId = StageId("qmd.rerank");
/// The threshold `--min-score` on scores.
pub const THRESHOLD: StageId = StageId("qmd.threshold");
/// The limit `-n` on results.
pub const LIMIT: StageId = StageId("qmd.limit");
/// Selects the lines that it prints.
pub const SNIPPET: StageId = StageId("qmd.snippet");

static STAGES: [StageInfo; 9] = [
    stage(
        TEXT,
        "Keywords",
        None,
        "Notes that hold every word of the question, by SQLite's full-text search; its bm25 as |r| / (1 + |r|).",
    ),
    stage(
        VECTOR,
        "Vector",
        None,
        "The cosine of question and best chunk of a note; only the best three chunks for every result wanted count.",
    ),
    stage(
        LINES,
        "More searches",
        None,
        "What qmd's model adds to the question, or its typed lines; each is a list of its own.",
    ),
    stage(
        FUSION,
        "Fusion",
        None,
        "The sum of weight / (60 + rank) over the lists, and 0.05 for a first or 0.02 for a second or third place in any.",
    ),
    stage(
        CANDIDATES,
        "Candidates",
        None,
        "Keeps the first notes, which are read and reranked.",
    ),
    stage(
        RERANK,
        "Rerank",
        Some("qmd.rerank"),
        "1 / rank, blended with the score that qmd's model gives the best chunk; less of it the higher the rank.",
    ),
    stage(
        THRESHOLD,
        "--min-score",
        None,
        "Drops notes below --min-score.",
    ),
    stage(LIMIT, "-n", None, "Keeps the first notes."),
    stage(
        SNIPPET,
        "Snippet",
        None,
        "The lines that qmd prints of each note.",
    ),
];

choice! {
    /// The command with which qmd is called.
    Command {
        /// Words and vectors, fused and reranked.
        Query = "query",
        /// Searches words, without any vectors.
        Search = "search",
        /// Searches vectors, without any words.
        Vsearch = "vsearch",
    }
}

parameters! {
    /// The settings of qmd 2.8.
    pub struct Qmd;
    prefix "qmd."; stages &STAGES; rules |_| Ok(());
    command: Command = Command::Query, Some(FUSION), Rank, "Command", None, ParameterKind::Choice { options: Command::OPTIONS }, None, "What qmd is called with: query fuses words and vectors, search and vsearch take one of them. OpenClaw called search.";
    candidate_limit: u32 = 40, Some(CANDIDATES), Rank, "--candidate-limit", Some("notes"), log(whole(1, 500, 1)), None, "How many notes of the fused list are reranked.";
    rerank: bool = true, Some(RERANK), Rank, "Rerank", None, ParameterKind::Toggle, None, "Whether qmd asks its reranker; off is --no-rerank.";
    rerank_by: RerankMode = RerankMode::Off, Some(RERANK), Retrieve, "Filled in by", None, ParameterKind::Choice { options: RerankMode::OPTIONS }, None, "Your own reranker in the place of qmd's model: late interaction, or the model or provider of Settings. Off shows the order before.";
    min_score: f64 = 0.0, Some(THRESHOLD), Rank, "--min-score", None, number(0.0, 1.0, 0.01), None, "Notes with a lower score are dropped; vsearch takes 0 as 0.3.";
    limit: u32 = 10, Some(LIMIT), Rank, "-n", Some("notes"), log(whole(1, 500, 1)), None, "How many notes are returned: 10 over MCP, 5 on its command line, 20 with --json.";
}

/// Number of notes in each list of a `query`.
pub const QUERY_DEPTH: u32 = 20;
/// Minimum number of notes that `search` fetches, and their number per requested result.
const SEARCH_DEPTH: u32 = 50;
const SEARCH_TIMES: u32 = 2;
/// The value that `vsearch` uses for `--min-score 0`.
const VSEARCH_MIN_SCORE: f64 = 0.3;

impl Qmd {
    /// Returns the number of notes in each list.
    pub fn depth(&self) -> u32 {
        match self.command {
            Command::Query => QUERY_DEPTH,
            Command::Search => SEARCH_DEPTH.max(self.limit.saturating_mul(SEARCH_TIMES)),
            Command::Vsearch => self.limit,
        }
    }

    /// Returns the score that a note must reach.
    pub fn least(&self) -> f64 {
        match self.command {
            Command::Vsearch if self.min_score == 0.0 => VSEARCH_MIN_SCORE,
            Command::Query | Command::Search | Command::Vsearch => self.min_score,
        }
    }
}

/// More than any list returns at any limit.
pub const DEPTH_MAX: u32 = 1000;
