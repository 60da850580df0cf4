//! A pipeline and the values of its parameters.

pub mod values_in_file;

use std::collections::BTreeMap;

use memlens_emulate::openclaw::Edition;
use memlens_emulate::{Program, hindsight, octopus};
use memlens_params::{ParameterSet, Params, Table, Value, Values};
use memlens_rank::{AnyPipeline, NATIVE, StageLook};

use crate::EngineError;
use crate::closest::with_closest;

/// The name of Memlens's own pipeline.
pub const NATIVE_NAME: &str = "memlens";

/// A pipeline, with a value for each of its parameters.
#[derive(Clone)]
pub struct Ranking {
    /// The pipeline, which has the stages.
    pub pipeline: &'static dyn AnyPipeline,
    /// Values of the pipeline's table.
    pub values: Values,
}

impl Ranking {
    /// A ranking by Memlens's own pipeline.
    pub fn native(params: &Params) -> Ranking {
        Ranking {
            pipeline: &NATIVE,
            values: params.values(),
        }
    }

    /// A pipeline with its defaults.
    pub fn of(pipeline: &'static dyn AnyPipeline) -> Ranking {
        Ranking {
            pipeline,
            values: Values::defaults(pipeline.table()),
        }
    }

    /// Parses a ranking of a window or file.
    ///
    /// # Errors
    /// [`EngineError::NoPipeline`]; [`EngineError::Param`] if a value is invalid, or of another pipeline.
    pub fn given(given: &memlens_wire::Ranking) -> Result<Ranking, EngineError> {
        let ranking = Ranking::of(pipeline(&given.pipeline)?);
        let values = given
            .values
            .iter()
            .map(|(id, value)| (id.as_str(), value.clone()));
        Ok(Ranking {
            values: ranking.values.with(values)?,
            ..ranking
        })
    }

    /// The parameters of Memlens's own pipeline; `None` for another pipeline.
    pub fn params(&self) -> Option<Params> {
        crate::search::native(&self.values)
    }

    /// The form for a window.
    pub fn to_view(&self) -> memlens_wire::Ranking {
        let parameters = self.values.table().parameters.iter();
        let values: BTreeMap<String, Value> = parameters
            .filter_map(|it| Some((it.id.to_owned(), self.values.get(it.id)?)))
            .collect();
        memlens_wire::Ranking {
            pipeline: self.pipeline.id().0.to_owned(),
            values,
        }
    }
}

/// Every pipeline: Memlens's own, then those of other programs, the newest of each first.
pub fn pipelines() -> Vec<&'static dyn AnyPipeline> {
    let others = Program::ALL.into_iter().map(Program::pipeline);
    // These rank Memlens's own lists.
    let own_lists: [&dyn AnyPipeline; 2] = [&hindsight::FUSION_1_1, &octopus::KNOWN_STEPS];
    std::iter::once(&NATIVE as &dyn AnyPipeline)
        .chain(others)
        .chain(own_lists)
        .collect()
}

/// How the stages of every pipeline are shown.
pub fn stage_looks() -> Vec<StageLook> {
    let mut looks: Vec<StageLook> = Vec::new();
    for one in pipelines().into_iter().flat_map(|it| it.looks()) {
        // Editions of one program share their stages.
        if looks.iter().all(|known| known.stage != one.stage) {
            looks.push(one);
        }
    }
    looks
}

/// The pipeline whose parameters a table holds; `None` if no known pipeline has that table.
pub fn pipeline_of(table: &'static Table) -> Option<&'static dyn AnyPipeline> {
    let mut known = pipelines().into_iter();
    known.find(|pipeline| std::ptr::eq(pipeline.table(), table))
}

/// A pipeline by its typed name: `memlens`, `openclaw` (the newest edition), `openclaw@2026.7.35`, `qmd`, `basic-memory@0.24`.
///
/// # Errors
/// [`EngineError::NoPipeline`].
pub fn pipeline(named: &str) -> Result<&'static dyn AnyPipeline, EngineError> {
    let unknown = |why: String| EngineError::NoPipeline {
        named: memlens_params::brief(named).into_owned(),
        why,
    };
    let (program, version) = match named.trim().split_once('@') {
        Some((program, version)) => (program, Some(version)),
        None => (named.trim(), None),
    };
    match (program, version) {
        (NATIVE_NAME, None) => Ok(&NATIVE),
        ("octopus", None) => Ok(&octopus::KNOWN_STEPS),
        ("openclaw", None) => Ok(Edition::V2026_8.pipeline()),
        ("openclaw", Some(version)) if Edition::is_before_known(version) => Err(unknown(
            "the search of OpenClaw is known from version 2026.2 on".to_owned(),
        )),
        ("openclaw", Some(version)) => {
            Edition::of(version).map(Edition::pipeline).ok_or_else(|| {
                unknown("a version of OpenClaw is written like openclaw@2026.9".to_owned())
            })
        }
        _ => of_one_version(program, version)
            .unwrap_or_else(|| {
                let known: Vec<&str> = pipelines().iter().map(|it| it.id().0).collect();
                let all = format!("name one of {}", known.join(", "));
                Err(with_closest(program, &known, all))
            })
            .map_err(unknown),
    }
}

/// The pipeline of a program with only one known version, by its name and any release of that version; `None` for others.
fn of_one_version(
    program: &str,
    version: Option<&str>,
) -> Option<Result<&'static dyn AnyPipeline, String>> {
    let (pipeline, own) = pipelines()
        .into_iter()
        .filter_map(|it| Some((it, it.id().0.split_once('@')?)))
        .find_map(|(it, (name, own))| (name == program).then_some((it, own)))?;
    let is_it = |version: &str| version == own || version.starts_with(&format!("{own}."));
    Some(if version.is_none_or(is_it) {
        Ok(pipeline)
    } else {
        Err(format!("of {program}, {own} is known: {program}@{own}"))
    })
}

#[cfg(test)]
mod tests {
    use super::{Ranking, pipeline, pipelines};

    #[test]
    fn pipelines_are_found_by_name() {
        for known in pipelines() {
            assert_eq!(pipeline(known.id().0).unwrap().id(), known.id());
        }
        let cases = [
            ("openclaw", "openclaw@2026.9"),
            ("openclaw@2026.7.35", "openclaw@2026.7"),
            ("openclaw@2026.2.13", "openclaw@2026.2"),
            (" memlens ", "memlens"),
            ("qmd", "qmd@2.8"),
            ("qmd@2.8.3", "qmd@2.8"),
            ("openviking@0.5.2", "openviking@0.5"),
            ("hindsight", "hindsight@1.1"),
            ("octopus", "octopus"),
            ("basic-memory", "basic-memory@0.24"),
            ("basic-memory@0.24.1", "basic-memory@0.24"),
        ];
        for (named, id) in cases {
            assert_eq!(pipeline(named).unwrap().id().0, id);
        }
        for named in [
            "",
            "openclaw@",
            "openclaw@latest",
            "openclaw@2025.12",
            "openclaw@2026.1.30",
            "memlens@1",
            "octopus@1",
            "qmd9",
            "qmd@2.80",
            "qmd@3",
            "basic-memory@0.2",
            &"x".repeat(100_000),
        ] {
            let refused = pipeline(named)
                .map(|it| it.id().0)
                .expect_err(named)
                .to_string();
            assert!(
                refused.starts_with("cannot rank as ") && refused.len() < 300,
                "{refused}"
            );
        }
    }

    #[test]
    fn values_of_another_pipeline_are_refused() {
        let given = |pipeline: &str, id: &str| {
            Ranking::given(&memlens_wire::Ranking {
                pipeline: pipeline.to_owned(),
                values: [(id.to_owned(), memlens_params::Value::Number(0.5))].into(),
            })
        };
        assert!(given("openclaw", "openclaw.min_score").is_ok());
        assert!(given("openclaw", "min_score").is_err());
        assert!(given("memlens", "openclaw.min_score").is_err());
        assert!(given("openclaw@2026.9", "openclaw.vector_weight").is_err());
        let view = given("openclaw", "openclaw.min_score").unwrap().to_view();
        assert_eq!(Ranking::given(&view).unwrap().to_view(), view);
    }
}
