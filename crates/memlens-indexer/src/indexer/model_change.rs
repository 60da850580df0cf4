//! Embeds every note by another model while the notes are searched by the one in use, then takes its vectors all at once.
//!
//! Notes that change meanwhile are embedded by the model in use first, so that they are found at once. What was embedded is
//! saved as it is computed, so a process killed at any moment continues where it stopped.
//!
//! Properties checked: a kill, a failure or a full disk at any step leaves the model in use with every note searchable; the
//! library equals one that was indexed by the new model from the beginning.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memlens_embed::{EmbedError, Embedder};
use memlens_ingest::{Verdict, content_hash};
use memlens_store::LackingNote;

use super::documents::save_missing;
use super::{Indexer, Observer, recipe};
use crate::IndexerError;
use crate::status::ModelChanging;

/// Number of texts whose tokens are counted in one step.
const COUNT_AT_ONCE: usize = 256;
/// With less work than this, an estimate would fluctuate.
const ESTIMATE_AFTER: Duration = Duration::from_secs(2);

/// The result of one step of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeStep {
    /// There is more to do, or something else goes first.
    More,
    /// The rest cannot be read now; it is looked for again by the next step.
    Waiting,
    /// The new model is in use.
    Taken,
    /// No change is in progress.
    None,
}

/// A change of the model in progress.
pub(super) struct ModelChange {
    embedder: Box<dyn Embedder>,
    /// Notes to embed; `None` before they were looked for.
    queue: Option<VecDeque<LackingNote>>,
    /// Notes that could not be read since they were looked for last, and why.
    unreadable: Vec<(LackingNote, String)>,
    /// Number of texts in use, and how many of these are embedded.
    n_texts: u64,
    n_done: u64,
    /// The last chunk whose tokens were counted, or need not be, since notes were looked for last; 0 before the first.
    counted_to: i64,
    /// Texts embedded by this process, and how long that took.
    n_embedded: u64,
    /// `n_embedded` when notes were looked for last.
    n_embedded_before: u64,
    worked: Duration,
}

impl ModelChange {
    fn progress(&self) -> ModelChanging {
        let left = self.n_texts.saturating_sub(self.n_done);
        let seconds_left = (self.worked >= ESTIMATE_AFTER && self.n_embedded > 0).then(|| {
            (self.worked.as_secs_f64() * left as f64 / self.n_embedded as f64).round() as u32
        });
        let waits_for = self
            .unreadable
            .first()
            .map(|(note, why)| match self.unreadable.len() {
                1 => format!("{} {why}", note.path),
                2 => format!("{} {why}; 1 more note waits", note.path),
                n => format!("{} {why}; {} more notes wait", note.path, n - 1),
            });
        ModelChanging {
            model: self.embedder.info().id.clone(),
            model_name: self.embedder.info().name.clone(),
            n_done: self.n_done as u32,
            n_total: self.n_texts as u32,
            seconds_left,
            waits_for,
        }
    }
}

impl Indexer {
    /// Begins to embed all notes by another model, or continues to. If that is the model in use, ends the change in progress:
    /// what was embedded for it stays.
    pub fn change_model(&mut self, embedder: Box<dyn Embedder>) {
        self.change = (embedder.info().id != self.embedder.info().id).then(|| ModelChange {
            embedder,
            queue: None,
            unreadable: Vec::new(),
            n_texts: 0,
            n_done: 0,
            counted_to: 0,
            n_embedded: 0,
            n_embedded_before: 0,
            worked: Duration::ZERO,
        });
    }

    /// Ends a change in progress. What was embedded for it stays.
    pub fn cancel_change(&mut self) {
        self.change = None;
    }

    /// Returns the progress of a change; `None` if none is in progress.
    pub fn model_changing(&self) -> Option<ModelChanging> {
        Some(self.change.as_ref()?.progress())
    }

    /// Returns the id of the model in use.
    pub fn model(&self) -> &str {
        &self.embedder.info().id
    }

    /// Embeds the next note by the new model, or takes its vectors if there is none. To be called while there is no other work.
    ///
    /// # Errors
    /// [`IndexerError::Store`], [`IndexerError::Index`] and [`IndexerError::Embed`]; the model in use stays, and a later step
    /// continues.
    pub fn change_step(
        &mut self,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<ChangeStep, IndexerError> {
        let Some(mut change) = self.change.take() else {
            return Ok(ChangeStep::None);
        };
        let done = self.try_change_step(&mut change, cancel, observer);
        if matches!(done, Ok(ChangeStep::Taken)) {
            self.embedder = change.embedder;
            self.counted.clear();
            // Unused embeddings are to be counted again.
            self.n_removed = None;
        } else {
            self.change = Some(change);
        }
        match done {
            Err(IndexerError::Embed(EmbedError::Cancelled)) => Ok(ChangeStep::More),
            done => {
                done.map_err(|error| super::noted(self.store.dir(), error).at(self.store.dir()))
            }
        }
    }

    /// Works until the new model is in use, something cannot be read, or it is cancelled.
    ///
    /// # Errors
    /// Like [`Indexer::change_step`].
    pub fn run_change(
        &mut self,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<ChangeStep, IndexerError> {
        loop {
            let step = self.change_step(cancel, observer)?;
            if step != ChangeStep::More || cancel.load(Ordering::Relaxed) {
                return Ok(step);
            }
        }
    }

    fn try_change_step(
        &mut self,
        change: &mut ModelChange,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<ChangeStep, IndexerError> {
        if cancel.load(Ordering::Relaxed) {
            return Ok(ChangeStep::More);
        }
        let Some(queue) = &mut change.queue else {
            return self.look_for_lacking(change);
        };
        if let Some(note) = queue.pop_front() {
            let embedded = self.embed_again(&note, change, cancel, observer);
            observer.changing(&change.progress());
            if let Err(error) = embedded {
                change.queue.get_or_insert_default().push_front(note);
                return Err(error);
            }
            return Ok(ChangeStep::More);
        }
        if self.count_again(change, cancel)? {
            return Ok(ChangeStep::More);
        }
        let lacking = self.store.lacking(&change.embedder.info().id)?;
        if !lacking.is_empty() {
            let is_new = |note: &LackingNote| {
                change
                    .unreadable
                    .iter()
                    .all(|(unreadable, _)| unreadable != note)
            };
            let is_any_new = lacking.iter().any(is_new);
            change.queue = None;
            // A walk that embedded nothing waits: a damaged note is repaired meanwhile.
            if is_any_new && change.n_embedded > change.n_embedded_before {
                return Ok(ChangeStep::More);
            }
            change.embedder.rest();
            return Ok(ChangeStep::Waiting);
        }
        self.take_model(change)
    }

    /// Looks for the notes that are not embedded by the new model.
    fn look_for_lacking(&mut self, change: &mut ModelChange) -> Result<ChangeStep, IndexerError> {
        let model = &change.embedder.info().id;
        let lacking = self.store.lacking(model)?;
        (change.n_texts, change.n_done) = self.store.n_texts_and_embedded(model)?;
        change.n_embedded_before = change.n_embedded;
        change.unreadable.clear();
        change.queue = Some(lacking.into());
        change.counted_to = 0;
        Ok(ChangeStep::More)
    }

    /// Counts the tokens of some texts that are embedded by the new model and not counted. Returns whether there were any.
    fn count_again(
        &mut self,
        change: &mut ModelChange,
        cancel: &AtomicBool,
    ) -> Result<bool, IndexerError> {
        let model = &change.embedder.info().id;
        let uncounted = self
            .store
            .uncounted(model, change.counted_to, COUNT_AT_ONCE)?;
        if uncounted.is_empty() {
            return Ok(false);
        }
        change.embedder.wake()?;
        let mut counts = Vec::with_capacity(uncounted.len());
        let mut counted_to = change.counted_to;
        for chunk in uncounted {
            if cancel.load(Ordering::Relaxed) {
                break;
            }
            counts.push((chunk.hash, change.embedder.count_tokens(&chunk.text)));
            counted_to = chunk.id;
        }
        let model = &change.embedder.info().id;
        self.store.save_token_counts(model, counts)?;
        change.counted_to = counted_to;
        Ok(true)
    }

    /// Embeds the texts of a note that the new model lacks.
    fn embed_again(
        &mut self,
        note: &LackingNote,
        change: &mut ModelChange,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<(), IndexerError> {
        let texts = match self.texts_of(note)? {
            Ok(texts) => texts,
            Err(why) => {
                change.unreadable.push((note.clone(), why));
                return Ok(());
            }
        };
        let hashes = texts.iter().map(|(hash, _)| *hash);
        let there = self.store.embeddings(&change.embedder.info().id, hashes)?;
        let mut missing: Vec<([u8; 32], &str)> = texts
            .iter()
            .filter(|(hash, _)| !there.contains_key(hash))
            .map(|(hash, text)| (*hash, text.as_str()))
            .collect();
        missing.sort_unstable_by_key(|(hash, _)| *hash);
        missing.dedup_by_key(|(hash, _)| *hash);
        let started = Instant::now();
        let (mut n_embedded, counts) = (0, &mut self.counts);
        let (n_done, worked) = (change.n_done, change.worked);
        let mut progress = change.progress();
        let saved = save_missing(
            &mut self.store,
            &mut *change.embedder,
            &missing,
            cancel,
            |n| {
                n_embedded += n as u64;
                counts.n_embedded += n as u32;
                progress.n_done = (n_done + n_embedded) as u32;
                observer.changing(&progress);
                !observer.interrupts()
            },
        );
        change.n_embedded += n_embedded;
        change.n_done += n_embedded;
        change.worked = worked + started.elapsed();
        if let Err(IndexerError::Embed(EmbedError::Embed { why })) = saved {
            let why = format!("{}: {why}", note.path);
            return Err(EmbedError::Embed { why }.into());
        }
        saved
    }

    /// Returns the texts of a note's chunks and windows with their hashes, read from its file; or why it cannot be read now.
    #[expect(
        clippy::type_complexity,
        reason = "texts by hash, or why there are none"
    )]
    fn texts_of(
        &self,
        note: &LackingNote,
    ) -> Result<Result<Vec<([u8; 32], String)>, String>, IndexerError> {
        let folders = self.store.folders()?;
        let Some(folder) = folders.iter().find(|folder| folder.id == note.folder) else {
            return Ok(Err("is in no watched folder any more".to_owned()));
        };
        let root = Path::new(&folder.path);
        let read = match memlens_ingest::judge(root, &note.path) {
            Ok(Verdict::Read(file)) => memlens_ingest::read(&file)
                .and_then(|bytes| {
                    Ok((
                        *blake3::hash(&bytes).as_bytes(),
                        memlens_ingest::parse(file.kind, &bytes, &self.options)?,
                    ))
                })
                .map_err(|error| format!("cannot be read: {error}")),
            Ok(_) => Err("is not a note any more; it waits for a scan of its folder".to_owned()),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        Ok(read.and_then(|(hash, parsed)| {
            if hash != note.hash {
                let why = if folder.is_paused {
                    "has changed, and its folder is paused"
                } else {
                    "has changed, and waits to be indexed"
                };
                return Err(why.to_owned());
            }
            let chunks = parsed.chunks.into_iter().map(|chunk| chunk.text);
            let windows = parsed.windows.into_iter().map(|window| window.text);
            Ok(chunks
                .chain(windows)
                .map(|text| (content_hash(&text), text))
                .collect())
        }))
    }

    /// Takes the vectors of the new model, of which every text has one.
    fn take_model(&mut self, change: &mut ModelChange) -> Result<ChangeStep, IndexerError> {
        if self.derived.is_none() {
            self.open_lists()?;
        }
        let Some(derived) = self.derived.take() else {
            return Ok(ChangeStep::More);
        };
        let info = change.embedder.info();
        let recipe = recipe(&info.id, &self.options);
        // Lists that failed half way are dropped; opening them again rebuilds what is out of date.
        let (derived, is_taken) =
            derived.of_model(&mut self.store, (&info.id, info.dim), &recipe)?;
        self.derived = derived;
        if !is_taken {
            change.queue = None;
            return Ok(ChangeStep::More);
        }
        self.is_unreported = true;
        Ok(ChangeStep::Taken)
    }
}
