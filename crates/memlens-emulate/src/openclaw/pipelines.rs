//! The pipelines of OpenClaw's three editions.

use memlens_rank::{CandidateSet, Pipeline, PipelineId, RetrieverId, Stage, Ties};

use super::params::{
    DECAY, FUSION, Feb2026, IMPORTANCE, Jul2026, LIMIT, MMR, NAMED, PATHS, Since2026Aug, TEXT,
    THRESHOLD, VECTOR,
};
use super::stages;

/// Equal scores are ordered by path, compared like ICU, then by line.
const TIES: Ties = Ties::Order(order);

fn order(set: &CandidateSet) -> Vec<u32> {
    set.candidates.iter().map(|it| it.order).collect()
}

/// Version 2026.2, checked against 2026.2.12.
pub static V2026_2: Pipeline<Feb2026> = Pipeline {
    id: PipelineId("openclaw@2026.2"),
    label: "OpenClaw 2026.2",
    stages: &[
        Stage {
            id: VECTOR,
            explain: stages::vector,
        },
        Stage {
            id: TEXT,
            explain: stages::text,
        },
        Stage {
            id: FUSION,
            explain: stages::sum_2026_2,
        },
        Stage {
            id: THRESHOLD,
            explain: stages::threshold_2026_2,
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
        },
    ],
    ties: TIES,
    retriever: RetrieverId("openclaw@2026.2"),
};

/// Versions 2026.3 to 2026.7, checked against 2026.7.35.
pub static V2026_7: Pipeline<Jul2026> = Pipeline {
    id: PipelineId("openclaw@2026.7"),
    label: "OpenClaw 2026.7",
    stages: &[
        Stage {
            id: VECTOR,
            explain: stages::vector,
        },
        Stage {
            id: TEXT,
            explain: stages::text,
        },
        Stage {
            id: FUSION,
            explain: stages::sum_2026_7,
        },
        Stage {
            id: DECAY,
            explain: stages::decay_2026_7,
        },
        Stage {
            id: MMR,
            explain: stages::mmr_2026_7,
        },
        Stage {
            id: THRESHOLD,
            explain: stages::threshold_2026_7,
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
        },
    ],
    ties: TIES,
    retriever: RetrieverId("openclaw@2026.7"),
};

/// Versions 2026.8 and later, checked against 2026.9.6.
pub static V2026_8: Pipeline<Since2026Aug> = Pipeline {
    id: PipelineId("openclaw@2026.9"),
    label: "OpenClaw 2026.9",
    stages: &[
        Stage {
            id: VECTOR,
            explain: stages::vector,
        },
        Stage {
            id: TEXT,
            explain: stages::text,
        },
        Stage {
            id: PATHS,
            explain: stages::paths,
        },
        Stage {
            id: FUSION,
            explain: stages::sum_2026_8,
        },
        Stage {
            id: DECAY,
            explain: stages::decay_2026_8,
        },
        Stage {
            id: IMPORTANCE,
            explain: stages::importance,
        },
        Stage {
            id: MMR,
            explain: stages::mmr_2026_8,
        },
        Stage {
            id: NAMED,
            explain: stages::named,
        },
        Stage {
            id: THRESHOLD,
            explain: stages::threshold_2026_8,
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
        },
    ],
    ties: TIES,
    retriever: RetrieverId("openclaw@2026.9"),
};
