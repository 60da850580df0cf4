//! The pipeline of Hindsight's fusion.

use memlens_rank::{Hue, Look, Pipeline, PipelineId, RetrieverId, Stage, Ties};

use super::params::{
    BM25, CANDIDATES, FUSION, Hindsight, LIMIT, MIN_FINAL, MIN_RERANKER, RERANK, SCORE, SEMANTIC,
};
use super::stages;

/// The fusion of 1.1, checked against 1.1.0, over Memlens's own two lists.
pub static FUSION_1_1: Pipeline<Hindsight> = Pipeline {
    id: PipelineId("hindsight@1.1"),
    label: "Hindsight 1.1, fusion only",
    stages: &[
        Stage {
            id: SEMANTIC,
            explain: stages::semantic,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: BM25,
            explain: stages::bm25,
            look: Look::plain(Hue::Bm25),
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
            id: MIN_RERANKER,
            explain: stages::min_reranker,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: SCORE,
            explain: stages::score,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: MIN_FINAL,
            explain: stages::min_final,
            look: Look::plain(Hue::Cut),
        },
        Stage {
            id: LIMIT,
            explain: stages::limit,
            look: Look::plain(Hue::Cut),
        },
    ],
    // Stages that order set every place themselves, or sort rows that come in order.
    ties: Ties::Stable(|set| set.candidates.iter().map(|it| it.order).collect()),
    retriever: RetrieverId::NATIVE,
};
