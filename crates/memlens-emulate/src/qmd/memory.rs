//! qmd's index over given notes, and its search.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_rank::{
    AnyPipeline, Candidate, CandidateSet, ChunkId, List, ListId, ListState, ListValue, OwnFacts,
    RetrieverId,
};
use memlens_retrieve::{NoText, NoteChunk, Question, RetrieveError, Retrieved, Retriever, Within};
use memlens_store::FolderId;
use parking_lot::Mutex;

use super::cut;
use super::document::{Document, Wanted, title};
use super::facts::{Chunk, Facts, Hit, Role, RowFact, SearchList};
use super::params::{DEPTH_MAX, TEXT, VECTOR};
use super::pipeline::V2_8;
use super::question::{Kind, Line, Typed, expression, intent_words, primary, refused, spaced};
use crate::fts::Fts;
use crate::memory::{AgentNote, Embed, Vectors, embed_question, vectors_of_all};
use crate::notes::Notes;

/// Weights of a match in the path, the title and the text.
const COLUMN_WEIGHTS: [f64; 3] = [1.5, 4.0, 1.0];
/// Number of matches of all collections that are inspected per note of a collection's list.
const MATCHES_EACH: u32 = 10;
/// Number of chunks that are inspected per note of a vector list.
const CHUNKS_EACH: u32 = 3;
/// Folders that it skips, besides those that begin with a dot.
const PASSED_OVER: [&str; 4] = ["node_modules", "vendor", "dist", "build"];

/// Notes as qmd indexes them.
pub struct Memory {
    generation: u64,
    notes: Notes,
    /// The facts of each note.
    known: Vec<Known>,
    /// The names of the collections, in the order in which they were indexed.
    collections: Vec<String>,
    /// The contents that have chunks, in the order in which they were embedded.
    contents: Vec<Content>,
    texts: Mutex<Fts>,
    vectors: Result<Rows, String>,
    embed: Embed,
    remarks: Vec<String>,
}

struct Known {
    collection: usize,
    title: String,
    document: Document,
}

/// A text that one or several notes have.
struct Content {
    /// Those notes, in the order of indexing.
    notes: Vec<usize>,
    /// The chunks that are embedded.
    chunks: Vec<String>,
}

/// Vectors with the sums of their squares, all in the precision of SQLite's extension.
struct Rows {
    vectors: Vectors,
    squares: Vec<f32>,
}

/// Further input besides the question, from qmd's command line and from its model.
#[derive(Debug, Clone, Default)]
pub struct AskOptions {
    /// Typed searches; `None` for a plain question.
    pub typed: Option<Vec<Line>>,
    /// The intent of the user.
    pub intent: Option<String>,
    /// The searches that its model added to the question; `None` if it was not called.
    pub added: Option<Vec<Line>>,
    /// The names of the collections to search: `None` for those of the question, an empty list for no filter.
    pub collections: Option<Vec<String>>,
}

/// The part that is searched at once: one collection, or everything without a filter.
type Scope = Option<usize>;

/// A note in a list.
#[derive(Clone, Copy)]
struct Found {
    note: usize,
    reach: u32,
    score: f64,
}

/// A search to be made.
struct Search<'a> {
    line: Line,
    role: Role,
    scopes: &'a [Scope],
    name: String,
}

/// The results of searches, in their order.
struct Answers<'a> {
    /// Each search with the notes that it found, best first, or why it found none.
    lists: Vec<(Search<'a>, Result<Vec<Found>, String>)>,
    /// Time of the searches by words, and of those by meaning.
    took: Vec<(ListId, Duration)>,
}

impl Memory {
    /// Returns the texts to embed, in order.
    pub fn chunk_texts(notes: &[AgentNote]) -> Vec<String> {
        let notes = indexed(notes.to_vec());
        let contents = contents(&notes);
        contents.into_iter().flat_map(|it| it.chunks).collect()
    }

    /// Creates an index of notes, whose paths begin with the name of their collection. `vectors` are those of
    /// [`Memory::chunk_texts`], or why there are none; `generation` is the library's.
    ///
    /// # Errors
    /// [`RetrieveError::Outside`] if SQLite returns an error.
    /// [`RetrieveError::Outside`] where SQLite refuses.
    pub fn new(
        notes: Vec<AgentNote>,
        vectors: Result<Vectors, String>,
        embed: Embed,
        generation: u64,
    ) -> Result<Memory, RetrieveError> {
        let indexed = indexed(notes);
        let contents = contents(&indexed);
        let mut collections: Vec<String> = Vec::new();
        let mut known = Vec::new();
        for note in &indexed {
            let name = collection(&note.path);
            let collection = collections.iter().position(|it| it == name);
            let collection = collection.unwrap_or_else(|| {
                collections.push(name.to_owned());
                collections.len() - 1
            });
            known.push(Known {
                collection,
                title: title(&note.text, &note.path),
                document: Document::new(&note.text),
            });
        }
        let rows = indexed.iter().zip(&known).map(|(note, known)| {
            let texts: [&str; 3] = [&note.path, &known.title, &note.text];
            texts.map(spaced)
        });
        let texts = Fts::of("porter unicode61", COLUMN_WEIGHTS, rows).map_err(no_words)?;
        let n_chunks: usize = contents.iter().map(|it| it.chunks.len()).sum();
        let vectors = vectors_of_all(vectors, n_chunks, "chunks").map(|vectors| {
            let squares = vectors.iter().map(|it| dot(it, it)).collect();
            Rows { vectors, squares }
        });
        Ok(Memory {
            generation,
            notes: Notes::new("qmd", indexed),
            known,
            collections,
            contents,
            texts: Mutex::new(texts),
            vectors,
            embed,
            remarks: Vec::new(),
        })
    }

    /// Returns the same memory with remarks to show with every answer.
    pub fn with_remarks(self, remarks: Vec<String>) -> Memory {
        Memory { remarks, ..self }
    }

    /// Returns the candidates of a question with qmd's further input.
    ///
    /// # Errors
    /// [`RetrieveError::Outside`] for a typed line that qmd rejects, or if SQLite returns an error.
    pub fn ask(
        &self,
        question: &Question<'_>,
        options: &AskOptions,
    ) -> Result<Retrieved, RetrieveError> {
        for line in options.typed.iter().flatten() {
            if let Some(why) = refused(line) {
                return Err(outside(format!(
                    "{why}: {}",
                    memlens_params::brief(&line.text)
                )));
            }
        }
        let scopes = self.scopes(question.within, options);
        let searches = searches(question.text, options, &scopes, &self.collections);
        let Answers { lists, took } = self.answers_of(searches, question)?;
        let found = lists.iter().flat_map(|(_, found)| {
            let found = found.iter().flatten().take(DEPTH_MAX as usize);
            found.map(|it| it.note)
        });
        let union = self.notes.union(found, question.within, question.also);
        let lists: Vec<SearchList> = lists
            .into_iter()
            .map(|(search, found)| listed(search, found, &union))
            .collect();

        let intent = options.intent.as_deref();
        let sought = match &options.typed {
            Some(lines) => primary(lines),
            None => question.text,
        };
        let wanted = Wanted::new(sought, intent.map(intent_words).unwrap_or_default());
        let rows = union.iter().map(|at| self.facts(*at, &wanted)).collect();
        let of_question = |is_text: bool| {
            lists
                .iter()
                .find(|it| it.role == Role::Question && (it.kind == Kind::Lex) == is_text)
        };
        let columns = [(TEXT, true), (VECTOR, false)].map(|(id, is_text)| {
            of_question(is_text).map(|list| column(ListId(id.0), list, union.len()))
        });
        let asked = self.notes.asked(question.text);
        Ok(Retrieved {
            set: CandidateSet {
                candidates: union.iter().map(|at| self.candidate(*at)).collect(),
                n_chunks: self.notes.n_within(question.within),
                n_words: asked.len() as u32,
                lists: columns.into_iter().flatten().collect(),
                own: Some(OwnFacts::new(Facts {
                    lists,
                    is_typed: options.typed.is_some(),
                    has_intent: intent.is_some(),
                    is_expanded: options.added.is_some(),
                    rows,
                    rerank: None,
                })),
                ..CandidateSet::default()
            },
            rows: union
                .iter()
                .map(|at| self.notes.row(*at, &self.known[*at].title, &asked))
                .collect(),
            words: asked,
            n_words_left_out: 0,
            took,
        })
    }

    /// Makes searches one by one.
    fn answers_of<'a>(
        &self,
        searches: Vec<Search<'a>>,
        question: &Question<'_>,
    ) -> Result<Answers<'a>, RetrieveError> {
        let mut lists = Vec::with_capacity(searches.len());
        let (mut words_took, mut vectors_took) = (Duration::ZERO, Duration::ZERO);
        for search in searches {
            let started = Instant::now();
            let is_question = search.role == Role::Question;
            let (found, took) = match search.line.kind {
                Kind::Lex => (self.by_words(&search, question.within)?, &mut words_took),
                Kind::Vec | Kind::Hyde => {
                    let embedded = (!is_question).then(|| self.embed(&search.line.text));
                    let vector = match &embedded {
                        Some(vector) => vector.as_deref().map_err(String::as_str),
                        None => question.vector,
                    };
                    let found = self.by_meaning(&search, question.within, vector);
                    (found, &mut vectors_took)
                }
            };
            *took += started.elapsed();
            lists.push((search, found));
        }
        Ok(Answers {
            lists,
            took: vec![
                (ListId(TEXT.0), words_took),
                (ListId(VECTOR.0), vectors_took),
            ],
        })
    }

    /// Returns the same candidates with a reranker's scores. `score` is called with a question and a text.
    pub fn reranked(
        &self,
        question: &str,
        options: &AskOptions,
        found: Retrieved,
        score: impl Fn(&str, &str) -> f64,
    ) -> Retrieved {
        let sought = options.typed.as_deref().map_or(question, primary);
        let intent = options.intent.as_deref();
        let asked = match intent {
            Some(intent) => format!("{intent}\n\n{sought}"),
            None => sought.to_owned(),
        };
        let wanted = Wanted::new(sought, intent.map(intent_words).unwrap_or_default());
        let scores = found.set.candidates.iter().map(|it| {
            let at = self
                .notes
                .place(it.chunk)
                .expect("a candidate of this memory");
            score(&asked, &self.known[at].document.chunk(&wanted).text)
        });
        let rerank = Some(scores.collect());
        let own = Facts::of(&found.set).map(|facts| {
            OwnFacts::new(Facts {
                rerank,
                ..facts.clone()
            })
        });
        Retrieved {
            set: CandidateSet { own, ..found.set },
            ..found
        }
    }

    /// Returns the collections to search: those named, otherwise those of the searched part, which is usually all.
    fn scopes(&self, within: &Within, options: &AskOptions) -> Vec<Scope> {
        let named = |name: &String| self.collections.iter().position(|it| it == name);
        match &options.collections {
            Some(names) if names.is_empty() => vec![None],
            // An unknown collection gives no results.
            Some(names) => names.iter().filter_map(named).map(Some).collect(),
            None => {
                let is_asked = |collection: &usize| {
                    let mut notes = 0..self.notes.len();
                    notes.any(|at| {
                        self.known[at].collection == *collection && self.notes.is_within(within, at)
                    })
                };
                (0..self.collections.len())
                    .filter(is_asked)
                    .map(Some)
                    .collect()
            }
        }
    }

    fn is_in(&self, scope: Scope, at: usize) -> bool {
        scope.is_none_or(|collection| self.known[at].collection == collection)
    }

    /// Returns the result of a search by words, best first.
    fn by_words(
        &self,
        search: &Search<'_>,
        within: &Within,
    ) -> Result<Result<Vec<Found>, String>, RetrieveError> {
        let Some(expression) = expression(&search.line.text) else {
            return Ok(Err("the question has no word to search".to_owned()));
        };
        let hits = self.texts.lock().search(&expression).map_err(no_words)?;
        let is_there = |at: &usize| !self.notes.is_without(within, *at);
        let matches = hits.iter().filter(|hit| is_there(&(hit.at as usize)));
        let found = matches.zip(1..).map(|(hit, reach)| Found {
            note: hit.at as usize,
            reach,
            score: hit.rank.abs() / (1.0 + hit.rank.abs()),
        });
        let found: Vec<Found> = found
            .filter(|it| self.notes.is_within(within, it.note))
            .collect();
        let of = |scope: &Scope| {
            let scope = *scope;
            let found = found.iter().copied();
            found.filter(move |it| self.is_in(scope, it.note))
        };
        Ok(Ok(merged(
            search.scopes.iter().flat_map(of).collect(),
            search.scopes,
        )))
    }

    /// Returns the result of a search by meaning, best first.
    fn by_meaning(
        &self,
        search: &Search<'_>,
        within: &Within,
        vector: Result<&[f32], &str>,
    ) -> Result<Vec<Found>, String> {
        let distances = self.distances(vector?)?;
        let mut found = Vec::new();
        for scope in search.scopes {
            let is_there =
                |at: &&usize| self.is_in(*scope, **at) && !self.notes.is_without(within, **at);
            let mut chunks: Vec<(&Content, f32)> = Vec::new();
            let mut rest = distances.as_slice();
            for content in &self.contents {
                let (own, behind) = rest.split_at(content.chunks.len());
                rest = behind;
                if content.notes.iter().any(|at| is_there(&at)) {
                    chunks.extend(own.iter().map(|distance| (content, *distance)));
                }
            }
            chunks.sort_by(|a, b| a.1.total_cmp(&b.1));
            let mut seen = HashSet::new();
            for (reach, (content, distance)) in (1..).zip(chunks) {
                for at in content.notes.iter().filter(is_there) {
                    if seen.insert(*at) && self.notes.is_within(within, *at) {
                        found.push(Found {
                            note: *at,
                            reach,
                            score: 1.0 - f64::from(distance),
                        });
                    }
                }
            }
        }
        Ok(merged(found, search.scopes))
    }

    /// Returns the cosine distance of every chunk, in the precision of SQLite's extension.
    fn distances(&self, to: &[f32]) -> Result<Vec<f32>, String> {
        let Rows { vectors, squares } = self.vectors.as_ref().map_err(Clone::clone)?;
        if to.len() != vectors.dim() {
            return Err(format!(
                "the question's embedding has {} numbers, those of the chunks {}",
                to.len(),
                vectors.dim()
            ));
        }
        let square = dot(to, to);
        let distance = |(vector, own): (&[f32], &f32)| {
            let lengths = f64::from(square).sqrt() * f64::from(*own).sqrt();
            if lengths > 0.0 {
                (1.0 - f64::from(dot(vector, to)) / lengths) as f32
            } else {
                1.0
            }
        };
        Ok(vectors.iter().zip(squares).map(distance).collect())
    }

    fn candidate(&self, at: usize) -> Candidate {
        // It counts four characters as a token.
        let units = self.notes.at(at).text.encode_utf16().count() as u32;
        self.notes.candidate(at, units.div_ceil(4))
    }

    fn facts(&self, at: usize, wanted: &Wanted) -> RowFact {
        let document = &self.known[at].document;
        let chunk = document.chunk(wanted);
        let last = (chunk.start + chunk.len).saturating_sub(1);
        RowFact {
            chunk: Chunk {
                start: chunk.start as u32,
                units: chunk.len as u32,
                first_line: document.line_of(chunk.start),
                last_line: document.line_of(last),
            },
            in_chunk: document.shown_in(chunk, wanted),
            in_note: document.shown(wanted),
        }
    }
}

impl Retriever for Memory {
    fn id(&self) -> RetrieverId {
        V2_8.retriever()
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        let asked = format!("task: search result | query: {text}");
        embed_question(&self.vectors, &self.embed, &asked)
    }

    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError> {
        let typed = Typed::of(question.text);
        let options = AskOptions {
            intent: typed.as_ref().and_then(|it| it.intent.clone()),
            typed: typed.map(|it| it.lines),
            ..AskOptions::default()
        };
        self.ask(question, &options)
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>> {
        self.notes.chunks_of(folder, path)
    }

    fn texts(&self, chunks: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError> {
        Ok(self.notes.texts(chunks))
    }
}

/// Returns the searches of a question, in the order in which qmd fuses their lists.
fn searches<'a>(
    question: &str,
    options: &AskOptions,
    scopes: &'a [Scope],
    collections: &[String],
) -> Vec<Search<'a>> {
    let of_question = |kind, name: &str| Search {
        line: Line {
            kind,
            text: question.to_owned(),
        },
        role: Role::Question,
        scopes,
        name: name.to_owned(),
    };
    let in_order = |lines: &[Line], is_words: bool| -> Vec<Line> {
        let is_it = |line: &&Line| (line.kind == Kind::Lex) == is_words;
        lines.iter().filter(is_it).cloned().collect()
    };
    let added = options.added.as_deref().unwrap_or_default();
    let typed = options.typed.as_deref().unwrap_or_default();
    let mut found = Vec::new();
    for is_words in [true, false] {
        found.push(match is_words {
            true => of_question(Kind::Lex, "keywords"),
            false => of_question(Kind::Vec, "vector"),
        });
        found.extend(in_order(added, is_words).into_iter().map(|line| Search {
            role: Role::Added,
            scopes,
            name: format!(
                "{}: {}",
                line.kind.as_str(),
                memlens_params::brief(&line.text)
            ),
            line,
        }));
    }
    for is_words in [true, false] {
        for line in in_order(typed, is_words) {
            for scope in scopes {
                let name = format!(
                    "{}: {}",
                    line.kind.as_str(),
                    memlens_params::brief(&line.text)
                );
                found.push(Search {
                    line: line.clone(),
                    role: Role::Typed,
                    scopes: std::slice::from_ref(scope),
                    name: match scope {
                        Some(at) if scopes.len() > 1 => format!("{name} in {}", collections[*at]),
                        _ => name,
                    },
                });
            }
        }
    }
    found
}

/// Merges the results of several collections by score; ties keep the order of the collections.
fn merged(mut found: Vec<Found>, scopes: &[Scope]) -> Vec<Found> {
    if scopes.len() > 1 {
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    found
}

fn listed(search: Search<'_>, found: Result<Vec<Found>, String>, union: &[usize]) -> SearchList {
    let (found, state) = match found {
        Ok(found) => (found, ListState::Ready),
        Err(why) => (Vec::new(), ListState::Missing(why)),
    };
    let hits = (1..).zip(&found).filter_map(|(rank, it)| {
        Some(Hit {
            slot: union.binary_search(&it.note).ok()? as u32,
            rank,
            reach: it.reach,
            score: it.score,
        })
    });
    SearchList {
        kind: search.line.kind,
        role: search.role,
        name: search.name,
        state,
        reach_each: match search.line.kind {
            Kind::Lex if search.scopes == [None] => 1,
            Kind::Lex => MATCHES_EACH,
            Kind::Vec | Kind::Hyde => CHUNKS_EACH,
        },
        n_hits: found.len() as u32,
        hits: hits.collect(),
    }
}

/// Returns a list in the common form.
fn column(id: ListId, list: &SearchList, n_slots: usize) -> List {
    let mut values = vec![ListValue::default(); n_slots];
    for hit in &list.hits {
        values[hit.slot as usize] = ListValue {
            score: Some(hit.score),
            rank: Some(hit.rank),
        };
    }
    List {
        id,
        state: list.state.clone(),
        n_hits: list.n_hits,
        values,
    }
}

/// Summed one by one in single precision, like SQLite's extension.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

fn outside(why: String) -> RetrieveError {
    RetrieveError::Outside {
        what: "qmd".to_owned(),
        why,
    }
}

fn no_words(error: rusqlite::Error) -> RetrieveError {
    outside(error.to_string())
}

/// Returns the collection of a path: its first part.
fn collection(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

/// Returns the notes that qmd indexes, in the order of its walk: collection by collection, and in each folder its files
/// before its folders, by name.
fn indexed(mut notes: Vec<AgentNote>) -> Vec<AgentNote> {
    notes.retain(|note| {
        let mut parts = note.path.split('/').skip(1);
        let is_passed_over = parts.any(|it| it.starts_with('.') || PASSED_OVER.contains(&it));
        note.path.ends_with(".md") && !is_passed_over && !cut::trim(&note.text).is_empty()
    });
    let mut order: Vec<Arc<str>> = Vec::new();
    for note in &notes {
        let name = collection(&note.path);
        if !order.iter().any(|it| **it == *name) {
            order.push(name.into());
        }
    }
    let place = |note: &AgentNote| {
        let name = collection(&note.path);
        order.iter().position(|it| **it == *name)
    };
    notes.sort_by(|a, b| {
        place(a)
            .cmp(&place(b))
            .then_with(|| walked(&a.path, &b.path))
    });
    notes
}

fn walked(a: &str, b: &str) -> Ordering {
    match (a.split_once('/'), b.split_once('/')) {
        (None, None) => a.cmp(b),
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some((a, rest_a)), Some((b, rest_b))) => a.cmp(b).then_with(|| walked(rest_a, rest_b)),
    }
}

/// Returns the distinct texts in the order in which they are embedded: by their smallest path in any collection.
fn contents(notes: &[AgentNote]) -> Vec<Content> {
    let path = |at: usize| {
        let path = notes[at].path.as_str();
        path.split_once('/').map_or(path, |(_, rest)| rest)
    };
    let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, note) in notes.iter().enumerate() {
        by_text.entry(&note.text).or_default().push(at);
    }
    let mut found: Vec<(usize, Vec<usize>)> = by_text
        .into_values()
        .map(|notes| {
            let first = notes.iter().copied().min_by_key(|at| (path(*at), *at));
            (first.unwrap_or_default(), notes)
        })
        .collect();
    found.sort_by_key(|(first, _)| (path(*first), *first));
    found
        .into_iter()
        .map(|(first, same)| {
            let text = &notes[first].text;
            let title = title(text, &notes[first].path);
            let chunks = cut::for_vectors(&cut::units(text));
            Content {
                notes: same,
                chunks: chunks
                    .iter()
                    .map(|it| format!("title: {title} | text: {}", it.text))
                    .collect(),
            }
        })
        .collect()
}
