//! Facts about a candidate besides what retrieval found: agreement, thumbs, age.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use memlens_rank::Age;
use memlens_retrieve::{Retrieved, TextId};
use memlens_store::Thumb;

use crate::clustering::Clustering;
use crate::judging::marks::Marks;
use crate::judging::thumbs::{Asked, GivenThumbs};

/// Number of thumbs of a row that are listed with their questions.
const THUMBS_SHOWN: usize = 5;
const MS_PER_DAY: f64 = 86_400_000.0;

/// Facts used for ranking that change independently of the lists.
#[derive(Clone)]
pub(crate) struct LibraryFacts {
    /// Agreement of observations at the time of the question; `None` before the first pass. It may be of an earlier
    /// generation: chunks of newer notes have no observations.
    pub clustering: Option<Arc<Clustering>>,
    pub thumbs: Arc<GivenThumbs>,
    /// The question that thumbs on it, and on close ones, are counted for.
    pub asked: Asked,
    /// The question whose own thumbs are left out because it is judged by them; `None` if all count.
    pub without_thumbs_for: Option<String>,
    /// What the user keeps from decay.
    pub marks: Arc<Marks>,
    /// Days from 1970-01-01 to the time of the question.
    pub today: f64,
}

impl LibraryFacts {
    /// Sets all of them on the retrieved rows, replacing earlier ones.
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

    /// Sets the thumbs on the candidates' texts.
    pub fn put_thumbs(&self, retrieved: &mut Retrieved) {
        let without = self.without_thumbs_for.as_deref();
        let mut closeness = self.asked.closeness();
        for (candidate, row) in retrieved.set.candidates.iter_mut().zip(&retrieved.rows) {
            candidate.thumbs = row
                .text
                .map(|text| self.thumbs.on(text, without, &mut closeness))
                .unwrap_or_default();
        }
    }

    /// Thumbs on a text for the user, closest questions first; the others are counted.
    pub fn thumbs_on(&self, text: TextId) -> Vec<String> {
        let mut closeness = self.asked.closeness();
        let thumbs = self.thumbs.questions_on(text);
        let mut thumbs: Vec<(f64, &str, Thumb)> = thumbs
            .map(|(query, thumb)| (closeness.of(query), query, thumb))
            .collect();
        thumbs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let n_more = thumbs.len().saturating_sub(THUMBS_SHOWN);
        let shown = thumbs.iter().take(THUMBS_SHOWN);
        let shown = shown.map(|(closeness, query, thumb)| {
            let direction = match thumb {
                Thumb::Up => "up",
                Thumb::Down => "down",
            };
            format!(
                "{direction} for \u{201c}{query}\u{201d} (closeness {})",
                memlens_rank::number(*closeness, 3)
            )
        });
        let more = (n_more > 0).then(|| format!("and {n_more} more"));
        shown.chain(more).collect()
    }

    /// Sets the candidates' ages for decay, except those that the marks or their names keep from it.
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
