//! What features of the crates above cache beside a library.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::Library;

/// State of a feature that lives as long as its library: cached results, the turn of a running import. It is created by `Default`
/// when it is first asked for.
pub trait FeatureState: Any + Default + Send + Sync {
    /// Drops figures that depend on marks or on answers of rerankers. It is called when these change and when all is erased, but
    /// not when a note is saved: compare generations for that.
    fn forget_measured(&self) {}
}

/// A [`FeatureState`] of any type.
trait Held: Send + Sync {
    fn forget_measured(&self);
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<T: FeatureState> Held for T {
    fn forget_measured(&self) {
        FeatureState::forget_measured(self);
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// The states of all features of one library, one for each type.
#[derive(Default)]
pub(crate) struct Features(Mutex<HashMap<TypeId, Arc<dyn Held>>>);

impl Features {
    fn state<T: FeatureState>(&self) -> Arc<T> {
        let mut states = self.0.lock();
        let state = states
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::new(T::default()))
            .clone();
        drop(states);
        let state = state.into_any().downcast();
        state.expect("the state is stored by its type")
    }

    fn forget_measured(&self) {
        // A feature may take its time, and others may be asked for meanwhile.
        let states: Vec<_> = self.0.lock().values().cloned().collect();
        for state in states {
            state.forget_measured();
        }
    }
}

impl Library {
    /// The state of a feature; the same one for every caller.
    pub fn feature<T: FeatureState>(&self) -> Arc<T> {
        self.features.state()
    }

    /// Stops what measures a query set, and drops what features measured.
    pub(crate) fn forget_measured(&self) {
        self.jobs().stop_measuring();
        self.features.forget_measured();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[derive(Default)]
    struct Figures(AtomicU32);

    impl FeatureState for Figures {
        fn forget_measured(&self) {
            self.0.store(0, Ordering::Relaxed);
        }
    }

    #[derive(Default)]
    struct Turn(AtomicU32);

    impl FeatureState for Turn {}

    #[test]
    fn each_type_has_one_state() {
        let features = Features::default();
        features.state::<Figures>().0.store(1, Ordering::Relaxed);
        features.state::<Turn>().0.store(2, Ordering::Relaxed);
        assert_eq!(features.state::<Figures>().0.load(Ordering::Relaxed), 1);
        assert_eq!(features.state::<Turn>().0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn only_measured_figures_are_dropped() {
        let features = Features::default();
        features.state::<Figures>().0.store(1, Ordering::Relaxed);
        features.state::<Turn>().0.store(2, Ordering::Relaxed);
        features.forget_measured();
        assert_eq!(features.state::<Figures>().0.load(Ordering::Relaxed), 0);
        assert_eq!(features.state::<Turn>().0.load(Ordering::Relaxed), 2);
    }
}
