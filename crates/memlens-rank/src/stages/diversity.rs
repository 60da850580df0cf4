//! Stage 8: moves rows up that differ from those above them.
//!
//! Maximal marginal relevance; reorders, never rescores. Source: Carbonell and Goldstein, SIGIR 1998.

use crate::detail::{Detail, marginal_relevance};
use crate::pipeline::{Context, Outcome, Row};
use crate::stages::SWITCHED_OFF;

/// Number of rows compared per result that may be kept; the rows after them keep their order.
const COMPARED_PER_RESULT: usize = 3;

/// Repeatedly takes the row with the greatest `lambda * score - (1 - lambda) * cosine to the nearest row taken`. Ties
/// keep the order before the stage.
pub fn diversity(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let lambda = context.params.mmr_lambda;
    if !context.params.diversity_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if lambda >= 1.0 {
        return Outcome::skipped("off: λ 1");
    }
    let Some(directions) = &context.set.directions else {
        return Outcome::skipped("no vectors to compare");
    };
    let n_compared = rows
        .len()
        .min(context.params.max_results as usize * COMPARED_PER_RESULT);
    if n_compared < 2 {
        return Outcome::skipped("fewer than two rows");
    }
    let compared = directions.compared(
        rows[..n_compared]
            .iter()
            .map(|row| context.set.candidates[row.slot as usize].direction),
    );
    let score = |at: usize| rows[at].score.unwrap_or(0.0);

    let mut details: Vec<Option<Detail>> = vec![None; n_compared];
    // Remaining positions in their order, each with the cosine to the nearest row taken and that row's place.
    let mut left: Vec<(usize, f64, Option<u32>)> =
        (0..n_compared).map(|at| (at, 0.0, None)).collect();
    for place in 0..n_compared as u32 {
        let value = |&(at, cosine, _): &(usize, f64, Option<u32>)| {
            marginal_relevance(lambda, score(at), cosine)
        };
        let (best, _) = left
            .iter()
            .enumerate()
            .reduce(|best, next| {
                if value(next.1) > value(best.1) {
                    next
                } else {
                    best
                }
            })
            .expect("as many are left as places");
        let (taken, cosine, nearest) = left.remove(best);
        details[taken] = Some(Detail::Diversity {
            score: score(taken),
            lambda,
            cosine,
            nearest: nearest.map(|place| place + 1),
            is_compared: true,
            place,
        });
        for (at, cosine, nearest) in &mut left {
            let to_taken = compared.cosine(*at, taken);
            if nearest.is_none() || to_taken > *cosine {
                (*cosine, *nearest) = (to_taken, Some(place));
            }
        }
    }
    let n_moved = (0..)
        .zip(&details)
        .filter(
            |(at, detail)| matches!(detail, Some(Detail::Diversity { place, .. }) if place != at),
        )
        .count();
    let below = (n_compared..rows.len()).map(|at| Detail::Diversity {
        score: score(at),
        lambda,
        cosine: 0.0,
        nearest: None,
        is_compared: false,
        place: at as u32,
    });
    Outcome {
        note: Some(format!("{n_moved} moved")),
        ..Outcome::applied(details.into_iter().flatten().chain(below).collect())
    }
}
