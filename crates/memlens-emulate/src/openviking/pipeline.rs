//! The pipeline of OpenViking 0.5.

use memlens_rank::{Pipeline, PipelineId, RetrieverId, Stage, Ties};

use super::params::{
    ADDRESS, CANDIDATES, DECAY, LIMIT, OpenViking, RERANK, SCORE, THRESHOLD, VECTOR,
};
use super::stages;

/// Version 0.5, checked against 0.5.2.
pub static V0_5: Pipeline<OpenViking> = Pipeline {
    id: PipelineId("openviking@0.5"),
    label: "OpenViking 0.5",
    stages: &[
        Stage {
            id: VECTOR,
            explain: stages::vector,
        },
        Stage {
            id: SCORE,
            explain: stages::score,
        },
        Stage {
            id: DECAY,
            explain: stages::decay,
        },
        Stage {
            id: CANDIDATES,
            explain: stages::candidates,
        },
        Stage {
            id: ADDRESS,
            explain: stages::address,
        },
        Stage {
            id: RERANK,
            explain: stages::rerank,
        },
        Stage {
            id: THRESHOLD,
            explain: stages::threshold,
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
        },
    ],
    // In the original, equal vector scores have the arbitrary order of the store's heap. Here they are in the order of
    // indexing.
    ties: Ties::Stable(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId("openviking@0.5"),
};
