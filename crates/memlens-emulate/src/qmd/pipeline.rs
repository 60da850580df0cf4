//! The pipeline of qmd 2.8.

use memlens_rank::{Hue, Look, Pipeline, PipelineId, RetrieverId, Stage, Ties};

use super::params::{
    CANDIDATES, FUSION, LIMIT, LINES, Qmd, RERANK, SNIPPET, TEXT, THRESHOLD, VECTOR,
};
use super::stages;

/// Version 2.8, checked against 2.8.3.
pub static V2_8: Pipeline<Qmd> = Pipeline {
    id: PipelineId("qmd@2.8"),
    label: "qmd 2.8",
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
            id: LINES,
            explain: stages::lines,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: FUSION,
            explain: stages::fusion,
            look: Look::plain(Hue::Fusion),
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
            id: THRESHOLD,
            explain: stages::threshold,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: SNIPPET,
            explain: stages::snippet,
            look: Look::plain(Hue::Cut),
        },
    ],
    // Stages that order set every place themselves; until then rows are in the order of indexing.
    ties: Ties::Stable(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId("qmd@2.8"),
};
