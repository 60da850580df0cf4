//! The library's notes as another program's memory: read from disk, cut as that program cuts them, embedded by our
//! model.
//!
//! A memory is rebuilt after the library changed; texts of unchanged notes and vectors of known chunks are cached. A
//! vector comes from the library if it has the same text, else from the cache beside it, else from the model.

pub(crate) mod agent_notes;
pub(crate) mod emulations;
pub mod outside;
pub mod own_index;
pub mod searched;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_emulate::{Embed, MadeOf, Program, Vectors, openclaw};
use memlens_ingest::content_hash;
use memlens_params::Values;
use memlens_retrieve::{Lists, Part, Retriever};
use memlens_store::ScoreCache;

use memlens_embed::Purpose;
use memlens_wire::{Emulated, EmulationProgress};

use crate::emulation::emulations::{Kept, Made};
use crate::emulation::own_index::{Own, OwnMemory};
use crate::emulation::searched::Asker;
use crate::jobs::JobRun;
use crate::ranking::Ranking;
use crate::search::Search;
use crate::{EngineError, Library};

/// Number of texts embedded between two checks for cancellation.
const TEXTS_AT_ONCE: usize = 16;
/// Factor by which more vectors are cached than a memory needs: those of other programs, which chunk differently.
const VECTORS_KEPT: usize = 6;
/// How long a memory is used after the agent's own database changed, which contains the agent's conversations as well.
const OWN_STANDS: Duration = Duration::from_secs(10);
/// How long the reference time for the age of notes is used.
const MOMENT: Duration = Duration::from_secs(60 * 60);

impl Library {
    /// Searches by any pipeline: its own memory for Memlens's, an emulated one for another program's.
    ///
    /// # Errors
    /// As [`Library::search`]; [`EngineError::Retrieve`] if an emulated memory cannot be made.
    pub fn search_as(
        &self,
        query: &str,
        ranking: &Ranking,
        part: Part,
    ) -> Result<Arc<Search>, EngineError> {
        self.search_on_behalf(query, ranking, part, Asker::default())
    }

    /// The same on behalf of one agent of the program.
    ///
    /// # Errors
    /// As [`Library::search_as`].
    pub fn search_on_behalf(
        &self,
        query: &str,
        ranking: &Ranking,
        part: Part,
        asker: Asker<'_>,
    ) -> Result<Arc<Search>, EngineError> {
        let search = self.search_unfilled(query, ranking, part, asker, true)?;
        crate::reranking::rerank::fill_in(self, search, &ranking.values)
    }

    /// The same without a replacement for the agent's reranker; `is_kept` if it can be requested by its id afterwards.
    ///
    /// # Errors
    /// As [`Library::search_as`].
    pub fn search_unfilled(
        &self,
        query: &str,
        ranking: &Ranking,
        part: Part,
        asker: Asker<'_>,
        is_kept: bool,
    ) -> Result<Arc<Search>, EngineError> {
        if query.trim().is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let mut part = part;
        let memory: (Arc<dyn Retriever>, _) = match Program::ranked_by(ranking.pipeline) {
            None => (self.retriever(), None),
            Some(program) => {
                let (memory, emulated) = self.emulated(program, &ranking.values, asker, &part)?;
                if self.is_own_part(program, &part) {
                    // The memory is the agent's own, including what it reads outside its watched folders.
                    part = Part::All;
                }
                (memory, Some(emulated))
            }
        };
        let (pipeline, values) = (ranking.pipeline, &ranking.values);
        self.search_memory(query, pipeline, values, memory, part, is_kept)
    }

    pub(crate) fn forget_emulations(&self) {
        // Erasing does not wait for a model.
        self.jobs.emulation.stop();
        self.emulations.made.lock().clear();
        *self.emulations.kept.lock() = Kept::default();
        self.emulations.searched.forget();
        self.emulations.own.lock().clear();
    }

    /// Changes whenever the notes of the memory that a ranking asks change, except those of the library; 0 for the
    /// library's own lists.
    pub fn memory_stamp(&self, ranking: &Ranking) -> u64 {
        let Some(program) = Program::ranked_by(ranking.pipeline) else {
            return 0;
        };
        let searched = self.searched_by(program, Asker::default(), &Part::All, &self.lists());
        searched.map_or(0, |it| it.stamp())
    }

    /// Whether a part is everything watched of the program's agent.
    fn is_own_part(&self, program: Program, part: &Part) -> bool {
        let Part::Folders(folders) = part else {
            return false;
        };
        let lists = self.lists();
        let mut own = lists
            .snapshot
            .folders
            .iter()
            .filter(|folder| folder.agent.as_deref() == Some(program.agent()));
        folders.iter().all(|id| {
            lists
                .snapshot
                .folder(*id)
                .is_some_and(|it| it.agent.as_deref() == Some(program.agent()))
        }) && own.all(|folder| folders.contains(&folder.id))
    }

    pub(crate) fn emulated(
        &self,
        program: Program,
        params: &Values,
        asker: Asker<'_>,
        part: &Part,
    ) -> Result<(Arc<dyn Retriever>, Emulated), EngineError> {
        // Before the wait for the lock, so that a stop reaches this one too.
        let run = self.jobs.emulation.begin();
        // One is made at a time.
        let mut made = self.emulations.made.lock();
        let lists = self.lists();
        let generation = lists.snapshot.generation;
        let own_files = self.own_files(program, &lists.snapshot.folders);
        let searched = self.searched_by(program, asker, part, &lists);
        let member = searched.as_ref().map(|it| it.chosen.index.member.clone());
        let key = (program, member.clone());
        if let Some(made) = made.get(&key)
            && made.memory.generation() == generation
            && made.searched == searched.as_ref().map(|it| it.stamp())
            && made.memory.answers(params)
            && made.folders == lists.snapshot.folders
            && made.at.elapsed() < MOMENT
            && (made.own_files == own_files
                // A copy is not taken again at once, but a permission of the user applies at once.
                || (made.own_files.is_empty() == own_files.is_empty()
                    && made.at.elapsed() < OWN_STANDS))
            && made.is_whole
        {
            return Ok((made.memory.clone(), made.emulated.clone()));
        }
        let agent_notes = match &searched {
            Some(searched) => self.notes_searched(searched, &lists),
            None => self.notes_as_if(program, &lists),
        };
        let own = self.own_index(program, &own_files, member.as_deref(), &agent_notes, &lists);
        let mut emulated = Emulated {
            member: member.clone(),
            ..own.to_view(lists.vectors.model())
        };
        if emulated.why_inexact.is_none() {
            emulated.why_inexact = agent_notes.why_inexact();
        }
        let remarks = agent_notes.remarks(program, &emulated);
        let notes = agent_notes.notes;
        let now_ms = crate::clock::now().as_millisecond();
        let embed = self.question_embedder(&lists);
        let mut is_whole = true;
        let memory: Arc<dyn Retriever> = if let Own::Usable(OwnMemory { index, vectors, .. }) = own
        {
            let memory =
                openclaw::Memory::of_index(notes, &index, vectors, embed, now_ms, generation)?;
            Arc::new(memory.with_remarks(remarks))
        } else {
            let vectors = self.vectors(&lists, &program.chunk_texts(&notes, params), &run);
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
            searched: searched.as_ref().map(|it| it.stamp()),
            emulated: emulated.clone(),
            at: Instant::now(),
            is_whole,
        };
        made.insert(key, entry);
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

    /// Vectors of texts in order, or the reason why some are missing.
    fn vectors(
        &self,
        lists: &Lists,
        texts: &[String],
        run: &JobRun<'_, EmulationProgress>,
    ) -> Result<Vectors, String> {
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
            let wanted = wanted.iter().map(|at| (texts[*at].as_str(), hashes[*at]));
            let wanted: Vec<_> = wanted.collect();
            self.embed_missing(run, model, &wanted, &mut kept, cache.ok().as_deref())?;
        }
        let flat = hashes
            .iter()
            .flat_map(|hash| kept.vectors[hash].iter().copied());
        let vectors = Vectors::new(dim.max(1), flat.collect());
        // Once too many vectors are cached, those that this memory does not use are dropped: of former texts and of
        // other programs.
        if kept.vectors.len() > VECTORS_KEPT * (texts.len() + 100) {
            let used: HashSet<_> = hashes.iter().collect();
            kept.vectors.retain(|hash, _| used.contains(hash));
        }
        Ok(vectors)
    }

    fn embed_missing(
        &self,
        run: &JobRun<'_, EmulationProgress>,
        model: &str,
        wanted: &[(&str, [u8; 32])],
        kept: &mut Kept,
        cache: Option<&ScoreCache>,
    ) -> Result<(), String> {
        let stopped =
            |n_done, n_all| format!("{n_done} of {n_all} chunks are embedded; ask again to go on");
        if run.is_stopped() {
            return Err(stopped(0, wanted.len() as u32));
        }
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
            run.report(EmulationProgress { n_done, n_all });
            let asked: Vec<&str> = some.iter().map(|(text, _)| *text).collect();
            let vectors = embedder.embed(&asked, run.stop_flag()).map_err(|error| {
                if run.is_stopped() {
                    stopped(n_done, n_all)
                } else {
                    format!("no embedding: {error}")
                }
            })?;
            for ((text, hash), vector) in some.iter().zip(vectors) {
                if let Some(cache) = cache {
                    let bytes: Vec<u8> = vector.iter().flat_map(|it| it.to_le_bytes()).collect();
                    if let Err(error) = cache.put_vectors(&name(model), text, &bytes) {
                        tracing::warn!(%error, "cannot keep a vector");
                    }
                }
                kept.vectors.insert(*hash, vector.into());
            }
            n_done += some.len() as u32;
        }
        Ok(())
    }
}

/// Cache key that distinguishes whole-chunk vectors from the token vectors of the same model.
fn name(model: &str) -> String {
    format!("chunk of {model}")
}

/// Makes the memory that a pipeline searches, so that a question need not wait for it. False if it was stopped, or vectors are
/// missing: a question is answered by words alone then, or continues with it.
///
/// # Errors
/// As [`Library::search_as`].
pub fn prepare_memory(library: &Library, ranking: &Ranking) -> Result<bool, EngineError> {
    let Some(program) = Program::ranked_by(ranking.pipeline) else {
        return Ok(true);
    };
    let (asker, part) = (Asker::default(), Part::All);
    library.emulated(program, &ranking.values, asker, &part)?;
    let made = library.emulations.made.lock();
    let mut of_program = made.iter().filter(|((made, _), _)| *made == program);
    Ok(of_program.any(|(_, made)| made.is_whole))
}

/// Decodes a cached vector; `None` if it does not have `dim` numbers.
pub fn numbers(bytes: &[u8], dim: usize) -> Option<Arc<[f32]>> {
    let numbers = bytes
        .chunks_exact(4)
        .map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]]));
    let vector: Arc<[f32]> = numbers.collect();
    let is_sound = vector.len() == dim && vector.iter().all(|number| number.is_finite());
    is_sound.then_some(vector)
}
