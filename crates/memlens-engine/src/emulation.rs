//! The library's notes as another program's memory: read as they are on disk, cut as that program cuts them, embedded by our model.
//!
//! A memory is made anew where the library changed; texts of unchanged notes and vectors of known chunks are kept. Vectors come
//! from the library where it holds the same text, else from the cache beside it, else from the model.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memlens_emulate::{AgentNote, Embed, MadeOf, Program, Vectors, openclaw};
use memlens_ingest::content_hash;
use memlens_params::Values;
use memlens_retrieve::{Lists, NoteFacts, Part, Retriever};
use memlens_store::{DocumentRow, Folder, ScoreCache};

use crate::emulations::{Kept, Made, Told};
use crate::own_index::{Own, OwnMemory};
use crate::ranking::Ranking;
use crate::search::Search;
use crate::view::{Emulated, EmulationProgress};
use crate::{EngineError, Library, Purpose};

/// How many texts are embedded between two looks at the wish to stop.
const TEXTS_AT_ONCE: usize = 16;
/// How many times as many vectors are kept as a memory needs: those of other programs, which cut otherwise.
const VECTORS_KEPT: usize = 6;
/// How long a memory stands though the agent's own database moved: it holds what the agent says as well.
const OWN_STANDS: Duration = Duration::from_secs(10);
/// How long the moment stands by which notes are so and so old.
const MOMENT: Duration = Duration::from_secs(60 * 60);

/// What the notes of an emulated memory are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The agent's own folders.
    Own,
    /// Whatever is watched, as if it lay in the agent's memory.
    AsIf,
}

impl Library {
    /// Searches by any pipeline: its own memory for Memlens's, an emulated one for another program's.
    ///
    /// # Errors
    /// As [`Library::search`]; [`EngineError::Retrieve`] where an emulated memory cannot be made.
    pub fn search_as(
        &self,
        query: &str,
        ranking: &Ranking,
        part: Part,
    ) -> Result<Arc<Search>, EngineError> {
        let search = self.search_unfilled(query, ranking, part, true)?;
        self.fill_in(search, &ranking.values)
    }

    /// The same without anybody who stands in for the agent's reranker; `is_kept` where it may be asked of by its id afterwards.
    ///
    /// # Errors
    /// As [`Library::search_as`].
    pub(crate) fn search_unfilled(
        &self,
        query: &str,
        ranking: &Ranking,
        part: Part,
        is_kept: bool,
    ) -> Result<Arc<Search>, EngineError> {
        if query.trim().is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let memory: (Arc<dyn Retriever>, _) = match Program::ranked_by(ranking.pipeline) {
            None => (self.retriever(), None),
            Some(program) => {
                let (memory, emulated) = self.emulated(program, &ranking.values)?;
                (memory, Some(emulated))
            }
        };
        let (pipeline, values) = (ranking.pipeline, &ranking.values);
        self.search_told(query, pipeline, values, memory, part, is_kept)
    }

    /// How far the chunks of an emulated memory are embedded; none while none is made.
    pub fn emulation_progress(&self) -> Option<EmulationProgress> {
        *self.emulations.progress.lock()
    }

    /// Stops the embedding of an emulated memory; its questions are answered by words alone then, until asked again.
    pub fn stop_emulation(&self) {
        self.emulations.stop.lock().store(true, Ordering::Relaxed);
    }

    /// Lets go of every emulated memory.
    pub(crate) fn forget_emulations(&self) {
        // Whoever erases does not wait for a model.
        self.stop_emulation();
        self.emulations.made.lock().clear();
        *self.emulations.kept.lock() = Kept::default();
        self.emulations.own.lock().clear();
    }

    fn emulated(
        &self,
        program: Program,
        params: &Values,
    ) -> Result<(Arc<dyn Retriever>, Emulated), EngineError> {
        // One is made at a time.
        let mut made = self.emulations.made.lock();
        let lists = self.lists();
        let generation = lists.snapshot.generation;
        let own_files = self.own_files(program, &lists.snapshot.folders);
        if let Some(made) = made.get(&program)
            && made.memory.generation() == generation
            && made.memory.answers(params)
            && made.folders == lists.snapshot.folders
            && made.at.elapsed() < MOMENT
            && (made.own_files == own_files || made.at.elapsed() < OWN_STANDS)
            && made.is_whole
        {
            return Ok((made.memory.clone(), made.emulated.clone()));
        }
        let (notes, source, left_out) = self.agent_notes(program, &lists);
        let own = self.own_index(&own_files, &notes, &lists);
        let emulated = own.told(lists.vectors.model());
        let mut remarks = vec![remark(program, source, notes.len(), &emulated)];
        if left_out > 0 {
            remarks.push(if left_out == 1 {
                "1 note was left out, since it has changed or cannot be read now.".to_owned()
            } else {
                format!(
                    "{left_out} notes were left out, since they have changed or cannot be read now."
                )
            });
        }
        let now_ms = jiff::Timestamp::now().as_millisecond();
        let embed = self.question_embedder(&lists);
        let mut is_whole = true;
        let memory: Arc<dyn Retriever> = if let Own::Usable(OwnMemory { index, vectors, .. }) = own
        {
            let memory =
                openclaw::Memory::of_index(notes, &index, vectors, embed, now_ms, generation)?;
            Arc::new(memory.with_remarks(remarks))
        } else {
            let vectors = self.vectors(&lists, &program.chunk_texts(&notes, params));
            is_whole = vectors.is_ok();
            program.memory(MadeOf {
                params: params.clone(),
                notes,
                vectors,
                embed,
                now_ms,
                generation,
                remarks,
            })?
        };
        let entry = Made {
            memory: memory.clone(),
            folders: lists.snapshot.folders.clone(),
            own_files,
            emulated: emulated.clone(),
            at: Instant::now(),
            is_whole,
        };
        made.insert(program, entry);
        Ok((memory, emulated))
    }

    /// A question's embedding by the library's model.
    fn question_embedder(&self, lists: &Lists) -> Embed {
        let embedder = self.embedder.clone();
        let model = lists.vectors.model().to_owned();
        Arc::new(move |question| match embedder.embed(question) {
            Ok((found, vector)) if found == model => {
                vector.ok_or_else(|| "the embedding model does not know its words".to_owned())
            }
            Ok((found, _)) => Err(format!(
                "the chunks were embedded by {model} and not by {found}"
            )),
            Err(error) => Err(format!("no embedding: {error}")),
        })
    }

    /// The notes that a program would index, in the order of their paths, and how many could not be read as they were saved.
    fn agent_notes(&self, program: Program, lists: &Lists) -> (Vec<AgentNote>, Source, usize) {
        let snapshot = &lists.snapshot;
        let is_own = |folder: &&Folder| folder.agent.as_deref() == Some(program.agent());
        let own: Vec<&Folder> = snapshot.folders.iter().filter(is_own).collect();
        let (folders, source) = if own.is_empty() {
            (snapshot.folders.iter().collect(), Source::AsIf)
        } else {
            (own, Source::Own)
        };
        let mut kept = self.emulations.kept.lock();
        let mut texts = HashMap::new();
        let mut notes = Vec::new();
        let mut n_left_out = 0;
        for folder in &folders {
            let documents: Vec<&DocumentRow> = snapshot
                .documents
                .iter()
                .filter(|document| document.folder == folder.id)
                .map(AsRef::as_ref)
                .collect();
            let places = match program {
                Program::OpenClaw(_) => Places::of(folder, folders.len() > 1, &documents),
                Program::Qmd | Program::OpenViking | Program::BasicMemory => {
                    Places::collection(folder, &folders)
                }
            };
            for document in documents {
                let Some(path) = places.path(&document.path) else {
                    continue;
                };
                let known = kept.texts.get(&document.id).cloned();
                let Some(text) = known.or_else(|| text(folder, document)) else {
                    n_left_out += 1;
                    continue;
                };
                texts.insert(document.id, text.clone());
                notes.push(AgentNote {
                    facts: Arc::new(NoteFacts {
                        id: document.id,
                        folder: folder.id,
                        folder_name: folder.name.clone(),
                        folder_path: folder.path.clone(),
                        path: document.path.clone(),
                        date: document.date.clone(),
                        tags: document.tags.clone(),
                    }),
                    path,
                    text,
                    modified_ms: document.modified_ms,
                    is_extra: false,
                });
            }
        }
        let there: HashSet<_> = snapshot.documents.iter().map(|it| it.id).collect();
        kept.texts.retain(|id, _| there.contains(id));
        kept.texts.extend(texts);
        notes.sort_by(|a, b| a.path.cmp(&b.path));
        (notes, source, n_left_out)
    }

    /// The vectors of texts in their order, or why not all are there.
    fn vectors(&self, lists: &Lists, texts: &[String]) -> Result<Vectors, String> {
        let (model, dim) = (lists.vectors.model(), lists.vectors.dim());
        let mut kept = self.emulations.kept.lock();
        let hashes: Vec<[u8; 32]> = texts.iter().map(|text| content_hash(text)).collect();
        let missing = |kept: &Kept| -> Vec<usize> {
            let mut seen = HashSet::new();
            (0..texts.len())
                .filter(|at| !kept.vectors.contains_key(&hashes[*at]) && seen.insert(hashes[*at]))
                .collect()
        };
        {
            let wanted = missing(&kept);
            let store = self.store();
            let ids = store
                .embeddings(model, wanted.iter().map(|at| hashes[*at]))
                .map_err(|error| error.to_string())?;
            for (hash, id) in ids {
                if let Some(vector) = store.vector(id).map_err(|error| error.to_string())? {
                    kept.vectors.insert(hash, vector.into());
                }
            }
        }
        let cache = self.reranking.scores(self.dir());
        if let Ok(cache) = &cache {
            let wanted = missing(&kept);
            let asked: Vec<&str> = wanted.iter().map(|at| texts[*at].as_str()).collect();
            let found = cache.vectors_of(&name(model), &asked).unwrap_or_default();
            for (at, bytes) in wanted.iter().zip(found) {
                if let Some(vector) = bytes.and_then(|bytes| numbers(&bytes, dim)) {
                    kept.vectors.insert(hashes[*at], vector);
                }
            }
        }
        let wanted = missing(&kept);
        if !wanted.is_empty() {
            self.embed_missing(
                model,
                &wanted,
                texts,
                &hashes,
                &mut kept,
                cache.ok().as_deref(),
            )?;
        }
        let flat = hashes
            .iter()
            .flat_map(|hash| kept.vectors[hash].iter().copied());
        let vectors = Vectors::new(dim.max(1), flat.collect());
        // Of notes that changed again and again, and of programs that nobody asks any more, not all is kept.
        if kept.vectors.len() > VECTORS_KEPT * (texts.len() + 100) {
            let used: HashSet<_> = hashes.iter().collect();
            kept.vectors.retain(|hash, _| used.contains(hash));
        }
        Ok(vectors)
    }

    fn embed_missing(
        &self,
        model: &str,
        wanted: &[usize],
        texts: &[String],
        hashes: &[[u8; 32]],
        kept: &mut Kept,
        cache: Option<&ScoreCache>,
    ) -> Result<(), String> {
        let stop = Arc::new(AtomicBool::new(false));
        *self.emulations.stop.lock() = stop.clone();
        let _told = Told::of(&self.emulations.progress);
        let mut embedder =
            self.source()(Purpose::Query).map_err(|error| format!("no embedding: {error}"))?;
        if embedder.info().id != model {
            return Err(format!(
                "the library was embedded by {model} and not by {}",
                embedder.info().id
            ));
        }
        let n_all = wanted.len() as u32;
        let mut n_done = 0;
        for some in wanted.chunks(TEXTS_AT_ONCE) {
            *self.emulations.progress.lock() = Some(EmulationProgress { n_done, n_all });
            let asked: Vec<&str> = some.iter().map(|at| texts[*at].as_str()).collect();
            let vectors = embedder.embed(&asked, &stop).map_err(|error| {
                if stop.load(Ordering::Relaxed) {
                    format!("{n_done} of {n_all} chunks are embedded; ask again to go on")
                } else {
                    format!("no embedding: {error}")
                }
            })?;
            for ((at, text), vector) in some.iter().zip(&asked).zip(vectors) {
                if let Some(cache) = cache {
                    let bytes: Vec<u8> = vector.iter().flat_map(|it| it.to_le_bytes()).collect();
                    if let Err(error) = cache.put_vectors(&name(model), text, &bytes) {
                        tracing::warn!(%error, "cannot keep a vector");
                    }
                }
                kept.vectors.insert(hashes[*at], vector.into());
            }
            n_done += some.len() as u32;
        }
        Ok(())
    }
}

/// How the cache knows whole-chunk vectors from the token vectors of the same model.
fn name(model: &str) -> String {
    format!("chunk of {model}")
}

/// A vector as it is kept, where it is one of so many numbers.
pub(crate) fn numbers(bytes: &[u8], dim: usize) -> Option<Arc<[f32]>> {
    let numbers = bytes
        .chunks_exact(4)
        .map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]]));
    let vector: Arc<[f32]> = numbers.collect();
    let is_sound = vector.len() == dim && vector.iter().all(|number| number.is_finite());
    is_sound.then_some(vector)
}

/// The text of a note, where it is still the one that was indexed.
fn text(folder: &Folder, document: &DocumentRow) -> Option<Arc<str>> {
    let file = memlens_ingest::find(Path::new(&folder.path), &document.path).ok()??;
    let bytes = memlens_ingest::read(&file).ok()?;
    (blake3::hash(&bytes).as_bytes() == &document.hash)
        .then(|| String::from_utf8_lossy(&bytes).into())
}

/// Where the notes of a folder lie in a program's memory.
enum Places {
    /// The folder is OpenClaw's workspace: MEMORY.md, USER.md and what is in `memory/` are indexed, by their paths.
    Workspace,
    /// What it holds lies below this path, which ends in `/`.
    Below(String),
}

impl Places {
    fn of(folder: &Folder, is_one_of_several: bool, documents: &[&DocumentRow]) -> Places {
        let is_workspace = documents.iter().any(|document| {
            let path = document.path.as_str();
            matches!(path, "MEMORY.md" | "USER.md") || path.starts_with("memory/")
        });
        if is_workspace {
            Places::Workspace
        } else if is_one_of_several && folder.name != "memory" {
            Places::Below(format!("memory/{}/", folder.name))
        } else {
            Places::Below("memory/".to_owned())
        }
    }

    /// The folder as a collection of qmd, a resource of OpenViking or a project of basic-memory, named by it; of several with one name, each later one by its number as well.
    fn collection(folder: &Folder, folders: &[&Folder]) -> Places {
        let same = folders.iter().take_while(|it| it.id != folder.id);
        let n_before = same.filter(|it| it.name == folder.name).count();
        Places::Below(match n_before {
            0 => format!("{}/", folder.name),
            n => format!("{}-{}/", folder.name, n + 1),
        })
    }

    /// The path there; none for what is not indexed.
    fn path(&self, path: &str) -> Option<String> {
        if !path.ends_with(".md") {
            return None;
        }
        match self {
            Places::Workspace => {
                let is_indexed =
                    matches!(path, "MEMORY.md" | "USER.md") || path.starts_with("memory/");
                is_indexed.then(|| path.to_owned())
            }
            Places::Below(root) => Some(format!("{root}{path}")),
        }
    }
}

/// What holds for every answer of an emulated memory.
fn remark(program: Program, source: Source, n_notes: usize, emulated: &Emulated) -> String {
    let label = program.pipeline().label();
    let notes = match (program, source) {
        (Program::OpenClaw(_), Source::Own) => format!("{} of its workspace", counted(n_notes)),
        (Program::OpenClaw(_), Source::AsIf) => {
            format!("{}, as if in its memory folder", counted(n_notes))
        }
        (Program::Qmd, Source::Own) => format!("{} of its collections", counted(n_notes)),
        (Program::Qmd, Source::AsIf) => {
            format!("{}, each folder as a collection", counted(n_notes))
        }
        (Program::OpenViking, Source::Own) => format!("{} of its folders", counted(n_notes)),
        (Program::OpenViking, Source::AsIf) => {
            format!("{}, each folder as an imported resource", counted(n_notes))
        }
        (Program::BasicMemory, Source::Own) => format!("{} of its projects", counted(n_notes)),
        (Program::BasicMemory, Source::AsIf) => {
            format!("{}, each folder as a project", counted(n_notes))
        }
    };
    let missing = match program {
        Program::OpenClaw(_) | Program::Qmd => "",
        Program::OpenViking => {
            " Each note is one record: abstracts, overviews and summaries are written by its model and are missing here, and it cuts notes of more than 6000 characters."
        }
        Program::BasicMemory => {
            " All projects are searched at once, and a note is its text: front matter, observations and relations are not read."
        }
    };
    format!("{label}, emulated over {notes}.{missing} {}", emulated.why)
}

fn counted(n_notes: usize) -> String {
    match n_notes {
        1 => "1 note".to_owned(),
        n => format!("{n} notes"),
    }
}
