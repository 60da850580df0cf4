//! Judged places in copies that are folded: Tune says how many count as not returned.

use std::sync::Arc;

use memlens_engine::acts;
use memlens_engine::tuning;
use memlens_engine::view::IfTaken;
use memlens_engine::{Engine, Metric, Ranking};
use memlens_params::Value;
use memlens_tests::{Notes, fresh, hashing};

use crate::tuning::{ours, wish, with};

#[test]
fn tune_counts_judged_places_in_folded_copies() {
    let text = "# Deploy key\n\nThe deploy key of the shop lives in the vault under shop/deploy.\n";
    let notes = Notes::new(&[
        ("key.md", text),
        ("key (copy).md", text),
        ("bees.md", "Bees are treated in December.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let engine = Engine::open(dir.path(), hashing(), Arc::new(|_| {})).expect("it can be opened");
    let library = engine.library();
    let lines = |path: &str| {
        format!(
            "{{\"id\":\"{path}\",\"query\":\"deploy key of the shop\",\"relevant\":[{{\"path\":\"{path}\",\"start_line\":3,\"end_line\":3}}]}}\n"
        )
    };
    notes.write(".queries.jsonl", lines("key.md") + &lines("key (copy).md"));
    let set = acts::import_query_set(&engine, &notes.at(".queries.jsonl"), None, IfTaken::Refuse);
    let set = set.expect("it can be imported").info.id;
    let notices = |ranking: Ranking| {
        let figures = tuning::measure_set(library, &wish(&set, &ranking), &ranking, Metric::Mrr10);
        let figures = figures.expect("it can be measured");
        figures.expect("nobody stopped it").notices
    };
    let said = "1 judged place is in a copy that is folded under a returned row, and counts as not returned; with copies=keep it has its own row";
    assert!(notices(ours()).iter().any(|it| it == said));
    let keeping = with("copies", Value::Choice("keep".to_owned()));
    assert!(notices(keeping).iter().all(|it| !it.contains("folded")));
}
