//! The pipeline of OpenViking 0.5.

use memlens_rank::{Hue, Look, Pipeline, PipelineId, RetrieverId, Stage, Ties};

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
            look: Look::plain(Hue::Vector),
        },
        Stage {
            id: SCORE,
            explain: stages::score,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: DECAY,
            explain: stages::decay,
            look: Look::plain(Hue::Decay),
        },
        Stage {
            id: CANDIDATES,
            explain: stages::candidates,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: ADDRESS,
            explain: stages::address,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: RERANK,
            explain: stages::rerank,
            look: Look::plain(Hue::Rerank),
        },
        Stage {
            id: THRESHOLD,
            explain: stages::threshold,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
            look: Look::plain(Hue::Cut),
        },
    ],
    // In the original, equal vector scores have the arbitrary order of the store's heap. Here they are in the order of
    // indexing.
    ties: Ties::Stable(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId("openviking@0.5"),
};
