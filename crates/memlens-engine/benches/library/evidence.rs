//! Facts for the stages after fusion: observations that agree, thumbs, dates and directions, made up for every candidate.

use std::sync::Arc;

use memlens_corroborate::{Fingerprint, Observation, aggregate};
use memlens_rank::{Age, CandidateSet, DateSource, Directions, Thumbs};

use crate::random::Random;

/// Observations in a chunk, and of how many different texts.
const OBSERVATIONS: u32 = 8;
const TEXTS: usize = 400;
const DIM: usize = 384;

/// Gives every candidate observations of which most are said elsewhere too, a thumb, a date and a direction.
pub fn with_evidence(mut set: CandidateSet) -> CandidateSet {
    let mut random = Random::new(3);
    let texts: Vec<Fingerprint> = (0..TEXTS)
        .map(|at| Fingerprint::of(&format!("text{at} is said {at} times by several")))
        .collect();
    let n = set.candidates.len() as u32;
    let observations: Vec<Observation<'_>> = (0..n * OBSERVATIONS)
        .map(|at| Observation {
            fingerprint: &texts[random.below(TEXTS)],
            source: at % 5,
            document: at / OBSERVATIONS,
        })
        .collect();
    set.clustering = Some(Arc::new(aggregate(&observations, &[])));
    let vectors: Vec<Vec<f32>> = (0..n)
        .map(|_| {
            (0..DIM)
                .map(|_| random.below(2001) as f32 - 1000.0)
                .collect()
        })
        .collect();
    set.directions = Some(Arc::new(Directions::of(
        DIM,
        vectors.iter().map(Vec::as_slice),
    )));
    for (at, candidate) in (0..).zip(&mut set.candidates) {
        candidate.observations = at * OBSERVATIONS..(at + 1) * OBSERVATIONS;
        candidate.thumbs = Thumbs::for_this_question(at % 3, at % 2);
        candidate.age = Age::Days {
            days: f64::from(at),
            from: DateSource::Modified,
        };
        candidate.direction = Some(at);
    }
    set
}
