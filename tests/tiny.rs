//! A minimal memory of another program: a retriever of one list, and a pipeline of two stages with its own parameters
//! and ties. The crates that search, rank and show it know nothing of it.

use std::sync::Arc;
use std::time::Duration;

use memlens_params::make::{number, whole};
use memlens_params::{StageId, StageInfo, TypedSet, Values, parameters};
use memlens_rank::{
    Candidate, CandidateSet, ChunkId, Context, Effect, Hue, List, ListId, ListValue, Look, Outcome,
    OwnFacts, Pipeline, PipelineId, Reason, RetrieverId, Row, Stage, Ties,
};
use memlens_retrieve::{
    NoText, NoteChunk, NoteFacts, Part, QueryWord, Question, RetrieveError, Retrieved, Retriever,
    RowFacts,
};
use memlens_store::{DocumentId, FolderId};

/// Its one list.
pub const SUBSTRINGS: ListId = ListId("substrings");
/// Its first stage.
pub const LOOK: StageId = StageId("tiny.look");
/// Its second stage.
pub const CUT: StageId = StageId("tiny.cut");

static STAGES: [StageInfo; 2] = [
    StageInfo {
        id: LOOK,
        label: "Look",
        switch: None,
        sentence: "Counts the words that a note holds.",
    },
    StageInfo {
        id: CUT,
        label: "Cut",
        switch: None,
        sentence: "Keeps the first rows.",
    },
];

parameters! {
    /// The parameters of the tiny pipeline.
    pub struct Tiny;
    prefix "tiny."; stages &STAGES; rules |tiny| if tiny.keep as f64 * tiny.bonus > 50.0 {
        Err(memlens_params::ParamError::NoWeight)
    } else {
        Ok(())
    };
    places: u32 = 100, Some(LOOK), Retrieve, "Places", Some("notes"), whole(1, 100, 1), None, "How many notes are looked at.";
    bonus: f64 = 0.5, Some(LOOK), Rank, "Bonus", None, number(0.0, 10.0, 0.5), None, "What a pinned note gains.";
    keep: u32 = 2, Some(CUT), Rank, "Keep", Some("notes"), whole(1, 10, 1), None, "How many notes are kept.";
}

/// What the tiny retriever knows besides its list: whether each note is pinned.
struct Pinned(Vec<bool>);

#[derive(Debug)]
struct Looked {
    value: ListValue,
    bonus: f64,
}

impl Looked {
    fn score(&self) -> f64 {
        self.value.score.unwrap_or(0.0) + self.bonus
    }
}

impl Reason for Looked {
    fn effect(&self) -> Effect {
        Effect::Score(self.score())
    }
    fn sentence(&self) -> String {
        format!("{} words", self.value.score.unwrap_or(0.0))
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("words", self.value.score.unwrap_or(0.0)),
            ("bonus", self.bonus),
        ]
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        let words = self.value.score.unwrap_or(0.0);
        vec![(format!("{words} + {}", self.bonus), self.score())]
    }
    fn shares(&self) -> Vec<(StageId, f64)> {
        vec![(LOOK, self.score())]
    }
    fn remark(&self) -> Option<String> {
        (self.bonus > 0.0).then(|| "pinned".to_owned())
    }
}

#[derive(Debug)]
struct Cut {
    rank: u32,
    keep: u32,
}

impl Reason for Cut {
    fn effect(&self) -> Effect {
        if self.rank <= self.keep {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        format!("place {} of {}", self.rank, self.keep)
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("rank", f64::from(self.rank)),
            ("keep", f64::from(self.keep)),
        ]
    }
}

fn look(context: &Context<'_, Tiny>, rows: &[Row]) -> Outcome {
    let pinned = context.set.own.as_ref().and_then(OwnFacts::get::<Pinned>);
    let reason = |row: &Row| {
        let is_pinned = pinned.is_some_and(|pinned| pinned.0[row.slot as usize]);
        Looked {
            value: context.set.value(SUBSTRINGS, row.slot),
            bonus: if is_pinned { context.params.bonus } else { 0.0 },
        }
    };
    Outcome::applied(context.decided(rows.iter().map(reason)))
}

fn cut(context: &Context<'_, Tiny>, rows: &[Row]) -> Outcome {
    let keep = context.params.keep;
    let reasons = (1..=rows.len() as u32).map(|rank| Cut { rank, keep });
    Outcome::applied(context.decided(reasons))
}

/// The pipeline.
pub static TINY: Pipeline<Tiny> = Pipeline {
    id: PipelineId("tiny"),
    label: "Tiny",
    stages: &[
        Stage {
            id: LOOK,
            explain: look,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: CUT,
            explain: cut,
            look: Look::plain(Hue::Cut),
        },
    ],
    // Newest first, so that a tie broken by `Candidate::order` would be noticed.
    ties: Ties::Stable(|set| (0..set.candidates.len() as u32).rev().collect()),
    retriever: RetrieverId("tiny"),
};

/// Returns four notes with these numbers of words, the second one pinned.
pub fn set(words: [f64; 4]) -> CandidateSet {
    CandidateSet {
        candidates: (0..4)
            .map(|at| Candidate {
                chunk: ChunkId(at),
                order: at as u32,
                ..Candidate::default()
            })
            .collect(),
        n_chunks: 4,
        lists: vec![List::of_scores(SUBSTRINGS, &words.map(Some))],
        own: Some(OwnFacts::new(Pinned(vec![false, true, false, false]))),
        ..CandidateSet::default()
    }
}

/// A shelf of notes with one line each. The list ranks the notes that hold a word of the question, by how many words
/// they hold.
pub struct Shelf {
    /// The folder of its notes.
    pub folder: FolderId,
    /// Path, text (`None` if the note is gone) and whether it is pinned.
    pub notes: Vec<(&'static str, Option<&'static str>, bool)>,
}

impl Shelf {
    fn found(&self, question: &Question<'_>) -> Vec<usize> {
        let n_places = Tiny::of(question.params).places as usize;
        let chunk = |at: &usize| ChunkId(*at as u64);
        (0..self.notes.len())
            .filter(|at| *at < n_places || question.also.contains(&chunk(at)))
            .filter(|at| match &question.within.part {
                Part::All => true,
                Part::Folder(scope) => {
                    scope.folder == self.folder && scope.holds(self.notes[*at].0)
                }
                Part::Folders(folders) => folders.contains(&self.folder),
                Part::Chunks(chunks) => chunks.contains(&chunk(at)),
            })
            .collect()
    }
}

impl Retriever for Shelf {
    fn id(&self) -> RetrieverId {
        TINY.retriever
    }

    fn generation(&self) -> u64 {
        7
    }

    fn embed(&self, _: &str) -> Result<Vec<f32>, String> {
        Err("a shelf has no vectors".to_owned())
    }

    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError> {
        let words: Vec<&str> = question.text.split(' ').collect();
        let found = self.found(question);
        let matched = |at: &usize| -> Vec<u16> {
            let text = self.notes[*at].1.unwrap_or_default();
            let holds = |word: &&str| text.contains(word);
            (0..)
                .zip(&words)
                .filter(|(_, word)| holds(word))
                .map(|(at, _)| at)
                .collect()
        };
        let scores: Vec<Option<f64>> = found
            .iter()
            .map(|at| Some(matched(at).len() as f64).filter(|n| *n > 0.0))
            .collect();
        let row = |at: &usize| RowFacts {
            note: Arc::new(NoteFacts {
                id: DocumentId(*at as i64),
                folder: self.folder,
                folder_name: "shelf".to_owned(),
                folder_path: "/shelf".to_owned(),
                path: self.notes[*at].0.to_owned(),
                date: None,
                tags: Vec::new(),
            }),
            start_line: 1,
            end_line: 1,
            heading: String::new(),
            source: "shelf".to_owned(),
            said: None,
            text: None,
            matched: matched(at),
        };
        Ok(Retrieved {
            set: CandidateSet {
                candidates: found
                    .iter()
                    .map(|at| Candidate {
                        chunk: ChunkId(*at as u64),
                        order: *at as u32,
                        ..Candidate::default()
                    })
                    .collect(),
                n_chunks: found.len() as u32,
                n_words: words.len() as u32,
                lists: vec![List::of_scores(SUBSTRINGS, &scores)],
                own: Some(OwnFacts::new(Pinned(
                    found.iter().map(|at| self.notes[*at].2).collect(),
                ))),
                ..CandidateSet::default()
            },
            rows: found.iter().map(row).collect(),
            words: words
                .iter()
                .map(|word| QueryWord {
                    term: (*word).to_owned(),
                    typed: (*word).to_owned(),
                    weight: 1.0,
                    idf: 1.0,
                    n_chunks: 1,
                    ..QueryWord::default()
                })
                .collect(),
            n_words_left_out: 0,
            took: vec![(SUBSTRINGS, Duration::from_micros(5))],
        })
    }

    fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>> {
        let at = self.notes.iter().position(|note| note.0 == path)?;
        (folder == self.folder).then(|| {
            vec![NoteChunk {
                chunk: ChunkId(at as u64),
                start_line: 1,
                end_line: 1,
            }]
        })
    }

    fn texts(&self, chunks: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError> {
        let text = |chunk: &ChunkId| self.notes.get(chunk.0 as usize).and_then(|note| note.1);
        let text = |chunk| text(chunk).map(str::to_owned).ok_or(NoText::Gone);
        Ok(chunks.iter().map(text).collect())
    }
}

/// Returns the default parameters of the tiny pipeline.
pub fn defaults() -> Values {
    Values::defaults(memlens_rank::AnyPipeline::table(&TINY))
}
