//! The pipelines of OpenClaw's three editions.

use memlens_rank::{CandidateSet, Hue, Look, Pipeline, PipelineId, RetrieverId, Stage, Ties};

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
            look: Look::plain(Hue::Vector),
        },
        Stage {
            id: TEXT,
            explain: stages::text,
            look: Look::plain(Hue::Bm25),
        },
        Stage {
            id: FUSION,
            explain: stages::sum_2026_2,
            look: Look::plain(Hue::Fusion),
        },
        Stage {
            id: THRESHOLD,
            explain: stages::threshold_2026_2,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
            look: Look::plain(Hue::Cut),
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
            look: Look::plain(Hue::Vector),
        },
        Stage {
            id: TEXT,
            explain: stages::text,
            look: Look::plain(Hue::Bm25),
        },
        Stage {
            id: FUSION,
            explain: stages::sum_2026_7,
            look: Look::plain(Hue::Fusion),
        },
        Stage {
            id: DECAY,
            explain: stages::decay_2026_7,
            look: Look::plain(Hue::Decay),
        },
        Stage {
            id: MMR,
            explain: stages::mmr_2026_7,
            look: Look::plain(Hue::Diversity),
        },
        Stage {
            id: THRESHOLD,
            explain: stages::threshold_2026_7,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
            look: Look::plain(Hue::Cut),
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
            look: Look::plain(Hue::Vector),
        },
        Stage {
            id: TEXT,
            explain: stages::text,
            look: Look::plain(Hue::Bm25),
        },
        Stage {
            id: PATHS,
            explain: stages::paths,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: FUSION,
            explain: stages::sum_2026_8,
            look: Look::plain(Hue::Fusion),
        },
        Stage {
            id: DECAY,
            explain: stages::decay_2026_8,
            look: Look::plain(Hue::Decay),
        },
        Stage {
            id: IMPORTANCE,
            explain: stages::importance,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: MMR,
            explain: stages::mmr_2026_8,
            look: Look::plain(Hue::Diversity),
        },
        Stage {
            id: NAMED,
            explain: stages::named,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: THRESHOLD,
            explain: stages::threshold_2026_8,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
            look: Look::plain(Hue::Cut),
        },
    ],
    ties: TIES,
    retriever: RetrieverId("openclaw@2026.9"),
};
