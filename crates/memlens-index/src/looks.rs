//! Cache of bounds for recent and prefetched questions.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::codes::Question;

/// A question, and the ceilings computed from all codes.
pub(crate) struct Looked {
    pub(crate) query: Vec<f32>,
    /// `None` if no code was compared.
    pub(crate) question: Option<Question>,
    /// Ceilings by row.
    pub(crate) ceilings: Vec<f32>,
}

/// A question that was asked.
pub(crate) struct Asked {
    pub(crate) looked: Looked,
    /// The bits of each computed product, by row; otherwise [`NOT_ASKED`].
    pub(crate) products: Box<[AtomicU32]>,
}

/// NaN, which no product of finite numbers is.
pub(crate) const NOT_ASKED: u32 = f32::NAN.to_bits();

/// Maximum number of prefetched questions, twice as many as are worth one pass. Each takes 4 bytes per row.
pub(crate) const AHEAD_MOST: usize = 8;

/// Cached questions of one state of a list. Their memory is reused for later ones, because the system has to clear
/// fresh pages, which takes a tenth of a search.
#[derive(Default)]
pub(crate) struct Looks {
    /// The last questions, because they are asked again when parameters change, and for each change that would bring a
    /// note back. As many as were in use at once since the cache was cleared.
    asked: Vec<Arc<Asked>>,
    /// The prefetched questions, the oldest first.
    ahead: VecDeque<Looked>,
    /// Unused memory for the ceilings of later questions.
    spare: Vec<Vec<f32>>,
}

impl Looks {
    /// Returns the question if it is one of the last ones.
    pub(crate) fn asked(&self, query: &[f32]) -> Option<Arc<Asked>> {
        let asked = self.asked.iter().find(|asked| asked.looked.query == query);
        asked.cloned()
    }

    /// Returns whether the question was asked or prefetched.
    pub(crate) fn knows(&self, query: &[f32]) -> bool {
        self.asked(query).is_some() || self.ahead.iter().any(|looked| looked.query == query)
    }

    /// Removes the question from the prefetched ones and returns it.
    pub(crate) fn take_ahead(&mut self, query: &[f32]) -> Option<Looked> {
        let at = self.ahead.iter().position(|it| it.query == query)?;
        self.ahead.remove(at)
    }

    /// Returns memory for a question's products, taken from a question that is no longer in use.
    pub(crate) fn take_products(&mut self) -> Option<Box<[AtomicU32]>> {
        let at = self
            .asked
            .iter()
            .position(|it| Arc::strong_count(it) == 1)?;
        let asked = Arc::into_inner(self.asked.remove(at))?;
        self.spare.push(asked.looked.ceilings);
        Some(asked.products)
    }

    /// Returns unused memory for a question's ceilings, if any.
    pub(crate) fn take_ceilings(&mut self) -> Option<Vec<f32>> {
        self.spare.pop()
    }

    /// Caches a question that was asked.
    pub(crate) fn keep_asked(&mut self, asked: Arc<Asked>) {
        self.asked.push(asked);
    }

    /// Adds prefetched questions; the oldest are dropped if there are too many.
    pub(crate) fn keep_ahead(&mut self, looked: Vec<Looked>) {
        self.ahead.extend(looked);
        while self.ahead.len() > AHEAD_MOST {
            let oldest = self.ahead.pop_front();
            self.spare.extend(oldest.map(|oldest| oldest.ceilings));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(question: f32) -> Looked {
        Looked {
            query: vec![question],
            question: None,
            ceilings: vec![question],
        }
    }

    fn ask(looks: &mut Looks, question: f32) -> Arc<Asked> {
        let asked = Arc::new(Asked {
            looked: looks.take_ahead(&[question]).expect("it was looked up"),
            products: looks.take_products().unwrap_or_default(),
        });
        looks.keep_asked(asked.clone());
        asked
    }

    #[test]
    fn what_was_looked_up_ahead_is_taken_once_and_found_again_while_it_is_asked() {
        let mut looks = Looks::default();
        looks.keep_ahead(vec![looked(1.0), looked(2.0)]);
        assert!(looks.knows(&[1.0]) && looks.asked(&[1.0]).is_none());
        drop(ask(&mut looks, 1.0));
        assert!(looks.take_ahead(&[1.0]).is_none() && looks.asked(&[1.0]).is_some());
        drop(ask(&mut looks, 2.0));
        assert!(!looks.knows(&[1.0]), "its memory is that of the next one");
        assert!(looks.knows(&[2.0]));
        assert_eq!(looks.take_ceilings(), Some(vec![1.0]));
        assert_eq!(looks.take_ceilings(), None);
    }

    #[test]
    fn what_somebody_looks_at_stays_theirs() {
        let mut looks = Looks::default();
        looks.keep_ahead((0..3_u8).map(f32::from).map(looked).collect());
        let (first, second) = (ask(&mut looks, 0.0), ask(&mut looks, 1.0));
        assert!(looks.knows(&[0.0]) && looks.knows(&[1.0]));
        drop(second);
        drop(ask(&mut looks, 2.0));
        assert!(looks.knows(&[0.0]) && !looks.knows(&[1.0]));
        drop(first);
    }

    #[test]
    fn the_last_ones_looked_up_are_kept() {
        let mut looks = Looks::default();
        looks.keep_ahead((0..5_u8).map(f32::from).map(looked).collect());
        looks.keep_ahead((5..11_u8).map(f32::from).map(looked).collect());
        let is_kept = |it: &u8| looks.knows(&[f32::from(*it)]);
        assert_eq!(
            (0..11).filter(is_kept).collect::<Vec<u8>>(),
            [3, 4, 5, 6, 7, 8, 9, 10]
        );
        assert!(
            (0..3).all(|_| looks.take_ceilings().is_some()),
            "memory of those that made room"
        );
        assert!(looks.take_ceilings().is_none());
    }
}
