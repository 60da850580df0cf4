//! The pipeline of qmd 2.8.

use memlens_rank::{Pipeline, PipelineId, RetrieverId, Stage, Ties};

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
        },
        Stage {
            id: VECTOR,
            explain: stages::vector,
        },
        Stage {
            id: LINES,
            explain: stages::lines,
        },
        Stage {
            id: FUSION,
            explain: stages::fusion,
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
            id: THRESHOLD,
            explain: stages::threshold,
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
        },
        Stage {
            id: SNIPPET,
            explain: stages::snippet,
        },
    ],
    // Stages that order set every place themselves; until then rows are in the order of indexing.
    ties: Ties::Stable(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId("qmd@2.8"),
};
