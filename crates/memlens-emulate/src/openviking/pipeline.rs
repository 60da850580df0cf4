//! The pipeline of OpenViking 0.5.

use memlens_rank::{Pipeline, PipelineId, RetrieverId, Stage, Ties};

use super::params::{
    ADDRESS, CANDIDATES, DECAY, LIMIT, OpenViking, RERANK, SCORE, THRESHOLD, VECTOR,
};
use super::stages;

/// 0.5, as 0.5.2 ranks.
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
    // Equal vector scores come as the store's heap has them there, by no rule; here they stand as they were indexed.
    ties: Ties::Stable(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId("openviking@0.5"),
};
