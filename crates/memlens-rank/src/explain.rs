//! Sentences and formulas for a reason, made from the numbers that decided.

use memlens_params::{AgreementMeasure, CorroborationBy, FusionMethod, StageId};

use crate::answers::RerankScale;
use crate::detail::{Detail, Effect, HookMove, OTHERS_MAX, RerankState, boost, marginal_relevance};
use crate::stages::fusion::positive;
use crate::stages::rerank::{LATE_FUSED_WEIGHT, LATE_MAX_SIM_WEIGHT};
use crate::stages::weights::{REACH, THUMBS_OF_NO_OPINION};
use crate::{DateSource, ListId};

/// Formats a number with `decimals` places and a true minus sign.
///
/// A value other than 1 never reads as 1.000: more places are added, up to nine, until it differs. A value that rounds
/// to 0 has no sign.
pub fn number(value: f64, decimals: usize) -> String {
    let mut text = format!("{value:.decimals$}");
    if value != 1.0 && text.trim_end_matches('0') == "1." {
        text = (decimals + 1..=9)
            .map(|places| format!("{value:.places$}"))
            .find(|longer| longer.trim_end_matches('0') != "1.")
            .unwrap_or(text);
    }
    if text.trim_matches(['-', '0', '.']).is_empty() {
        text = text.replace('-', "");
    }
    text.replace('-', "\u{2212}")
}

/// Formats a score with three places, or with as many more (up to nine) as it needs to read differently from `floor`.
fn below(score: f64, floor: f64) -> String {
    let reads_as_less = |places: &usize| {
        let rounded = |value: f64| format!("{value:.places$}");
        rounded(score) != rounded(floor)
    };
    let places = (3..=9).find(reads_as_less).unwrap_or(9);
    number(score, places)
}

/// Formats a share in `[0, 1]` as a whole percentage.
pub fn share(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// Formats a sum of thumbs: without decimals if it is a whole number, otherwise with three.
fn counted(thumbs: f64) -> String {
    number(thumbs, if thumbs.fract() == 0.0 { 0 } else { 3 })
}

/// Formats a factor of a formula, with four places.
fn times(value: f64) -> String {
    number(value, 4)
}

/// Formats a parameter, at least 0, with two places, or with as many as it needs up to nine.
fn setting(value: f64) -> String {
    // 1 - 0.9 is slightly less than 0.1.
    const ROUNDING: f64 = 1e-9;
    (2..9)
        .map(|places| number(value, places))
        .find(|text| {
            text.parse()
                .is_ok_and(|read: f64| (read - value).abs() < ROUNDING)
        })
        .unwrap_or_else(|| number(value, 9))
}

impl Detail {
    /// Returns one sentence: what the stage did to the row, and why.
    pub fn sentence(&self) -> String {
        let is_dropped = self.effect() == Effect::Drop;
        match self {
            Detail::Listed {
                list,
                rank,
                score,
                depth,
                ..
            } => {
                let (name, decimals) = match *list {
                    ListId::VECTOR => ("cosine", 3),
                    ListId::BM25 => ("BM25", 2),
                    ListId(_) => ("score", 3),
                };
                match (rank, score) {
                    (Some(rank), Some(score)) if rank <= depth => {
                        format!("rank {rank}, {name} {}", number(*score, decimals))
                    }
                    (Some(rank), Some(score)) => {
                        format!(
                            "rank {rank}, beyond depth {depth}, {name} {}",
                            number(*score, decimals)
                        )
                    }
                    (None, Some(score)) => {
                        format!("not in the list, {name} {}", number(*score, decimals))
                    }
                    (_, None) => match *list {
                        ListId::VECTOR => "no vector to compare".to_owned(),
                        ListId::BM25 => "none of the question's words".to_owned(),
                        ListId(_) => "not in the list".to_owned(),
                    },
                }
            }
            Detail::Fusion { .. } if is_dropped => {
                "in neither list, within their depths".to_owned()
            }
            Detail::Fusion {
                method,
                rrf,
                rrf_rank,
                ..
            } => {
                let rrf_rank = rrf_rank.map_or_else(String::new, |rank| format!(", rank {rank}"));
                let by_rrf = format!("by RRF {}{rrf_rank}", number(*rrf, 3));
                match (method, self.effect().score()) {
                    (FusionMethod::Rrf, _) | (_, None) => by_rrf,
                    (
                        FusionMethod::Calibrated | FusionMethod::Relative | FusionMethod::Weighted,
                        Some(fused),
                    ) => format!("{} {}; {by_rrf}", method.as_str(), number(fused, 3)),
                }
            }
            Detail::Rerank {
                base,
                rank,
                n_sent,
                state,
                raw,
                scale,
                threshold,
                ..
            } => match (state, raw, scale) {
                (RerankState::NotSent, _, _) => {
                    format!(
                        "not sent: rank {rank} > {n_sent} sent; fused {}",
                        number(*base, 3)
                    )
                }
                (RerankState::Scored, Some(raw), Some(scale)) => {
                    let raw_text = scale.text(*raw);
                    match threshold {
                        Some(threshold) if is_dropped => {
                            format!(
                                "below the rerank threshold: {raw_text} < {}",
                                number(*threshold, 2)
                            )
                        }
                        Some(_) | None => format!("{raw_text}; fused {}", number(*base, 3)),
                    }
                }
                (RerankState::Unscored, _, _) => {
                    let fused = number(*base, 3);
                    format!(
                        "sent, but the answer has no score for it; counts as not sent; fused {fused}"
                    )
                }
                (RerankState::Pending | RerankState::Scored, _, _) => {
                    format!("pending: sent, no score yet; fused {}", number(*base, 3))
                }
            },
            Detail::Hook(HookMove::Pending) => {
                "the command has not been asked about these rows yet".to_owned()
            }
            Detail::Hook(HookMove::Dropped { rank }) => {
                format!("dropped by the command, which got it as rank {rank}")
            }
            Detail::Hook(HookMove::Placed {
                rank,
                base,
                place,
                score,
            }) => {
                let placed = match place + 1 {
                    new if new == *rank => "kept in place".to_owned(),
                    new => format!("moved from rank {rank} to {new}"),
                };
                if score == base {
                    format!("{placed} by the command")
                } else {
                    format!("{placed} by the command, scored {}", number(*score, 3))
                }
            }
            Detail::Corroboration {
                gain,
                by,
                n_others,
                n_observations,
                n_agreed,
                measure,
                limit,
                said_by,
                ..
            } => {
                let how = clustering_text(*measure, *limit);
                if is_dropped {
                    return format!("already said by {} ({how})", ranks_text(said_by));
                }
                if *n_observations == 0 {
                    return "contains no observation".to_owned();
                }
                if *n_agreed == 0 {
                    return format!("no other observation says the same ({how})");
                }
                let who = match (by, n_others) {
                    (CorroborationBy::Members, 1) => "1 other observation says".to_owned(),
                    (CorroborationBy::Members, n) => format!("{n} other observations say"),
                    (CorroborationBy::Sources, 0) => "no other source says".to_owned(),
                    (CorroborationBy::Sources, 1) => "1 other source says".to_owned(),
                    (CorroborationBy::Sources, n) => format!("{n} other sources say"),
                };
                let counts = match (n_agreed, n_observations) {
                    (_, 1) => String::new(),
                    (agreed, all) => {
                        format!(
                            "; scored by its best-supported observation ({agreed} of {all} corroborated)"
                        )
                    }
                };
                let boost = number(boost(*gain, *n_others), 3);
                let capped = if *n_others > OTHERS_MAX {
                    format!(", {OTHERS_MAX} of them count")
                } else {
                    String::new()
                };
                format!("+{boost}: {who} the same{capped} ({how}){counts}")
            }
            Detail::Feedback {
                n_up: 0, n_down: 0, ..
            } => "no thumbs".to_owned(),
            Detail::Feedback {
                n_up,
                n_down,
                up,
                down,
                weight,
                ..
            } => {
                let counted = if (*up, *down) == (f64::from(*n_up), f64::from(*n_down)) {
                    String::new()
                } else {
                    format!(
                        ", counted as {} and {} by how close their questions are to this one",
                        counted(*up),
                        counted(*down)
                    )
                };
                format!(
                    "{n_up} up, {n_down} down{counted}: weight {}",
                    number(*weight, 3)
                )
            }
            Detail::Decay {
                is_evergreen: true, ..
            } => "evergreen, so it does not decay".to_owned(),
            Detail::Decay {
                days: Some(days),
                from,
                factor,
                ..
            } => {
                let by = match from {
                    Some(DateSource::Written) | None => "its own date",
                    Some(DateSource::FileName) => "the date in its path",
                    Some(DateSource::Modified) => "the file's last change",
                };
                // Rounded like the days, so that a row saved a minute ago reads 1.000.
                let days = number(*days, 0);
                let s = if days == "1" { "" } else { "s" };
                format!("{days} day{s} old by {by}: weight {factor:.3}")
            }
            Detail::Decay { days: None, .. } => "no date, so it does not decay".to_owned(),
            Detail::Diversity {
                is_compared: false, ..
            } => "beyond the rows compared; keeps its place".to_owned(),
            Detail::Diversity {
                nearest: Some(rank),
                cosine,
                ..
            } => format!(
                "most similar to rank {rank} above, cosine {}",
                number(*cosine, 3)
            ),
            Detail::Diversity { nearest: None, .. } => "first: the best score".to_owned(),
            Detail::Repeats {
                folded_under: Some(rank),
                ..
            } => format!("folded: its text is a copy of that of rank {rank}"),
            Detail::Repeats {
                share: shown,
                limit,
                shown_by,
                n_copies,
                ..
            } => {
                let said = match shown_by.as_slice() {
                    [] => "no better row shows its text".to_owned(),
                    ranks => {
                        let moved = if shown > limit {
                            "moved to the end: "
                        } else {
                            ""
                        };
                        format!(
                            "{moved}{} of its text is already shown by {}",
                            share(*shown),
                            ranks_text(ranks)
                        )
                    }
                };
                match n_copies {
                    0 => said,
                    1 => format!("{said}; 1 copy is folded under it"),
                    n => format!("{said}; {n} copies are folded under it"),
                }
            }
            Detail::Threshold {
                score,
                before_decay,
                min_score,
                min_of_best,
            } => {
                // Both are the same if decay did not act.
                let before = if before_decay == score {
                    ""
                } else {
                    " before decay"
                };
                let above_min = before_decay - min_score;
                let above_best = score - min_of_best;
                if before_decay < min_score {
                    format!(
                        "below min score: {}{before} < {}",
                        below(*before_decay, *min_score),
                        number(*min_score, 2)
                    )
                } else if is_dropped {
                    format!(
                        "too far below the best row: {} < {}",
                        below(*score, *min_of_best),
                        number(*min_of_best, 3)
                    )
                } else if *min_of_best > 0.0 && above_best < above_min {
                    format!(
                        "{} above {}",
                        number(above_best, 3),
                        number(*min_of_best, 3)
                    )
                } else {
                    format!(
                        "{} above {}{before}",
                        number(above_min, 3),
                        number(*min_score, 3)
                    )
                }
            }
            Detail::Limit { rank, max_results } => {
                let sign = if is_dropped { ">" } else { "≤" };
                format!("rank {rank} {sign} max results {max_results}")
            }
            Detail::Budget { tokens, left } => {
                if is_dropped {
                    format!("does not fit: {tokens} tokens, {left} left")
                } else {
                    format!("{tokens} of the {left} tokens left")
                }
            }
            Detail::Own(reason) => reason.get().sentence(),
        }
    }

    /// Returns why the row was dropped, or `None` if it was not.
    pub fn drop_reason(&self) -> Option<String> {
        (self.effect() == Effect::Drop).then(|| self.sentence())
    }

    /// Returns a remark to show on a kept row, or `None` if there is nothing unusual.
    pub fn remark(&self) -> Option<String> {
        match self {
            Detail::Repeats { share, limit, .. } if share > limit => Some(self.sentence()),
            Detail::Repeats { n_copies: 1, .. } => Some("and 1 copy".to_owned()),
            Detail::Repeats { n_copies, .. } if *n_copies > 1 => {
                Some(format!("and {n_copies} copies"))
            }
            Detail::Own(reason) => reason.get().remark(),
            Detail::Repeats { .. }
            | Detail::Listed { .. }
            | Detail::Fusion { .. }
            | Detail::Rerank { .. }
            | Detail::Hook(_)
            | Detail::Corroboration { .. }
            | Detail::Feedback { .. }
            | Detail::Decay { .. }
            | Detail::Diversity { .. }
            | Detail::Threshold { .. }
            | Detail::Limit { .. }
            | Detail::Budget { .. } => None,
        }
    }

    /// Returns what each list's stage adds to the fused score. The amounts sum to it. Empty unless this stage fuses
    /// lists.
    pub fn shares(&self) -> Vec<(StageId, f64)> {
        match self {
            Detail::Fusion {
                is_listed: true,
                vector,
                text,
                vector_weight,
                text_weight,
                divisor,
                ..
            } => vec![
                (StageId::VECTOR, vector_weight * vector / divisor),
                (StageId::BM25, text_weight * text / divisor),
            ],
            Detail::Own(reason) => reason.get().shares(),
            Detail::Fusion { .. }
            | Detail::Listed { .. }
            | Detail::Rerank { .. }
            | Detail::Hook(_)
            | Detail::Corroboration { .. }
            | Detail::Feedback { .. }
            | Detail::Decay { .. }
            | Detail::Diversity { .. }
            | Detail::Repeats { .. }
            | Detail::Threshold { .. }
            | Detail::Limit { .. }
            | Detail::Budget { .. } => Vec::new(),
        }
    }

    /// Returns the formulas that led to the number, with their values filled in, each with its result.
    pub fn formulas(&self) -> Vec<(String, f64)> {
        match self {
            Detail::Listed {
                list: ListId::VECTOR,
                score: Some(score),
                window: Some(window),
                whole: Some(whole),
                ..
            } => {
                vec![(
                    format!("(2 · {} + {}) / 3", times(*window), times(*whole)),
                    *score,
                )]
            }
            Detail::Listed {
                list: ListId::BM25,
                score: Some(score),
                n_matched,
                n_words,
                ..
            } => {
                vec![(format!("{n_matched} of {n_words} words"), *score)]
            }
            Detail::Fusion {
                is_listed: true,
                method,
                vector,
                text,
                vector_weight,
                text_weight,
                divisor,
                vector_rank,
                text_rank,
                k,
                bm25,
                bm25_ideal,
                rrf,
                ..
            } => {
                let sum = |vector: String, text: String, divisor: f64| {
                    let both = format!(
                        "{} · {vector} + {} · {text}",
                        setting(*vector_weight),
                        setting(*text_weight)
                    );
                    if divisor == 1.0 {
                        both
                    } else {
                        format!("({both}) / {}", setting(divisor))
                    }
                };
                let rank = |rank: &Option<u32>| {
                    rank.map_or("0".to_owned(), |rank| format!("{}/({k}+{rank})", k + 1))
                };
                // RRF is divided by the weights under every method.
                let weights = positive(vector_weight + text_weight);
                let by_rrf = sum(rank(vector_rank), rank(text_rank), weights);
                let Some(fused) = self.effect().score() else {
                    return Vec::new();
                };
                let mut lines = Vec::new();
                if *method == FusionMethod::Calibrated && *bm25 > 0.0 {
                    lines.push((
                        format!("text = {} / {}", number(*bm25, 2), number(*bm25_ideal, 2)),
                        *text,
                    ));
                }
                match method {
                    FusionMethod::Rrf => lines.push((by_rrf, fused)),
                    FusionMethod::Calibrated | FusionMethod::Relative | FusionMethod::Weighted => {
                        lines.push((sum(times(*vector), times(*text), *divisor), fused));
                        lines.push((format!("RRF: {by_rrf}"), *rrf));
                    }
                }
                lines
            }
            Detail::Rerank {
                base,
                raw: Some(raw),
                scale: Some(scale),
                value,
                late,
                share,
                ..
            } => {
                let of_value = match (scale, late) {
                    (RerankScale::MaxSim, Some(late)) => vec![
                        (
                            format!(
                                "mix = {LATE_FUSED_WEIGHT} · {} + {LATE_MAX_SIM_WEIGHT} · {}",
                                number(late.z_fused, 3),
                                number(late.z_max_sim, 3)
                            ),
                            late.mix,
                        ),
                        (
                            format!(
                                "late = mix {} on the span of fused scores",
                                number(late.mix, 3)
                            ),
                            *value,
                        ),
                    ],
                    (RerankScale::Logit, _) => {
                        let negative = number(-raw, 3);
                        vec![(format!("logistic = 1 / (1 + e^({negative}))"), *value)]
                    }
                    (RerankScale::Unit | RerankScale::MaxSim, _) => Vec::new(),
                };
                let blend = format!(
                    "{} · {} + {} · {}",
                    setting(1.0 - share),
                    times(*base),
                    setting(*share),
                    times(*value)
                );
                of_value.into_iter().chain(self.scored(blend)).collect()
            }
            Detail::Rerank { base, shift, .. } if *shift > 0.0 => self.scored(format!(
                "{} \u{2212} {}, below all reranked rows",
                times(*base),
                times(*shift)
            )),
            Detail::Corroboration {
                base,
                gain,
                n_others,
                observation: Some(_),
                said_by,
                ..
            } if said_by.is_empty() => {
                let expression = format!(
                    "{} + {} · log2(1 + {})",
                    times(*base),
                    setting(*gain),
                    n_others.min(&OTHERS_MAX)
                );
                self.scored(expression)
            }
            Detail::Feedback {
                base,
                up,
                down,
                strength,
                weight,
                ..
            } if up + down > 0.0 => {
                let (up, down) = (counted(*up), counted(*down));
                let of_thumbs = format!(
                    "weight = 1 + {} · {REACH} · ({up} \u{2212} {down}) / ({up} + {down} + {THUMBS_OF_NO_OPINION})",
                    setting(*strength)
                );
                let mut lines = vec![(of_thumbs, *weight)];
                lines.extend(self.scored(product(*base, *weight)));
                lines
            }
            Detail::Decay {
                base,
                days: Some(days),
                half_life_days,
                factor,
                ..
            } => {
                let of_age = format!(
                    "age = e^(\u{2212}ln 2 · {} / {half_life_days})",
                    number(*days, 1)
                );
                let mut lines = vec![(of_age, *factor)];
                lines.extend(self.scored(product(*base, *factor)));
                lines
            }
            Detail::Diversity {
                score,
                lambda,
                cosine,
                is_compared: true,
                ..
            } => {
                let expression = format!(
                    "{} · {} \u{2212} {} · {}",
                    setting(*lambda),
                    times(*score),
                    setting(1.0 - lambda),
                    times(*cosine)
                );
                vec![(expression, marginal_relevance(*lambda, *score, *cosine))]
            }
            Detail::Own(reason) => reason.get().formulas(),
            Detail::Listed { .. }
            | Detail::Fusion { .. }
            | Detail::Rerank { .. }
            | Detail::Hook(_)
            | Detail::Corroboration { .. }
            | Detail::Feedback { .. }
            | Detail::Decay { .. }
            | Detail::Diversity { .. }
            | Detail::Repeats { .. }
            | Detail::Threshold { .. }
            | Detail::Limit { .. }
            | Detail::Budget { .. } => Vec::new(),
        }
    }
}

impl Detail {
    /// Returns the formula with the score that it gives, or nothing if the reason gives no score.
    fn scored(&self, expression: String) -> Vec<(String, f64)> {
        self.effect()
            .score()
            .map_or_else(Vec::new, |score| vec![(expression, score)])
    }
}

/// Formats what `weighted` computes for the two numbers.
fn product(base: f64, weight: f64) -> String {
    if base >= 0.0 {
        format!("{} · {}", times(base), times(weight))
    } else {
        format!("{} · (2 \u{2212} {})", times(base), times(weight))
    }
}

impl RerankScale {
    /// Formats a raw score with the name of its scale.
    fn text(self, raw: f64) -> String {
        match self {
            RerankScale::Unit => format!("score {}", number(raw, 3)),
            RerankScale::Logit => format!("logit {}", number(raw, 2)),
            RerankScale::MaxSim => format!("MaxSim {}", number(raw, 3)),
        }
    }
}

fn clustering_text(measure: AgreementMeasure, limit: f64) -> String {
    match measure {
        AgreementMeasure::Simhash if limit == 1.0 => "SimHash within 1 bit".to_owned(),
        AgreementMeasure::Simhash => format!("SimHash within {} bits", number(limit, 0)),
        AgreementMeasure::Words => format!("word overlap of at least {}", share(limit)),
    }
}

fn ranks_text(ranks: &[u32]) -> String {
    match ranks {
        [] => String::new(),
        [rank] => format!("rank {rank}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(u32::to_string).collect();
            format!("ranks {} and {last}", first.join(", "))
        }
    }
}
