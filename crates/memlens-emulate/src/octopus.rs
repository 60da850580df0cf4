//! Octopus: only the known steps of its search.
//!
//! It is known that a floor of 0.6 for vectors is fixed in its code, that three times as many rows are reranked as are
//! returned, that nothing is reranked if there is no candidate, and that its results contain the rank before and after.
//! It is not known whether it also searches by words, and how it would fuse both. Here it ranks only Memlens's vector
//! list.

mod params;
mod reasons;
mod stages;

use memlens_params::{TypedSet, Values};
use memlens_rank::{Hue, Look, Pipeline, PipelineId, RetrieverId, Stage, Ties};
use params::{CANDIDATES, FLOOR, LIMIT, RERANK, VECTOR};

use crate::filling::Filler;

pub use params::Octopus;

/// Its reranker reads the remaining chunks unchanged.
pub(crate) static FILLER: Filler = Filler {
    by: |values: &Values| Some((Octopus::of(values).rerank_by, usize::MAX)),
    before: CANDIDATES,
    asked: str::to_owned,
    read: |_, _, text| Some(text.to_owned()),
};

/// Its known steps, over Memlens's own vector list. Its version is not known.
pub static KNOWN_STEPS: Pipeline<Octopus> = Pipeline {
    id: PipelineId("octopus"),
    label: "Octopus, known steps only",
    stages: &[
        Stage {
            id: VECTOR,
            explain: stages::vector,
            look: Look::plain(Hue::Vector),
        },
        Stage {
            id: FLOOR,
            explain: stages::floor,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: CANDIDATES,
            explain: stages::candidates,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: RERANK,
            explain: stages::rerank,
            look: Look::plain(Hue::Rerank),
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
            look: Look::plain(Hue::Cut),
        },
    ],
    // Its own order of equal scores is not known.
    ties: Ties::Order(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId::NATIVE,
};
