//! Writing the text list.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memlens_files::{System, make_folder};
use tantivy::directory::{INDEX_WRITER_LOCK, ManagedDirectory};

use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::IndexWriterOptions;
use tantivy::merge_policy::LogMergePolicy;
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{Directory, Index, IndexSettings, IndexWriter, TantivyDocument, TantivyError, Term};

use crate::private::keep_private;
use crate::terms::{groups, names};
use crate::text_files::{ListDirectory, META, SUMS, VerifiedFiles};
use crate::text_list::{
    DOCUMENT, Fields, Mark, N_WORDS, Verified, open_error, open_verified, reader, refused, schema,
};
use crate::words::{Word, letters};
use crate::{IndexError, TextIndex};

/// One chunk for the text list.
#[derive(Clone, Copy, Debug)]
pub struct TextEntry<'a> {
    /// The chunk's id, unique in the list.
    pub chunk: u64,
    /// The id of the chunk's document.
    pub document: u64,
    /// The chunk's text, without its headings.
    pub text: &'a str,
    /// The file name without extension, the headings above the text and those in it, one a line; their words count once,
    /// as if they were in the text.
    pub title: &'a str,
}

/// Adds and deletes chunks. Readers see all changes at once after [`TextWriter::commit`], and never before.
///
/// There is one writer at a time, across all processes. Uncommitted changes are lost when it is dropped. Nothing writes
/// to the list afterwards.
pub struct TextWriter {
    dir: PathBuf,
    /// `None` only while this is dropped.
    writer: Option<IndexWriter>,
    fields: Fields,
    /// The size of each document in the list, including uncommitted changes.
    totals: HashMap<u64, Total>,
    /// The generation of the last commit; 0 before the first.
    generation: u64,
}

/// Number of chunks and words of a document.
#[derive(Clone, Copy, Default)]
struct Total {
    n_chunks: u64,
    n_words: u64,
}

/// Memory for words before they are written; a full buffer is written as one more segment.
const BUFFER_BYTES: usize = 30 << 20;

/// A segment with a larger share of deleted entries is rewritten, because they cost time in every query.
const DELETED_SHARE_MAX: f32 = 0.3;

/// Maximum number of attempts to merge segments with deleted chunks, and the wait between them.
const FORGET_TRIES: u32 = 50;
const FORGET_WAIT: Duration = Duration::from_millis(100);

impl TextWriter {
    /// Opens the list in the folder `dir` for changes.
    ///
    /// # Errors
    /// Like [`crate::TextIndex::open`], and [`IndexError::Busy`] while another writer has it open.
    pub fn open(dir: &Path) -> Result<Self, IndexError> {
        let verified = open_verified(dir, &VerifiedFiles::default())?;
        let (index, mark) = (verified.index.clone(), verified.mark);
        // A reader needs more of the list than a writer, so this checks more.
        TextIndex::read(dir, verified, None)?;
        let mut writer = Self::start(dir, &index)?;
        // From here on no other writer can change it.
        writer.totals = totals(&index).map_err(|source| open_error(dir, source))?;
        mark.check(&writer.mark(mark.generation), dir)?;
        writer.generation = mark.generation;
        Ok(writer)
    }

    /// Starts an empty list in the folder `dir`, which is created if missing and must hold nothing else.
    ///
    /// An existing list stays readable until the first commit, unless it is damaged or of another format: then it is
    /// removed at once.
    ///
    /// # Errors
    /// [`IndexError::Foreign`] if the folder holds something else, which stays; [`IndexError::Busy`] while another
    /// writer has it open; [`IndexError::Io`] and [`IndexError::Text`] if files cannot be written.
    pub fn create(dir: &Path) -> Result<Self, IndexError> {
        match open_verified(dir, &VerifiedFiles::default()) {
            Ok(Verified { index, .. }) => {
                let writer = Self::start(dir, &index)?;
                writer
                    .inner()
                    .delete_all_documents()
                    .map_err(|source| writer.error("clear", source))?;
                Ok(writer)
            }
            Err(error) if error.needs_rebuild() => {
                make_folder(dir).map_err(IndexError::io("create", dir))?;
                refuse_foreign(dir)?;
                clear(dir, IfHeld::Keep)?;
                Self::make(dir)
            }
            Err(error) => Err(error),
        }
    }

    /// Makes an empty list in a folder without one.
    fn make(dir: &Path) -> Result<Self, IndexError> {
        let index = Index::create(
            ListDirectory::open(dir)?,
            schema().0,
            IndexSettings::default(),
        )
        .map_err(|source| open_error(dir, source))?;
        Self::start(dir, &index)
    }

    /// Removes the list in the folder `dir`, and the folder unless it holds something else.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while another writer has it open, [`IndexError::Io`] if a file cannot be removed.
    pub fn remove(dir: &Path) -> Result<(), IndexError> {
        if !dir.is_dir() {
            return Ok(());
        }
        clear(dir, IfHeld::Fail)?;
        for name in LOCKS {
            // They have no meaning without a list.
            let _ = fs::remove_file(dir.join(name));
        }
        // Fails if the folder holds other files, which is intended.
        let _ = fs::remove_dir(dir);
        Ok(())
    }

    /// Returns the generation of the last commit; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Deletes the chunks of `document` that were added so far, if any.
    pub fn delete_document(&mut self, document: u64) {
        self.totals.remove(&document);
        self.inner()
            .delete_term(Term::from_field_u64(self.fields.document, document));
    }

    /// Adds one chunk. A chunk that the list already has would be counted twice, so delete its document first.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the buffer cannot be written.
    pub fn add(&mut self, entry: &TextEntry<'_>) -> Result<(), IndexError> {
        let Entry { words, names } = Entry::of(entry);
        let (words, names) = (tokens(words.into_iter()), tokens(names.into_iter()));
        let letters = tokens(letters(entry.text).into_iter().chain(letters(entry.title)));
        let n_words = words.tokens.len() as u64;
        let mut document = TantivyDocument::new();
        document.add_u64(self.fields.chunk, entry.chunk);
        document.add_u64(self.fields.document, entry.document);
        document.add_u64(self.fields.n_words, n_words);
        document.add_pre_tokenized_text(self.fields.words, words);
        if !letters.tokens.is_empty() {
            document.add_pre_tokenized_text(self.fields.letters, letters);
        }
        if !names.tokens.is_empty() {
            document.add_pre_tokenized_text(self.fields.names, names);
        }
        self.inner()
            .add_document(document)
            .map_err(|source| self.error("add to", source))?;
        let total = self.totals.entry(entry.document).or_default();
        total.n_chunks += 1;
        total.n_words += n_words;
        Ok(())
    }

    /// Makes all changes since the last commit readable, at once, as the list of `generation`.
    ///
    /// If the process is killed at any moment, the list of the last commit remains.
    ///
    /// # Errors
    /// [`IndexError::Text`] if files cannot be written. The list of the last commit then remains; drop the writer.
    pub fn commit(&mut self, generation: u64) -> Result<(), IndexError> {
        let mark = self.mark(generation).print();
        let writer = self.writer.as_mut().expect(OPEN);
        let committed = writer.prepare_commit().and_then(|mut commit| {
            commit.set_payload(&mark);
            commit.commit()
        });
        committed.map_err(|source| self.error("commit", source))?;
        self.generation = generation;
        Ok(())
    }

    /// Merges all committed segments into one, unless tantivy is about to merge some of them itself.
    #[cfg(test)]
    pub(crate) fn merge(&mut self) {
        let index = self.inner().index();
        let segments = index.searchable_segment_ids().expect("the list is sound");
        if segments.len() > 1 {
            let writer = self.writer.as_mut().expect(OPEN);
            match writer.merge(&segments).wait() {
                Ok(_) | Err(TantivyError::InvalidArgument(_)) => {}
                Err(error) => panic!("cannot merge: {error}"),
            }
        }
    }

    /// Rewrites the segments of the last commit that hold deleted chunks, so that no word of these remains in a file.
    /// Readers of the current list see no difference.
    ///
    /// # Errors
    /// [`IndexError::Text`] if files cannot be written; the list is then unchanged.
    pub fn forget_deleted(&mut self) -> Result<(), IndexError> {
        let merged = |writer: &mut IndexWriter| -> Result<(), TantivyError> {
            // A segment that is being merged now was either read without the deleted chunks, or is found in the next
            // round.
            for _ in 0..FORGET_TRIES {
                let metas = writer.index().searchable_segment_metas()?;
                let torn: Vec<SegmentId> = metas
                    .iter()
                    .filter(|meta| meta.num_deleted_docs() > 0)
                    .map(SegmentMeta::id)
                    .collect();
                if torn.is_empty() {
                    break;
                }
                match writer.merge(&torn).wait() {
                    Ok(_) => {}
                    Err(TantivyError::InvalidArgument(_)) => std::thread::sleep(FORGET_WAIT),
                    Err(error) => return Err(error),
                }
            }
            writer.garbage_collect_files().wait().map(drop)
        };
        let writer = self.writer.as_mut().expect(OPEN);
        merged(writer).map_err(|source| self.error("remove deleted words from", source))
    }

    fn start(dir: &Path, index: &Index) -> Result<Self, IndexError> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .memory_budget_per_thread(BUFFER_BYTES)
            .num_merge_threads(1);
        let writer = index
            .writer_with_options(options.build())
            .map_err(|source| open_error(dir, source))?;
        // This is now the only writer.
        remove_unfinished(dir)?;
        keep_private_all(dir)?;
        let mut merging = LogMergePolicy::default();
        merging.set_del_docs_ratio_before_merge(DELETED_SHARE_MAX);
        writer.set_merge_policy(Box::new(merging));
        // Removes files that a killed process left. A later commit removes those that are in use now.
        if let Err(error) = writer.garbage_collect_files().wait() {
            tracing::debug!(%error, "cannot remove what is no part of the text list");
        }
        Ok(Self {
            dir: dir.to_owned(),
            writer: Some(writer),
            fields: schema().1,
            totals: HashMap::new(),
            generation: 0,
        })
    }

    fn inner(&self) -> &IndexWriter {
        self.writer.as_ref().expect(OPEN)
    }

    /// Returns the mark that a commit of `generation` would write now.
    fn mark(&self, generation: u64) -> Mark {
        let (mut n_chunks, mut n_words) = (0, 0);
        for total in self.totals.values() {
            n_chunks += total.n_chunks;
            n_words += total.n_words;
        }
        Mark {
            generation,
            n_chunks,
            n_words,
        }
    }

    fn error(&self, attempt: &'static str, source: TantivyError) -> IndexError {
        refused(attempt, &self.dir, source)
    }
}

impl Drop for TextWriter {
    /// Waits until running merges are finished. Otherwise tantivy would continue in the background, and files would
    /// change while the list is opened, copied or removed next.
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // A failure here loses nothing: uncommitted data is lost anyway, and merged data is still in the source segments.
            let _ = writer.wait_merging_threads();
        }
    }
}

/// Why there always is a writer.
const OPEN: &str = "it is taken by the drop alone";

/// The terms of an entry: those of its text and of its title.
struct Entry {
    words: Vec<Word>,
    names: Vec<Word>,
}

impl Entry {
    fn of(entry: &TextEntry<'_>) -> Self {
        let mut terms = Entry {
            words: Vec::new(),
            names: Vec::new(),
        };
        terms.add(entry.text);
        terms.add(entry.title);
        terms
    }

    fn add(&mut self, text: &str) {
        let groups = groups(text);
        let names = names(text, &groups).into_iter();
        self.names.extend(names.map(|(kind, name)| Word {
            term: kind.key(&name.term),
            bytes: name.bytes,
        }));
        self.words
            .extend(groups.into_iter().flat_map(|group| group.parts));
    }
}

/// Converts words to tantivy's tokens.
fn tokens(words: impl Iterator<Item = Word>) -> PreTokenizedString {
    let tokens = words.enumerate().map(|(position, word)| Token {
        position,
        text: word.term,
        position_length: 1,
        ..Token::default()
    });
    PreTokenizedString {
        text: String::new(),
        tokens: tokens.collect(),
    }
}

/// Counts chunks and words of each document in the last commit.
fn totals(index: &Index) -> Result<HashMap<u64, Total>, TantivyError> {
    let mut totals: HashMap<u64, Total> = HashMap::new();
    for segment in reader(index)?.searcher().segment_readers() {
        let documents = segment.fast_fields().u64(DOCUMENT)?;
        let n_words = segment.fast_fields().u64(N_WORDS)?;
        let facts = |entry: u32| {
            let document = documents.first(entry).unwrap_or(u64::MAX);
            (document, n_words.first(entry).unwrap_or(0))
        };
        // Chunks of a document are usually consecutive, so each such run needs one lookup.
        let entries: Vec<(u64, u64)> = segment.doc_ids_alive().map(facts).collect();
        for run in entries.chunk_by(|(a, _), (b, _)| a == b) {
            let total = totals.entry(run[0].0).or_default();
            total.n_chunks += run.len() as u64;
            total.n_words += run.iter().map(|(_, n_words)| n_words).sum::<u64>();
        }
    }
    Ok(totals)
}

/// The files that tantivy locks.
pub(crate) const LOCKS: [&str; 2] = [".tantivy-writer.lock", ".tantivy-meta.lock"];
/// The other files with fixed names, tantivy's and ours.
const HEADS: [&str; 3] = [META, MANAGED, SUMS];
/// Tantivy's list of its own files, and of those that it still has to remove.
const MANAGED: &str = ".managed.json";
/// Prefix of the names of files that tantivy is writing.
const UNFINISHED: &str = ".tmp";
/// Number of hexadecimal digits that name a segment, before the extension of each of its files.
const SEGMENT_DIGITS: usize = 32;

/// Returns whether tantivy gives files such a name.
pub(crate) fn is_own(name: &str) -> bool {
    let is_of_segment = name.split_once('.').is_some_and(|(segment, _)| {
        segment.len() == SEGMENT_DIGITS && segment.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    is_of_segment || HEADS.contains(&name) || LOCKS.contains(&name) || name.starts_with(UNFINISHED)
}

/// Refuses a folder that holds other files and never held a list: the user probably chose one of their own folders for
/// the library.
fn refuse_foreign(dir: &Path) -> Result<(), IndexError> {
    // Files that came later, such as those of a file manager, are left alone.
    if LOCKS.iter().any(|name| dir.join(name).exists()) {
        return Ok(());
    }
    for entry in fs::read_dir(dir).map_err(IndexError::io("list", dir))? {
        let name = entry.map_err(IndexError::io("list", dir))?.file_name();
        let name = name.to_string_lossy();
        if !is_own(&name) {
            return Err(IndexError::Foreign {
                path: dir.to_owned(),
                name: name.into_owned(),
            });
        }
    }
    Ok(())
}

/// Removes other users' access to the list in the folder `dir`. Files that do not belong to the list are left alone.
fn keep_private_all(dir: &Path) -> Result<(), IndexError> {
    keep_private([dir]);
    for entry in fs::read_dir(dir).map_err(IndexError::io("list", dir))? {
        let entry = entry.map_err(IndexError::io("list", dir))?;
        if entry.file_name().to_str().is_some_and(is_own) {
            keep_private([&*entry.path()]);
        }
    }
    Ok(())
}

/// What becomes of a file that the system does not remove because a reader has mapped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IfHeld {
    /// It stays, and the next list removes it once it is free.
    Keep,
    Fail,
}

/// Removes every file of a list that cannot be used, except the locks.
fn clear(dir: &Path, if_held: IfHeld) -> Result<(), IndexError> {
    clear_on(System::CURRENT, dir, if_held, |path| fs::remove_file(path))
}

fn clear_on(
    system: System,
    dir: &Path,
    if_held: IfHeld,
    remove: impl Fn(&Path) -> io::Result<()>,
) -> Result<(), IndexError> {
    let _lock = ListDirectory::open(dir)?
        .acquire_lock(&INDEX_WRITER_LOCK)
        .map_err(|source| open_error(dir, source.into()))?;
    let is_removed = |name: &str| is_own(name) && !LOCKS.contains(&name);
    let mut files = own_files(dir, is_removed)?;
    // The file that names the segments is removed first, the one that lists tantivy's own files last. If the process is
    // killed in between, nothing is left that would be taken for a list or that no later call would remove.
    files.sort_by_key(|(name, _)| match name.as_str() {
        META => 0,
        name if HEADS.contains(&name) => 2,
        _ => 1,
    });
    let mut is_any_kept = false;
    for (name, path) in files {
        // With this list of its own files, tantivy removes those that are kept.
        if is_any_kept && name == MANAGED && is_managed(dir) {
            continue;
        }
        match remove(&path) {
            Err(error)
                if if_held == IfHeld::Keep
                    && !HEADS.contains(&name.as_str())
                    && system.is_held_open(&error) =>
            {
                tracing::debug!(%error, path = %path.display(), "cannot remove a mapped file yet");
                is_any_kept = true;
            }
            done => done.map_err(IndexError::io("remove", &path))?,
        }
    }
    Ok(())
}

/// Whether tantivy's list of its own files can be read.
fn is_managed(dir: &Path) -> bool {
    let directory = ListDirectory::open(dir).map_err(|_| ());
    directory.is_ok_and(|directory| ManagedDirectory::wrap(Box::new(directory)).is_ok())
}

/// Removes files that a killed process had not finished; tantivy does not know them.
fn remove_unfinished(dir: &Path) -> Result<(), IndexError> {
    for (_, path) in own_files(dir, |name| name.starts_with(UNFINISHED))? {
        if let Err(error) = fs::remove_file(&path) {
            tracing::debug!(%error, path = %path.display(), "cannot remove what was not finished");
        }
    }
    Ok(())
}

/// Returns the files in the folder `dir` with wanted names. A link or a pipe counts as a file, without following it.
fn own_files(
    dir: &Path,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<(String, PathBuf)>, IndexError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(IndexError::io("list", dir))? {
        let entry = entry.map_err(IndexError::io("list", dir))?;
        let name = entry.file_name().into_string();
        if let Ok(name) = name
            && is_wanted(&name)
            && entry.file_type().is_ok_and(|found| !found.is_dir())
        {
            files.push((name, entry.path()));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a list of one segment that cannot be used any more, and returns the segment's files.
    fn unusable(dir: &Path) -> Vec<PathBuf> {
        let mut writer = TextWriter::create(dir).expect("a list can be started");
        writer
            .add(&TextEntry {
                document: 1,
                chunk: 1,
                text: "otter",
                title: "",
            })
            .expect("it can be added");
        writer.commit(1).expect("it can be committed");
        drop(writer);
        fs::write(dir.join(SUMS), "damaged").expect("it is ours");
        of_segments(dir)
    }

    fn of_segments(dir: &Path) -> Vec<PathBuf> {
        let is_of_segment = |name: &str| is_own(name) && !HEADS.contains(&name);
        let files = own_files(dir, |name| is_of_segment(name) && !LOCKS.contains(&name));
        let files = files.expect("it can be listed");
        files.into_iter().map(|(_, path)| path).collect()
    }

    /// Refuses to remove the files of segments, as Windows does while a reader has mapped them.
    fn remove(path: &Path) -> io::Result<()> {
        const MAPPED: i32 = 1224;
        let name = path.file_name().and_then(|name| name.to_str());
        match name.is_some_and(|name| HEADS.contains(&name)) {
            true => fs::remove_file(path),
            false => Err(io::Error::from_raw_os_error(MAPPED)),
        }
    }

    #[test]
    fn files_that_a_reader_has_mapped_do_not_stop_a_new_list() {
        let scratch = tempfile::tempdir().expect("a scratch folder can be made");
        let dir = scratch.path();
        let mapped = unusable(dir);
        assert!(!mapped.is_empty());
        clear_on(System::Windows, dir, IfHeld::Keep, remove).expect("a new list can be started");
        assert_eq!(of_segments(dir), mapped);
        // They are free now, and the new list removes them.
        let mut writer = TextWriter::make(dir).expect("a list can be made");
        writer.commit(2).expect("it can be committed");
        drop(writer);
        TextWriter::open(dir).expect("it is a whole list");
        assert!(mapped.iter().all(|path| !path.exists()));
    }

    #[test]
    fn files_that_cannot_be_removed_are_an_error_where_all_is_erased() {
        let scratch = tempfile::tempdir().expect("a scratch folder can be made");
        let dir = scratch.path();
        for (system, if_held) in [
            (System::Windows, IfHeld::Fail),
            (System::Linux, IfHeld::Keep),
        ] {
            unusable(dir);
            assert!(
                clear_on(system, dir, if_held, remove).is_err(),
                "{system:?}"
            );
            clear(dir, IfHeld::Fail).expect("it can be removed");
        }
    }
}
