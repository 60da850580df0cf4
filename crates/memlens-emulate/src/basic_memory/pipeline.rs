//! The pipeline of basic-memory 0.24.

use memlens_rank::{Hue, Look, Pipeline, PipelineId, RetrieverId, Stage, Ties};

use super::params::{BasicMemory, FUSION, PAGE, RERANK, TEXT, VECTOR};
use super::stages;

/// Version 0.24, checked against 0.24.1.
pub static V0_24: Pipeline<BasicMemory> = Pipeline {
    id: PipelineId("basic-memory@0.24"),
    label: "basic-memory 0.24",
    stages: &[
        Stage {
            id: TEXT,
            explain: stages::text,
            look: Look::plain(Hue::Bm25),
        },
        Stage {
            id: VECTOR,
            explain: stages::vector,
            look: Look::plain(Hue::Vector),
        },
        Stage {
            id: FUSION,
            explain: stages::fusion,
            look: Look::plain(Hue::Fusion),
        },
        Stage {
            id: RERANK,
            explain: stages::rerank,
            look: Look::plain(Hue::Rerank),
        },
        Stage {
            id: PAGE,
            explain: stages::page,
            look: Look::plain(Hue::Cut),
        },
    ],
    // Equal scores are ordered by id, which is the order of indexing.
    ties: Ties::Order(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId("basic-memory@0.24"),
};
