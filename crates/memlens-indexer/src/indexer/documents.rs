//! Turns one file into one document: reads it, cuts it into chunks, and embeds each of its texts once.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use memlens_embed::{EmbedError, Embedder};
use memlens_index::Word;
use memlens_ingest::{FoundFile, IngestError, Kind, Parsed, Problem, content_hash, unread_date};
use memlens_store::{
    Change, DocumentState, EmbeddingId, FirstSight, FolderId, NewChunk, NewDocument,
    NewObservation, NewWindow, Severity, Store, WordSet,
};

use super::{Indexer, Observer};
use crate::IndexerError;
use crate::status::{Happening, now_ms};

/// Number of texts that are embedded, or whose tokens are counted, between two checks of the cancel flag.
const SLICE: usize = 8;
/// Number of embeddings that are looked up between two such checks. A file of 16 MiB may have 600,000, which takes
/// seconds.
const LOOK_UP: usize = 1024;
/// Number of new embeddings that one transaction saves; at most this many are lost if the process is killed.
const SAVE_EVERY: usize = 32;
/// Bytes of a document whose words are remembered.
const WORDS_BYTES: usize = 1 << 20;

impl Indexer {
    pub(super) fn read(
        &mut self,
        folder: FolderId,
        file: &FoundFile,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<(), IndexerError> {
        self.clock.start(file, Instant::now());
        observer.progress(&self.progress());
        // The file is compared with the library, so pending changes of it must be saved first.
        if self.waiting(folder).any(|change| change.path == file.path) {
            self.commit(observer)?;
        }
        let known = self.store.document(folder, &file.path)?;
        let read_ms = now_ms();
        let read = memlens_ingest::read(file).and_then(|bytes| {
            let hash = *blake3::hash(&bytes).as_bytes();
            if known.as_ref().is_some_and(|state| state.hash == hash) {
                return Ok((bytes.len() as u64, hash, None));
            }
            let parsed = memlens_ingest::parse(file.kind, &bytes, &self.options)?;
            Ok((bytes.len() as u64, hash, Some(parsed)))
        });
        match read {
            Ok((_, _, None)) => {
                let document = known
                    .map(|state| state.id)
                    .expect("only a known document can be unchanged");
                self.counts.n_unchanged += 1;
                self.pend(
                    Change::Touch {
                        document,
                        modified_ms: file.modified_ms,
                        changed_ns: file.changed_ns,
                    },
                    0,
                );
            }
            Ok((size, hash, Some(parsed))) => {
                go_on(cancel)?;
                let document = self.document(
                    folder,
                    file,
                    (size, hash, read_ms),
                    parsed,
                    cancel,
                    observer,
                )?;
                self.note_put(folder, file, known.as_ref(), &document);
                let n_chunks = document.chunks.len();
                self.pend(Change::Put(Box::new(document)), n_chunks);
            }
            // A folder around it was closed since it was found. The file is not gone; the next walk decides.
            Err(_) if file.absolute.try_exists().is_err() => {}
            // It vanished after the walk found it; the watcher or the next scan will report that.
            Err(_) if !file.absolute.exists() => {
                // If its whole folder is gone, the note stays, because the folder may come back.
                let is_ours = known.is_some() || self.store.has_problem(folder, &file.path)?;
                if is_ours && self.is_there(folder)? {
                    self.remove(folder, &file.path)?;
                }
            }
            Err(error) if is_no_note(file.kind, &error) => {
                let message = error.to_string();
                self.leave_unread(folder, file, message, known.is_some())?;
            }
            Err(error) => {
                let path = file.path.clone();
                let problem = self.problem(folder, path, None, error.to_string(), Severity::Error);
                if known.is_none() && self.store.is_noted(&problem)? {
                    // The problem is already recorded.
                    self.counts.n_unreadable += 1;
                } else {
                    self.fail(problem);
                }
            }
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, folder: FolderId, path: &str) -> Result<(), IndexerError> {
        let stored = self.store.document(folder, path)?.map(|state| state.hash);
        let waiting = self
            .waiting(folder)
            .filter(|change| change.path == path)
            .last();
        // If the file could not be read before, only a problem record is removed, which is not reported.
        if let Some(hash) = waiting.map_or(stored, |change| change.hash) {
            self.counts.n_removed += 1;
            self.happen(folder, path, Happening::Deleted, None, Some(hash));
        }
        let path = path.to_owned();
        self.pend(Change::Remove { folder, path }, 0);
        Ok(())
    }

    fn note_put(
        &mut self,
        folder: FolderId,
        file: &FoundFile,
        known: Option<&DocumentState>,
        document: &NewDocument,
    ) {
        let what = if known.is_some() {
            self.counts.n_changed += 1;
            Happening::Changed
        } else {
            self.counts.n_added += 1;
            Happening::Added
        };
        let detail = match document.chunks.len() {
            1 => "1 chunk".to_owned(),
            n => format!("{n} chunks"),
        };
        self.happen(folder, &file.path, what, Some(detail), Some(document.hash));
    }

    /// Creates the document with every embedding that it needs.
    fn document(
        &mut self,
        folder: FolderId,
        file: &FoundFile,
        (size, hash, read_ms): (u64, [u8; 32], i64),
        parsed: Parsed,
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<NewDocument, IndexerError> {
        let of_chunks = parsed.chunks.iter().map(|chunk| chunk.text.as_str());
        let of_windows = parsed.windows.iter().map(|window| window.text.as_str());
        let texts: Vec<([u8; 32], &str)> = of_chunks
            .chain(of_windows)
            .map(|text| (content_hash(text), text))
            .collect();
        let hashes: Vec<[u8; 32]> = texts.iter().map(|(hash, _)| *hash).collect();
        let (chunk_hashes, window_hashes) = hashes.split_at(parsed.chunks.len());
        self.embedder.wake()?;
        let embeddings = self.embeddings(&texts, cancel, observer)?;
        let tokens = self.count_tokens(&texts[..chunk_hashes.len()], cancel, observer)?;

        let observations = new_observations(&parsed);
        let problems = parsed
            .problems
            .iter()
            .chain(undated(&file.path, &parsed).as_ref())
            .map(|problem| {
                self.problem(
                    folder,
                    file.path.clone(),
                    problem.line,
                    problem.message.clone(),
                    Severity::Note,
                )
            })
            .collect();
        let first_sight = FirstSight {
            at_ms: read_ms,
            words: words_of(&parsed),
        };
        let windows_of = windows_of(&parsed, window_hashes, &embeddings);
        let chunks = parsed
            .chunks
            .into_iter()
            .zip(chunk_hashes.iter().zip(windows_of))
            .map(|(chunk, (hash, windows))| NewChunk {
                tokens: tokens[hash],
                start_line: chunk.start_line,
                end_line: chunk.end_line,
                bytes: chunk.bytes,
                heading: chunk.heading_path.join(" > "),
                agent: chunk.agent,
                date: chunk.date.map(|date| date.to_string()),
                weight: chunk.weight,
                external_id: chunk.external_id,
                embedding: embeddings[hash],
                windows,
                text: chunk.text,
            })
            .collect();
        Ok(NewDocument {
            folder,
            path: file.path.clone(),
            hash,
            size,
            modified_ms: file.modified_ms,
            changed_ns: file.changed_ns,
            kind: parsed.kind.as_str().to_owned(),
            encoding: parsed.encoding.to_owned(),
            agent: parsed.front.agent,
            date: parsed.front.date.map(|date| date.to_string()),
            tags: parsed.front.tags,
            weight: parsed.front.weight,
            chunks,
            observations,
            problems,
            first_sight: Some(first_sight),
        })
    }

    /// Returns the number of tokens in each text. If cancelled, the counts so far are kept for the next attempt.
    fn count_tokens(
        &mut self,
        texts: &[([u8; 32], &str)],
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<HashMap<[u8; 32], u32>, IndexerError> {
        let mut n_counted = 0;
        for (hash, text) in texts {
            if self.counted.contains_key(hash) {
                continue;
            }
            self.counted.insert(*hash, self.embedder.count_tokens(text));
            n_counted += 1;
            if n_counted % SLICE == 0 {
                observer.progress(&self.progress());
                if cancel.load(Ordering::Relaxed) || observer.interrupts() {
                    return Err(EmbedError::Cancelled.into());
                }
            }
        }
        Ok(texts
            .iter()
            .filter_map(|(hash, _)| Some((*hash, self.counted.remove(hash)?)))
            .collect())
    }

    /// Returns the embedding of every text; missing ones are computed and saved.
    fn embeddings(
        &mut self,
        texts: &[([u8; 32], &str)],
        cancel: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<HashMap<[u8; 32], EmbeddingId>, IndexerError> {
        let model = self.embedder.info().id.clone();
        let mut there = HashMap::new();
        for texts in texts.chunks(LOOK_UP) {
            let hashes = texts.iter().map(|(hash, _)| *hash);
            there.extend(self.store.embeddings(&model, hashes)?);
            go_on(cancel)?;
        }
        let mut seen = HashSet::new();
        let missing: Vec<([u8; 32], &str)> = texts
            .iter()
            .filter(|(hash, _)| !there.contains_key(hash) && seen.insert(*hash))
            .copied()
            .collect();
        let (n_missing, counts, clock) = (missing.len(), &mut self.counts, &mut self.clock);
        save_missing(
            &mut self.store,
            &mut *self.embedder,
            &missing,
            cancel,
            |n| {
                counts.n_embedded += n as u32;
                clock.advance(n, n_missing);
                observer.progress(&clock.progress(Instant::now()));
                !observer.interrupts()
            },
        )?;
        there.extend(
            self.store
                .embeddings(&model, missing.iter().map(|(hash, _)| *hash))?,
        );
        Ok(there)
    }
}

/// Embeds texts and saves their vectors, of which none is saved yet. Calls `done` with the number of texts of each slice; if it
/// returns false, the rest is left.
///
/// # Errors
/// [`EmbedError::Cancelled`] if something is left; what was embedded before any error of the model is saved.
pub(super) fn save_missing(
    store: &mut Store,
    embedder: &mut dyn Embedder,
    missing: &[([u8; 32], &str)],
    cancel: &AtomicBool,
    mut done: impl FnMut(usize) -> bool,
) -> Result<(), IndexerError> {
    let model = embedder.info().id.clone();
    let mut unsaved = Vec::new();
    let mut cancelled = None;
    for slice in missing.chunks(SLICE) {
        let texts: Vec<&str> = slice.iter().map(|(_, text)| *text).collect();
        match embedder.embed(&texts, cancel) {
            Ok(vectors) => unsaved.extend(slice.iter().map(|(hash, _)| *hash).zip(vectors)),
            // Saves what is done before the error is returned.
            Err(error) => {
                cancelled = Some(error);
                break;
            }
        }
        let goes_on = done(slice.len());
        if unsaved.len() >= SAVE_EVERY {
            store.save_embeddings(&model, &unsaved)?;
            unsaved.clear();
        }
        if !goes_on {
            cancelled = Some(EmbedError::Cancelled);
            break;
        }
    }
    store.save_embeddings(&model, &unsaved)?;
    cancelled.map_or(Ok(()), |error| Err(error.into()))
}

/// Returns an error if the work is cancelled.
fn go_on(cancel: &AtomicBool) -> Result<(), IndexerError> {
    if cancel.load(Ordering::Relaxed) {
        return Err(EmbedError::Cancelled.into());
    }
    Ok(())
}

/// The windows of each chunk. `hashes` holds the hash of each window's text.
fn windows_of(
    parsed: &Parsed,
    hashes: &[[u8; 32]],
    embeddings: &HashMap<[u8; 32], EmbeddingId>,
) -> Vec<Vec<NewWindow>> {
    let mut windows_of: Vec<Vec<NewWindow>> = vec![Vec::new(); parsed.chunks.len()];
    for (window, hash) in parsed.windows.iter().zip(hashes) {
        for chunk in &window.chunks {
            windows_of[*chunk as usize].push(NewWindow {
                start_line: window.start_line,
                end_line: window.end_line,
                embedding: embeddings[hash],
            });
        }
    }
    windows_of
}

fn new_observations(parsed: &Parsed) -> Vec<NewObservation> {
    memlens_ingest::observations(parsed)
        .into_iter()
        .map(|observation| NewObservation {
            text: observation.text,
            bytes: observation.bytes,
            start_line: observation.start_line,
            end_line: observation.end_line,
            agent: observation.agent,
            date: observation.date.map(|date| date.to_string()),
            weight: observation.weight,
        })
        .collect()
}

/// The words of a document; `None` if it is too long to look for them.
fn words_of(parsed: &Parsed) -> Option<WordSet> {
    // The words of JSON are those of its texts, without escapes.
    let texts = match parsed.kind {
        Kind::Markdown | Kind::Plain => &[][..],
        Kind::Jsonl | Kind::Json => &parsed.chunks[..],
    };
    let texts = texts.iter().map(|chunk| chunk.text.as_str());
    let texts: Vec<&str> = texts.chain([parsed.text.as_str()]).collect();
    if texts.iter().map(|text| text.len()).sum::<usize>() > WORDS_BYTES {
        return None;
    }
    let words: Vec<Word> = texts.into_iter().flat_map(memlens_index::words).collect();
    Some(WordSet::of(words.iter().map(|word| word.term.as_str())))
}

/// Returns whether a file is left out without being a problem, because most JSON holds no memories.
fn is_no_note(kind: Kind, error: &IngestError) -> bool {
    let is_of_content = matches!(
        error,
        IngestError::NoTexts { .. } | IngestError::Binary { .. } | IngestError::TooLarge
    );
    kind == Kind::Json && is_of_content
}

/// Returns a problem for a file name with digits like a date that give no day, if chunks are dated by the file's
/// modification time.
fn undated(path: &str, parsed: &Parsed) -> Option<Problem> {
    let is_dated = parsed.chunks.iter().all(|chunk| chunk.date.is_some());
    let digits = (!is_dated).then(|| unread_date(path))??;
    Some(Problem {
        line: None,
        message: format!(
            "{digits} in the name may be a date but does not say which day; \
             dated by the file's last change (a name such as 2026-05-06 dates it)"
        ),
    })
}
