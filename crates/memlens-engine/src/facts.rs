//! What the library knows of a candidate beside what retrieval found: who says the same, thumbs, age.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use memlens_rank::Age;
use memlens_retrieve::Retrieved;

use crate::clustering::Clustering;
use crate::marks::Marks;
use crate::thumbs::GivenThumbs;

const MS_PER_DAY: f64 = 86_400_000.0;

/// The facts that a search ranks by and that change without its lists.
#[derive(Clone)]
pub(crate) struct LibraryFacts {
    /// Who agreed with whom when it was asked; none before the first pass. It may be of an earlier generation: chunks of
    /// notes that came since hold no observation.
    pub clustering: Option<Arc<Clustering>>,
    /// The thumbs.
    pub thumbs: Arc<GivenThumbs>,
    /// The question whose own thumbs are left out, since it is judged by them; none where all count.
    pub without_thumbs_for: Option<String>,
    /// What the person keeps from decay.
    pub marks: Arc<Marks>,
    /// Days from 1970-01-01 to the moment of the question.
    pub today: f64,
}

impl LibraryFacts {
    /// Puts all of them on what was retrieved, in place of those that were there.
    pub fn put_on(&self, retrieved: &mut Retrieved) {
        self.put_clusters(retrieved);
        self.put_thumbs(retrieved);
        self.put_ages(retrieved);
    }

    fn put_clusters(&self, retrieved: &mut Retrieved) {
        let clustering = self.clustering.as_ref();
        retrieved.set.clustering = clustering.map(|clustering| clustering.aggregation.clone());
        for (candidate, row) in retrieved.set.candidates.iter_mut().zip(&retrieved.rows) {
            candidate.observations = clustering.map_or(0..0, |clustering| {
                clustering.held_by(&candidate.bytes, row.note.id)
            });
        }
    }

    /// Puts the thumbs on the candidates' texts.
    pub fn put_thumbs(&self, retrieved: &mut Retrieved) {
        for (candidate, row) in retrieved.set.candidates.iter_mut().zip(&retrieved.rows) {
            let without = self.without_thumbs_for.as_deref();
            candidate.thumbs = row
                .text
                .map(|text| self.thumbs.on(text, without))
                .unwrap_or_default();
        }
    }

    /// Has the candidates decay by their age, but for those that the marks or their names keep from it.
    pub fn put_ages(&self, retrieved: &mut Retrieved) {
        // Chunks of a note follow each other.
        let mut last = None;
        for (candidate, row) in retrieved.set.candidates.iter_mut().zip(&retrieved.rows) {
            let note = Arc::as_ptr(&row.note);
            let is_evergreen = match last {
                Some((of, is_evergreen)) if of == note => is_evergreen,
                Some(_) | None => self.marks.hold(&row.note.folder_path, &row.note.path),
            };
            last = Some((note, is_evergreen));
            candidate.age = match row.said {
                _ if is_evergreen => Age::Evergreen,
                Some(said) => Age::Days {
                    days: self.today - said.day,
                    from: said.from,
                },
                None => Age::Unknown,
            };
        }
    }
}

/// The days since 1970-01-01, from the clock.
pub(crate) fn today() -> f64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    since.as_millis() as f64 / MS_PER_DAY
}
