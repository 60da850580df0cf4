//! The ordered queue of jobs, at most one per note.
//!
//! A walk may queue a hundred thousand notes, and a thousand that change meanwhile go first, so queueing never scans
//! the queue.
//!
//! Properties checked: for any sequence of operations it equals a plain list that is scanned each time.

use std::collections::{BTreeMap, HashMap};

use memlens_ingest::FoundFile;
use memlens_store::FolderId;

/// A job for one note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Job {
    Read { folder: FolderId, file: FoundFile },
    Remove { folder: FolderId, path: String },
}

impl Job {
    pub(super) fn folder(&self) -> FolderId {
        match self {
            Job::Read { folder, .. } | Job::Remove { folder, .. } => *folder,
        }
    }

    pub(super) fn path(&self) -> &str {
        match self {
            Job::Read { file, .. } => &file.path,
            Job::Remove { path, .. } => path,
        }
    }

    /// Returns the number of bytes to read.
    fn n_bytes(&self) -> u64 {
        match self {
            Job::Read { file, .. } => file.size,
            Job::Remove { .. } => 0,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Jobs by their place; the lowest is first.
    jobs: BTreeMap<i64, Job>,
    /// The place of each note's job.
    places: HashMap<FolderId, HashMap<String, i64>>,
    n_bytes: u64,
}

impl Queue {
    /// Inserts a job before all others. It replaces the queued job of the same note.
    pub(super) fn put_first(&mut self, job: Job) {
        let place = self
            .jobs
            .first_key_value()
            .map_or(0, |(place, _)| place - 1);
        self.put(place, job);
    }

    /// Inserts a job after all others. It replaces the queued job of the same note.
    pub(super) fn put_last(&mut self, job: Job) {
        let place = self.jobs.last_key_value().map_or(0, |(place, _)| place + 1);
        self.put(place, job);
    }

    /// Inserts a folder's jobs in order: before all others if they have fewer bytes to read, so that a small folder
    /// does not wait for a large one, otherwise after them.
    pub(super) fn put_by_size(&mut self, folder: FolderId, jobs: Vec<Job>) {
        let n_bytes: u64 = jobs.iter().map(Job::n_bytes).sum();
        if n_bytes < self.n_bytes_beside(folder) {
            jobs.into_iter().rev().for_each(|job| self.put_first(job));
        } else {
            jobs.into_iter().for_each(|job| self.put_last(job));
        }
    }

    /// Removes and returns the first job.
    pub(super) fn take_first(&mut self) -> Option<Job> {
        let (_, job) = self.jobs.pop_first()?;
        if let Some(places) = self.places.get_mut(&job.folder()) {
            places.remove(job.path());
        }
        self.n_bytes -= job.n_bytes();
        Some(job)
    }

    /// Removes all jobs of a folder.
    pub(super) fn leave(&mut self, folder: FolderId) {
        for (_, place) in self.places.remove(&folder).unwrap_or_default() {
            self.drop_at(place);
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Queue::default();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns the total number of bytes to read.
    pub(super) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Returns the number of bytes to read in all folders but this one.
    fn n_bytes_beside(&self, folder: FolderId) -> u64 {
        let inside: u64 = self
            .places
            .get(&folder)
            .into_iter()
            .flat_map(HashMap::values)
            .map(|place| self.jobs[place].n_bytes())
            .sum();
        self.n_bytes - inside
    }

    /// Returns all jobs, the first one first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Job> {
        self.jobs.values()
    }

    fn put(&mut self, place: i64, job: Job) {
        self.n_bytes += job.n_bytes();
        let places = self.places.entry(job.folder()).or_default();
        let before = places.insert(job.path().to_owned(), place);
        self.jobs.insert(place, job);
        if let Some(before) = before {
            self.drop_at(before);
        }
    }

    fn drop_at(&mut self, place: i64) {
        let job = self.jobs.remove(&place);
        self.n_bytes -= job.as_ref().map_or(0, Job::n_bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use memlens_ingest::Kind;
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Act {
        First(Job),
        Last(Job),
        BySize(FolderId, Vec<Job>),
        Take,
        Leave(FolderId),
    }

    fn job() -> impl Strategy<Value = Job> {
        (0..2_i64, 0..4_u8, 0..9_u64, any::<bool>()).prop_map(|(folder, name, size, is_read)| {
            let (folder, path) = (FolderId(folder), format!("{name}.md"));
            if !is_read {
                return Job::Remove { folder, path };
            }
            let file = FoundFile {
                absolute: PathBuf::from("/notes").join(&path),
                path,
                size,
                modified_ms: 0,
                changed_ns: 0,
                kind: Kind::Markdown,
            };
            Job::Read { folder, file }
        })
    }

    /// The result of a walk of one folder: each note once.
    fn by_size() -> impl Strategy<Value = Act> {
        (0..2_i64, prop::collection::vec(job(), 0..4)).prop_map(|(folder, mut jobs)| {
            let folder = FolderId(folder);
            jobs.retain(|job| job.folder() == folder);
            jobs.sort_by(|a, b| a.path().cmp(b.path()));
            jobs.dedup_by(|a, b| a.path() == b.path());
            Act::BySize(folder, jobs)
        })
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            3 => job().prop_map(Act::First),
            3 => job().prop_map(Act::Last),
            2 => by_size(),
            2 => Just(Act::Take),
            1 => (0..2_i64).prop_map(|folder| Act::Leave(FolderId(folder))),
        ]
    }

    proptest! {
        #[test]
        fn it_equals_a_list_that_is_looked_through(acts in prop::collection::vec(act(), 0..40)) {
            let mut queue = Queue::default();
            let mut list: Vec<Job> = Vec::new();
            let without = |list: &mut Vec<Job>, job: &Job| {
                list.retain(|it| (it.folder(), it.path()) != (job.folder(), job.path()));
            };
            for act in acts {
                match act {
                    Act::First(job) => {
                        without(&mut list, &job);
                        list.insert(0, job.clone());
                        queue.put_first(job);
                    }
                    Act::Last(job) => {
                        without(&mut list, &job);
                        list.push(job.clone());
                        queue.put_last(job);
                    }
                    Act::BySize(folder, jobs) => {
                        let n_bytes = |jobs: &[Job], is_wanted: &dyn Fn(&Job) -> bool| -> u64 {
                            jobs.iter().filter(|it| is_wanted(it)).map(Job::n_bytes).sum()
                        };
                        let is_small =
                            n_bytes(&jobs, &|_| true) < n_bytes(&list, &|it| it.folder() != folder);
                        jobs.iter().for_each(|job| without(&mut list, job));
                        let at = if is_small { 0 } else { list.len() };
                        list.splice(at..at, jobs.iter().cloned());
                        queue.put_by_size(folder, jobs);
                    }
                    Act::Take => {
                        let first = (!list.is_empty()).then(|| list.remove(0));
                        prop_assert_eq!(queue.take_first(), first);
                    }
                    Act::Leave(folder) => {
                        list.retain(|it| it.folder() != folder);
                        queue.leave(folder);
                    }
                }
                prop_assert_eq!(queue.iter().collect::<Vec<_>>(), list.iter().collect::<Vec<_>>());
                prop_assert_eq!(queue.len(), list.len());
                prop_assert_eq!(queue.is_empty(), list.is_empty());
                prop_assert_eq!(queue.n_bytes(), list.iter().map(Job::n_bytes).sum::<u64>());
            }
        }
    }
}
