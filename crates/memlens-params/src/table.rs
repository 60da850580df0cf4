//! The table itself: every parameter on one line, and the struct that it makes.

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{Needs, ParamError, Parameter, ParameterKind, Phase, StageId, Value};

/// Makes an enum whose variants are words, in files and on screen alike.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// Every word, in the order in which they are offered.
            pub const OPTIONS: &'static [&'static str] = &[$($word),+];

            /// Returns the choice as its word.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

choice! {
    /// What the vector list compares with the question.
    VectorUnit {
        /// `(2 * best window + whole chunk) / 3`.
        Windows = "windows",
        /// The whole chunk's vector alone.
        Chunk = "chunk",
    }
}
choice! {
    /// Which chunks the BM25 list holds.
    Bm25Join {
        /// Any word of the question.
        Or = "or",
        /// Every word of the question.
        And = "and",
    }
}
choice! {
    /// How two lists become one score.
    FusionMethod {
        /// Weighted sum of cosine and of BM25 divided by its ideal.
        Calibrated = "calibrated",
        /// Reciprocal rank fusion, normalised.
        Rrf = "rrf",
        /// Weighted sum of min-max scores.
        Relative = "relative",
        /// Weighted sum of cosine and b/(1+b), undivided.
        Weighted = "weighted",
    }
}
choice! {
    /// Which model reranks.
    RerankMode {
        /// None.
        Off = "off",
        /// Late interaction over the bundled model.
        Late = "late",
        /// A cross-encoder on this machine.
        Model = "model",
        /// A provider over HTTP.
        Http = "http",
    }
}
choice! {
    /// What corroborates.
    CorroborationBy {
        /// Every observation that says the same.
        Members = "members",
        /// Every other source that says the same.
        Sources = "sources",
    }
}
choice! {
    /// By what two observations say the same.
    AgreementMeasure {
        /// Differing bits of their SimHashes.
        Simhash = "simhash",
        /// Their share of common words.
        Words = "words",
    }
}
choice! {
    /// What happens to near-duplicates of a better row.
    NearDuplicates {
        /// They stay.
        Keep = "keep",
        /// They are dropped.
        Collapse = "collapse",
    }
}
choice! {
    /// Whether the person's own command runs.
    HookMode {
        /// It does not.
        Off = "off",
        /// It does.
        On = "on",
    }
}

/// Turns a field into a [`Value`] and back; implemented for the types that a field may have.
trait Field: Sized {
    fn to_value(&self) -> Value;
    /// `value` has passed [`Parameter::check`], so the conversion cannot fail.
    fn from_value(value: &Value) -> Option<Self>;
}

impl Field for bool {
    fn to_value(&self) -> Value {
        Value::Toggle(*self)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Toggle(on) = value {
            Some(*on)
        } else {
            None
        }
    }
}

impl Field for u32 {
    fn to_value(&self) -> Value {
        Value::Number(f64::from(*self))
    }
    fn from_value(value: &Value) -> Option<Self> {
        // Whole and within the range of the table, which lies within u32.
        if let Value::Number(number) = value {
            Some(*number as u32)
        } else {
            None
        }
    }
}

impl Field for f64 {
    fn to_value(&self) -> Value {
        Value::Number(*self)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Number(number) = value {
            Some(*number)
        } else {
            None
        }
    }
}

impl Field for Option<f64> {
    fn to_value(&self) -> Value {
        self.map_or(Value::Unset, Value::Number)
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(Some(*number)),
            Value::Unset => Some(None),
            Value::Toggle(_) | Value::Choice(_) => None,
        }
    }
}

macro_rules! word_field {
    ($($name:ident)+) => {$(
        impl Field for $name {
            fn to_value(&self) -> Value { Value::Choice(self.as_str().to_owned()) }
            fn from_value(value: &Value) -> Option<Self> {
                if let Value::Choice(word) = value { Self::from_word(word) } else { None }
            }
        }
    )+};
}
word_field!(VectorUnit Bm25Join FusionMethod RerankMode CorroborationBy AgreementMeasure NearDuplicates HookMode);

const fn number(min: f64, max: f64, step: f64) -> ParameterKind {
    ParameterKind::Number {
        min,
        max,
        step,
        integer: false,
        off: None,
        optional: false,
        log: false,
    }
}

const fn whole(min: u32, max: u32, step: u32) -> ParameterKind {
    ParameterKind::Number {
        min: min as f64,
        max: max as f64,
        step: step as f64,
        integer: true,
        off: None,
        optional: false,
        log: false,
    }
}

/// Marks the value that switches off what the parameter governs.
const fn off_at(kind: ParameterKind, value: f64) -> ParameterKind {
    match kind {
        ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off: _,
            optional,
            log,
        } => ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off: Some(value),
            optional,
            log,
        },
        ParameterKind::Choice { .. } | ParameterKind::Toggle => kind,
    }
}

const fn optional(kind: ParameterKind) -> ParameterKind {
    match kind {
        ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off,
            optional: _,
            log,
        } => ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off,
            optional: true,
            log,
        },
        ParameterKind::Choice { .. } | ParameterKind::Toggle => kind,
    }
}

/// Gives small values more room on the slider.
const fn log(kind: ParameterKind) -> ParameterKind {
    match kind {
        ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off,
            optional,
            log: _,
        } => ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off,
            optional,
            log: true,
        },
        ParameterKind::Choice { .. } | ParameterKind::Toggle => kind,
    }
}

const fn needs(parameter: &'static str, one_of: &'static [&'static str]) -> Option<Needs> {
    Some(Needs { parameter, one_of })
}

macro_rules! parameters {
    ($($id:ident: $type:ty = $default:expr, $stage:expr, $phase:ident, $label:literal, $unit:expr, $kind:expr, $needs:expr, $sentence:literal;)+) => {
        /// Holds a value for every parameter of the table.
        ///
        /// Every value lies in its range when it was set by [`Params::assign`], [`Params::set`] or
        /// read by [`Params::from_map`]; [`Params::check`] tells for values that came otherwise.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
        #[serde(deny_unknown_fields)]
        pub struct Params {
            $(#[doc = $sentence] pub $id: $type,)+
        }

        impl Default for Params {
            fn default() -> Self {
                Params { $($id: $default,)+ }
            }
        }

        /// Returns every parameter, in the order of the pipeline.
        pub fn table() -> Vec<Parameter> {
            let defaults = Params::default();
            vec![$(Parameter {
                id: stringify!($id),
                stage: $stage,
                phase: Phase::$phase,
                label: $label,
                unit: $unit,
                kind: $kind,
                default: defaults.$id.to_value(),
                sentence: $sentence,
                needs: $needs,
            },)+]
        }

        impl Params {
            /// Returns the value of a parameter, or none when the table has no such id.
            pub fn get(&self, id: &str) -> Option<Value> {
                match id { $(stringify!($id) => Some(self.$id.to_value()),)+ _ => None }
            }

            /// Stores a checked value; an unknown id or a value of another kind changes nothing.
            fn store(&mut self, id: &str, value: &Value) {
                match id {
                    $(stringify!($id) => if let Some(value) = Field::from_value(value) { self.$id = value; },)+
                    _ => {}
                }
            }
        }
    };
}

const V: Option<StageId> = Some(StageId::Vector);
const B: Option<StageId> = Some(StageId::Bm25);
const F: Option<StageId> = Some(StageId::Fusion);
const RR: Option<StageId> = Some(StageId::Rerank);
const CO: Option<StageId> = Some(StageId::Corroboration);
const FB: Option<StageId> = Some(StageId::Feedback);
const DE: Option<StageId> = Some(StageId::Decay);
const DI: Option<StageId> = Some(StageId::Diversity);
const RP: Option<StageId> = Some(StageId::Repeats);
const TH: Option<StageId> = Some(StageId::Threshold);
const LI: Option<StageId> = Some(StageId::Limit);
const HO: Option<StageId> = Some(StageId::Hook);
const BU: Option<StageId> = Some(StageId::Budget);
const CHUNKS: Option<&str> = Some("chunks");
const CHARS: Option<&str> = Some("characters");

#[rustfmt::skip]
parameters! {
    vector_on: bool = true, V, Rank, "Vector", None, ParameterKind::Toggle, None, "Uses the vector list.";
    vector_depth: u32 = 50, V, Rank, "Depth", CHUNKS, log(whole(1, 1000, 1)), None, "How many of the nearest chunks by meaning go on to fusion.";
    vector_unit: VectorUnit = VectorUnit::Windows, V, Retrieve, "Compare by", None, ParameterKind::Choice { options: VectorUnit::OPTIONS }, None, "Compares the question with the best window of a chunk and the chunk, or with the whole chunk alone.";
    bm25_on: bool = true, B, Rank, "BM25", None, ParameterKind::Toggle, None, "Uses the BM25 list.";
    bm25_depth: u32 = 50, B, Rank, "Depth", CHUNKS, log(whole(1, 1000, 1)), None, "How many of the best chunks by words go on to fusion.";
    bm25_join: Bm25Join = Bm25Join::Or, B, Retrieve, "Join words by", None, ParameterKind::Choice { options: Bm25Join::OPTIONS }, None, "Whether a chunk must hold any word of the question or every one; and shows what an agent that joins by AND does to natural questions.";
    fusion_on: bool = true, F, Rank, "Fusion", None, ParameterKind::Toggle, None, "Makes one score from both lists; off: the vector list alone ranks, or BM25 where that is off.";
    fusion: FusionMethod = FusionMethod::Calibrated, F, Rank, "Method", None, ParameterKind::Choice { options: FusionMethod::OPTIONS }, None, "How the two lists become one score; calibrated leans on meaning where the memory does not know the words.";
    fusion_k: u32 = 60, F, Rank, "k", None, whole(1, 200, 1), needs("fusion", &["rrf"]), "The constant of reciprocal rank fusion: small favours first places, large evens out.";
    vector_weight: f64 = 0.6, F, Rank, "Vector weight", None, number(0.0, 1.0, 0.01), None, "How much the vector list counts.";
    text_weight: f64 = 0.4, F, Rank, "Text weight", None, number(0.0, 1.0, 0.01), None, "How much the BM25 list counts.";
    rerank_on: bool = true, RR, Rank, "Rerank", None, ParameterKind::Toggle, None, "Uses the reranker that is chosen.";
    rerank: RerankMode = RerankMode::Off, RR, Outside, "Provider", None, ParameterKind::Choice { options: RerankMode::OPTIONS }, None, "Which model reads question and chunk together.";
    rerank_max_docs: u32 = 20, RR, Outside, "Max docs", CHUNKS, off_at(whole(0, 200, 1), 0.0), None, "How many of the best fused rows are sent to the reranker; 0 sends three times as many as max results.";
    rerank_max_chars: u32 = 500, RR, Outside, "Max chars", CHARS, off_at(whole(0, 8000, 50), 0.0), None, "How much of each text a model or provider reads; 0 for all of it. Late interaction reads all of it.";
    rerank_threshold: Option<f64> = None, RR, Rank, "Drop below", None, optional(number(-20.0, 20.0, 0.01)), None, "Drops reranked rows below this score, on the reranker's own scale.";
    rerank_share: f64 = 1.0, RR, Rank, "Share", None, number(0.0, 1.0, 0.01), None, "0 keeps the fused order, 1 follows the reranker alone.";
    rerank_timeout_ms: u32 = 10_000, RR, Outside, "Timeout", Some("ms"), whole(100, 60_000, 100), None, "How long the reranker may take before the fused order stands.";
    corroboration_on: bool = false, CO, Rank, "Corroboration", None, ParameterKind::Toggle, None, "Boosts what several observations say.";
    corroboration_gain: f64 = 0.1, CO, Rank, "Gain", None, number(0.0, 0.5, 0.01), None, "Added per doubling of the observations that say the same.";
    corroboration_by: CorroborationBy = CorroborationBy::Members, CO, Rank, "Counted by", None, ParameterKind::Choice { options: CorroborationBy::OPTIONS }, None, "Counts every observation that says the same, or every other source.";
    near_duplicates: NearDuplicates = NearDuplicates::Keep, CO, Rank, "Near-duplicates", None, ParameterKind::Choice { options: NearDuplicates::OPTIONS }, None, "Keeps near-duplicates of a better row, or drops them.";
    agreement_measure: AgreementMeasure = AgreementMeasure::Simhash, CO, Rank, "Same by", None, ParameterKind::Choice { options: AgreementMeasure::OPTIONS }, None, "Whether two observations say the same by SimHash, which is blind for short texts, or by their share of common words.";
    simhash_distance: u32 = 3, CO, Rank, "Distance", Some("bits of 64"), whole(0, 7, 1), needs("agreement_measure", &["simhash"]), "Up to how many differing SimHash bits two observations count as the same, where SimHash decides.";
    word_overlap: f64 = 0.6, CO, Rank, "Word overlap", None, number(0.5, 1.0, 0.01), needs("agreement_measure", &["words"]), "From which share of common words on two observations count as the same, where words decide.";
    feedback_on: bool = true, FB, Rank, "Feedback", None, ParameterKind::Toggle, None, "Weighs rows by past thumbs.";
    feedback_strength: f64 = 1.0, FB, Rank, "Strength", None, number(0.0, 2.0, 0.05), None, "How much past thumbs weigh.";
    decay_on: bool = true, DE, Rank, "Decay", None, ParameterKind::Toggle, None, "Lets older notes count less.";
    half_life_days: f64 = 0.0, DE, Rank, "Half-life", Some("days"), off_at(number(0.0, 365.0, 1.0), 0.0), None, "After how many days a note counts half; 0 switches it off.";
    diversity_on: bool = true, DI, Rank, "Diversity", None, ParameterKind::Toggle, None, "Prefers rows unlike those above.";
    mmr_lambda: f64 = 1.0, DI, Rank, "λ", None, off_at(number(0.0, 1.0, 0.01), 1.0), None, "1 ranks by score alone, 0 by difference from the rows above alone.";
    repeats_on: bool = true, RP, Rank, "Repeats", None, ParameterKind::Toggle, None, "Sends repeated text to the back.";
    repeat_share: f64 = 0.5, RP, Rank, "Share", None, off_at(number(0.0, 1.0, 0.01), 1.0), None, "A chunk of whose text more than this share stands in better rows goes to the back; 1 switches it off.";
    threshold_on: bool = true, TH, Rank, "Threshold", None, ParameterKind::Toggle, None, "Leaves out what scores too low.";
    min_score: f64 = 0.10, TH, Rank, "Min score", None, number(0.0, 1.0, 0.01), None, "Rows with a lower final score are left out.";
    min_score_of_best: f64 = 0.0, TH, Rank, "Of the best", None, off_at(number(0.0, 1.0, 0.01), 0.0), None, "Rows below this share of the best row's score are left out; 0 switches it off.";
    limit_on: bool = true, LI, Rank, "Limit", None, ParameterKind::Toggle, None, "Limits the number of results.";
    max_results: u32 = 10, LI, Rank, "Max results", Some("rows"), whole(1, 100, 1), None, "How many rows are kept at most.";
    hook_on: bool = true, HO, Rank, "Hook", None, ParameterKind::Toggle, None, "Runs the person's own command.";
    hook: HookMode = HookMode::Off, HO, Outside, "Command", None, ParameterKind::Choice { options: HookMode::OPTIONS }, None, "Whether the command named in the settings may reorder the results.";
    hook_timeout_ms: u32 = 5000, HO, Outside, "Timeout", Some("ms"), whole(100, 60_000, 100), None, "How long the command may take before its answer is given up.";
    budget_on: bool = true, BU, Rank, "Budget", None, ParameterKind::Toggle, None, "Limits the tokens of all results together.";
    budget_tokens: u32 = 0, BU, Rank, "Tokens", Some("tokens"), off_at(whole(0, 32_000, 50), 0.0), None, "How many tokens the results may have together; 0 switches it off.";
    chunk_chars: u32 = 1600, None, Index, "Chunk length", CHARS, whole(200, 8000, 50), None, "How long a chunk may be.";
    chunk_overlap_chars: u32 = 320, None, Index, "Chunk overlap", CHARS, off_at(whole(0, 4000, 10), 0.0), None, "How much of the end of a chunk the next one repeats.";
    window_chars: u32 = 400, None, Index, "Window length", CHARS, whole(100, 2000, 50), None, "How long the pieces are that are embedded beside the whole chunk.";
    aggregation_interval_s: u32 = 60, None, Index, "Aggregate every", Some("s"), whole(5, 3600, 5), None, "How often clusters are formed anew when something changed.";
}

/// Returns the line of the table with this id.
///
/// # Errors
/// [`ParamError::Unknown`], with the closest id when one is close.
pub fn parameter(id: &str) -> Result<Parameter, ParamError> {
    let mut table = table();
    match table.iter().position(|parameter| parameter.id == id) {
        Some(at) => Ok(table.swap_remove(at)),
        None => Err(ParamError::Unknown {
            id: id.to_owned(),
            nearest: table
                .iter()
                .map(|parameter| (strsim::damerau_levenshtein(parameter.id, id), parameter.id))
                .min()
                .filter(|(distance, nearest)| *distance * 3 <= nearest.len())
                .map(|(_, nearest)| nearest.to_owned()),
        }),
    }
}

impl Params {
    /// Sets one parameter to a value as typed on a command line.
    ///
    /// # Errors
    /// As [`Parameter::parse`] and [`Params::set`]; the parameters are unchanged then.
    pub fn assign(&mut self, id: &str, text: &str) -> Result<(), ParamError> {
        let value = parameter(id)?.parse(text)?;
        self.set(id, value)
    }

    /// Sets several parameters from `id=value` arguments, in order.
    ///
    /// The rules that join parameters (weights, overlap) are checked once at the end, so that
    /// `vector_weight=0 text_weight=1` may be given in either order.
    ///
    /// # Errors
    /// The first refusal; the parameters are unchanged then.
    pub fn assign_all<'a>(
        &mut self,
        settings: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ParamError> {
        let mut next = self.clone();
        for setting in settings {
            let (id, text) = setting
                .split_once('=')
                .ok_or_else(|| ParamError::NotASetting {
                    given: setting.to_owned(),
                })?;
            let parameter = parameter(id.trim())?;
            next.store(parameter.id, &parameter.parse(text)?);
        }
        *self = next.check()?;
        Ok(())
    }

    /// Sets one parameter.
    ///
    /// # Errors
    /// As [`Parameter::check`] and [`Params::check`]; the parameters are unchanged then.
    pub fn set(&mut self, id: &str, value: Value) -> Result<(), ParamError> {
        let value = parameter(id)?.check(value)?;
        let mut next = self.clone();
        next.store(id, &value);
        *self = next.check()?;
        Ok(())
    }

    /// Returns the parameters when every value lies in its range and the rules that join them hold.
    ///
    /// # Errors
    /// [`ParamError::NoWeight`] for two weights of 0, [`ParamError::Overlap`] for an overlap above
    /// half of the chunk, and as [`Parameter::check`].
    pub fn check(self) -> Result<Params, ParamError> {
        for parameter in table() {
            if let Some(value) = self.get(parameter.id) {
                parameter.check(value)?;
            }
        }
        if self.vector_weight == 0.0 && self.text_weight == 0.0 {
            return Err(ParamError::NoWeight);
        }
        if self.chunk_overlap_chars * 2 > self.chunk_chars {
            return Err(ParamError::Overlap {
                overlap: self.chunk_overlap_chars,
                chunk: self.chunk_chars,
            });
        }
        Ok(self)
    }

    /// Returns the parameters that differ from their default, in the order of the table.
    pub fn changed(&self) -> Vec<(&'static str, Value)> {
        table()
            .into_iter()
            .filter_map(|parameter| {
                let value = self.get(parameter.id)?;
                (value != parameter.default).then_some((parameter.id, value))
            })
            .collect()
    }

    /// Returns the defaults with these values set.
    ///
    /// # Errors
    /// The first unknown id or refused value.
    pub fn from_map<'a>(
        values: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Params, ParamError> {
        let mut params = Params::default();
        for (id, value) in values {
            let value = parameter(id)?.check(value)?;
            params.store(id, &value);
        }
        params.check()
    }

    /// Tells whether `other` needs the lists of `self` to be asked again.
    pub fn retrieves_as(&self, other: &Params) -> bool {
        self.vector_unit == other.vector_unit && self.bm25_join == other.bm25_join
    }
}
