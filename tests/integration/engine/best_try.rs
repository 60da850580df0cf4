//! Auto-tune if nothing is surely better: the best try, its sentence, and what using it anyway is worth.

use memlens_engine::tuning;
use memlens_engine::view::TuneRequest;
use memlens_engine::{Metric, Ranking};
use memlens_params::Value;

use crate::tuning::{Here, ours, queries, request, wish, with};

/// A ranking that some questions are answered better by than by the default, and others worse.
fn noisy() -> Ranking {
    with("text_weight", Value::Number(0.2))
}

#[test]
fn the_best_try_is_the_best_place_of_the_curves_and_says_what_would_decide() {
    let here = Here::new();
    let library = here.engine.library();
    let set = here.import(&queries()).info.id;
    let parameters = vec!["vector_weight".to_owned(), "text_weight".to_owned()];
    let mut n_doubtful = 0;
    for ranking in [ours(), noisy()] {
        for metric in [
            Metric::Ndcg10,
            Metric::Mrr10,
            Metric::Hit1,
            Metric::Precision,
        ] {
            let request = TuneRequest {
                parameters: Some(parameters.clone()),
                metric,
                ..request(5)
            };
            let answer = tuning::auto_tune(library, &wish(&set, &ranking), &request)
                .expect("it can be")
                .expect("nobody stopped it");
            let curves = tuning::sensitivity(library, &wish(&set, &ranking), None, metric)
                .expect("it can be")
                .expect("nobody stopped it")
                .curves;
            let tried = |parameter: &str| parameters.iter().any(|it| it == parameter);
            let gains = curves
                .iter()
                .filter(|curve| tried(&curve.parameter))
                .map(|curve| curve.gain);
            let most = gains.fold(0.0, f64::max);
            let Some(best) = &answer.best_try else {
                assert!(answer.can_choose || most < 1e-6, "{most} {answer:?}");
                continue;
            };
            assert!(
                !answer.can_choose && best.difference.mean > 0.0,
                "{answer:?}"
            );
            if best.is_held_out {
                continue;
            }
            n_doubtful += 1;
            assert!(
                (best.difference.mean - most).abs() < 1e-9,
                "{most} {answer:?}"
            );
            assert_eq!(best.changed.len(), 1, "{answer:?}");
            let one = &best.changed[0];
            let begin = format!(
                "Nothing is surely better. Best try: {} {}, +",
                one.parameter, one.value
            );
            assert!(answer.sentence.starts_with(&begin), "{answer:?}");
            let n = best.n_more.expect("it can be said");
            let more = format!("; about {n} more judged queries would decide.");
            assert!(n >= 1.0 && answer.sentence.contains(&more), "{answer:?}");
            // Used anyway, it is worth what the sentence says.
            let found = Ranking::given(&best.ranking).expect("it is one");
            let figures = tuning::measure_set(library, &wish(&set, &found), &ranking, metric)
                .unwrap()
                .unwrap();
            let row = figures
                .rows
                .iter()
                .find(|row| row.metric == metric)
                .unwrap();
            assert_eq!(row.difference, Some(best.difference), "{answer:?}");
        }
    }
    assert!(n_doubtful > 0, "some try is better and may be chance");
}
