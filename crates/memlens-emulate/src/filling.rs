//! Replaces another program's reranker by one of the user's: which one, what it is asked, and how its scores are used.
//!
//! Tested: only a program's own values select the replacement, and there is none if the program calls no reranker;
//! scores of every scale become shares.

use memlens_params::{RerankMode, StageId, Values};
use memlens_rank::{CandidateSet, ChunkId, RerankScale, RerankScores, Trace};

use crate::{basic_memory, octopus, openviking, qmd};

/// The requests of a program's reranker, for the one that replaces it.
pub struct Filler {
    /// Returns the replacement, and the maximum number of rows that it reads. `None` if there is none, the program
    /// calls no reranker, or the values are another program's.
    pub by: fn(&Values) -> Option<(RerankMode, usize)>,
    /// The stage before the reranker's. The rows that it keeps are read, best first.
    pub before: StageId,
    /// Returns the question as the program sends it.
    pub asked: fn(&str) -> String,
    /// Returns what is read of a row, from the text of its note or chunk; `None` if the row is not read.
    pub read: fn(&CandidateSet, u32, &str) -> Option<String>,
}

static FILLERS: [&Filler; 4] = [
    &qmd::FILLER,
    &basic_memory::FILLER,
    &openviking::FILLER,
    &octopus::FILLER,
];

/// The replacement of a program's reranker, and its requests.
#[derive(Clone, Copy)]
pub struct Filling {
    /// The kind of the replacement.
    pub mode: RerankMode,
    n_read: usize,
    filler: &'static Filler,
}

impl Filling {
    /// Returns the replacement that a program's values select, if any.
    pub fn of(values: &Values) -> Option<Filling> {
        let mut named = FILLERS.iter().filter_map(|filler| {
            let (mode, n_read) = (filler.by)(values)?;
            Some(Filling {
                mode,
                n_read,
                filler,
            })
        });
        named.find(|it| it.mode != RerankMode::Off)
    }

    /// Returns the rows that are read, best first.
    pub fn slots(&self, trace: &Trace) -> Vec<u32> {
        let stage = trace.stage(self.filler.before);
        let entries = stage.into_iter().flat_map(|stage| &stage.entries);
        let mut left: Vec<(u32, u32)> = entries
            .filter(|it| !it.is_dropped)
            .filter_map(|it| Some((it.rank_after?, it.slot)))
            .collect();
        left.sort_unstable();
        left.truncate(self.n_read);
        left.into_iter().map(|(_, slot)| slot).collect()
    }

    /// Returns the question as the program sends it to its reranker.
    pub fn asked(&self, question: &str) -> String {
        (self.filler.asked)(question)
    }

    /// Returns what is read of a row, from the text of its note or chunk; `None` if the row is not read.
    pub fn read(&self, set: &CandidateSet, slot: u32, text: &str) -> Option<String> {
        (self.filler.read)(set, slot, text)
    }
}

/// The scores of the replacement.
#[derive(Clone, Copy)]
pub struct Filled<'a> {
    table: &'a RerankScores,
}

impl<'a> Filled<'a> {
    /// Returns the scores of a mode; `None` if it is off, or was not called.
    pub fn by(set: &'a CandidateSet, mode: RerankMode) -> Option<Filled<'a>> {
        let mut tables = set.rerank.iter();
        // Scores of Memlens's own stage are stored under the length that it sends; these are of whole texts.
        let table = tables.find(|table| table.mode == mode && table.max_chars == 0)?;
        (mode != RerankMode::Off).then_some(Filled { table })
    }

    /// Returns a row's score as a share in 0 to 1, which these programs use; `None` if it was not read.
    pub fn share(&self, chunk: ChunkId) -> Option<f64> {
        let score = self.table.scores.get(&chunk)?;
        Some(share(self.table.scale, *score))
    }

    /// Returns whether the replacement failed.
    pub fn has_failed(&self) -> bool {
        self.table.failure.is_some()
    }

    /// Returns a sentence for the user that names the replacement. `program` is the program whose reranker it replaces;
    /// `n_given` of `n_rows` have a score.
    pub fn sentence(&self, program: &str, n_given: usize, n_rows: usize) -> String {
        let name = match self.table.mode {
            RerankMode::Late => "late interaction".to_owned(),
            RerankMode::Model | RerankMode::Http | RerankMode::Off => {
                format!("your reranker, {}", self.table.model)
            }
        };
        match &self.table.failure {
            Some(why) => {
                format!("your reranker, in the place of {program}'s model, failed: {why}")
            }
            None if n_given < n_rows => {
                format!("filled in by {name}: {n_given} of {n_rows}; ask again for the others")
            }
            None => format!("filled in by {name}, in the place of {program}'s model"),
        }
    }
}

fn share(scale: RerankScale, score: f64) -> f64 {
    match scale {
        RerankScale::Unit => score.clamp(0.0, 1.0),
        RerankScale::Logit => 1.0 / (1.0 + (-score).exp()),
        RerankScale::MaxSim => f64::midpoint(score, 1.0).clamp(0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use memlens_params::{ParameterSet, RerankMode, Value, Values};
    use memlens_rank::AnyPipeline;

    use super::*;

    #[test]
    fn scores_of_every_scale_become_shares() {
        for (scale, score, expected) in [
            (RerankScale::Unit, 0.25, 0.25),
            (RerankScale::Unit, 1.5, 1.0),
            (RerankScale::Logit, 0.0, 0.5),
            (RerankScale::Logit, -1e9, 0.0),
            (RerankScale::MaxSim, -1.0, 0.0),
            (RerankScale::MaxSim, 0.5, 0.75),
        ] {
            assert!(
                (share(scale, score) - expected).abs() < 1e-9,
                "{scale:?} {score}"
            );
        }
    }

    #[test]
    fn only_a_program_that_asks_its_reranker_has_it_filled_in() {
        let by = |pipeline: &dyn AnyPipeline, given: &[(&'static str, Value)]| {
            let values = Values::defaults(pipeline.table()).with(given.iter().cloned());
            Filling::of(&values.expect("in range")).map(|it| (it.mode, it.n_read))
        };
        let late = || Value::Choice("late".to_owned());
        let word = |word: &str| Value::Choice(word.to_owned());
        let (on, off) = (Value::Toggle(true), Value::Toggle(false));

        let qmd = &qmd::V2_8;
        assert_eq!(by(qmd, &[]), None);
        let asked = by(qmd, &[("qmd.rerank_by", late())]);
        assert_eq!(asked, Some((RerankMode::Late, usize::MAX)));
        assert_eq!(
            by(qmd, &[("qmd.rerank_by", late()), ("qmd.rerank", off)]),
            None
        );

        let basic = &basic_memory::V0_24;
        let filled = ("basic_memory.reranker_by", late());
        assert_eq!(by(basic, std::slice::from_ref(&filled)), None);
        let switched = ("basic_memory.reranker", on.clone());
        let asked = by(basic, &[filled.clone(), switched.clone()]);
        assert_eq!(asked, Some((RerankMode::Late, 20)));
        let text = ("basic_memory.search", word("text"));
        assert_eq!(by(basic, &[filled, switched, text]), None);

        let viking = &openviking::V0_5;
        let filled = ("openviking.rerank_by", late());
        assert_eq!(by(viking, std::slice::from_ref(&filled)), None);
        let switched = ("openviking.rerank", on);
        let asked = by(viking, &[filled.clone(), switched.clone()]);
        assert_eq!(asked, Some((RerankMode::Late, usize::MAX)));
        let find = ("openviking.endpoint", word("find"));
        assert_eq!(by(viking, &[find, filled, switched]), None);

        let octopus = &octopus::KNOWN_STEPS;
        assert_eq!(by(octopus, &[]), None);
        let asked = by(octopus, &[("octopus.rerank_by", late())]);
        assert_eq!(asked, Some((RerankMode::Late, usize::MAX)));
    }
}
