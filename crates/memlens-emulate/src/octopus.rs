//! Octopus: the steps of its search that are known, and no more.
//!
//! Known is that a floor of 0.6 for vectors is fixed in its code, that three times as many are reranked as are left, that nothing is
//! reranked where no candidate is left, and that its results carry the rank before and after. Whether it also searches by words, and how it
//! would join the two, is not known: here Memlens's vector list is all that it ranks.

mod params;
mod reasons;
mod stages;

use memlens_params::{TypedSet, Values};
use memlens_rank::{Pipeline, PipelineId, RetrieverId, Stage, Ties};
use params::{CANDIDATES, FLOOR, LIMIT, RERANK, VECTOR};

use crate::filling::Filler;

pub use params::Octopus;

/// Its reranker reads the chunks that are left as they are.
pub(crate) static FILLER: Filler = Filler {
    by: |values: &Values| Some((Octopus::of(values).rerank_by, usize::MAX)),
    before: CANDIDATES,
    asked: str::to_owned,
    read: |_, _, text| Some(text.to_owned()),
};

/// Its known steps, over Memlens's own vector list. No version of it is known.
pub static KNOWN_STEPS: Pipeline<Octopus> = Pipeline {
    id: PipelineId("octopus"),
    label: "Octopus, known steps only",
    stages: &[
        Stage {
            id: VECTOR,
            explain: stages::vector,
        },
        Stage {
            id: FLOOR,
            explain: stages::floor,
        },
        Stage {
            id: CANDIDATES,
            explain: stages::candidates,
        },
        Stage {
            id: RERANK,
            explain: stages::rerank,
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
        },
    ],
    // Its own order of equal scores is not known.
    ties: Ties::Order(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId::NATIVE,
};
