//! The parameter table of Memlens, and the files that are generated from it.
//!
//! A parameter is one line in [`table`]: id, stage, phase, kind, unit, range, step, default and a sentence. The struct
//! [`Params`], its TypeScript type, the sliders, `--set id=value`, the JSON schema and the parameter reference all come
//! from that line. Another pipeline defines its own [`Table`] with [`parameters!`]; [`ParameterSet`] is common to the
//! values of all tables.
//!
//! This crate does not know files, clocks, search or windows.
//!
//! ```
//! use memlens_params::{ParameterSet, Params};
//!
//! let mut params = Params::default();
//! params.assign("min_score", "0.25")?;
//! assert_eq!(params.min_score, 0.25);
//!
//! let refused = params.assign("min_score", "7").unwrap_err();
//! assert_eq!(refused.to_string(), "cannot set min_score to 7: the range is 0 to 1");
//! # Ok::<(), memlens_params::ParamError>(())
//! ```

mod error;
pub mod make;
mod parameter;
pub mod print;
mod set;
mod stage;
mod table;

pub use error::{ParamError, brief};
pub use parameter::{Needs, Parameter, ParameterKind, Phase, Value};
pub use set::{ParameterSet, Table, TypedSet, Values};
pub use stage::{StageId, StageInfo, stages};
pub use table::{
    AgreementMeasure, Bm25Join, Copies, CorroborationBy, FusionMethod, HookMode, NearDuplicates,
    Params, RerankMode, VectorUnit, parameter, table,
};
