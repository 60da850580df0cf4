//! Two rankings side by side: of one question, or over a query set.

use memlens_engine::view::{Comparison, Ranking as RankingArgument, SetComparison};
use memlens_engine::{Ranking, tuning};
use tauri::State;

use super::{Answer, Shell, part, work};
use crate::events::ScopeArgument;

/// Two rankings of one question.
#[tauri::command]
#[specta::specta]
pub async fn compare(
    shell: State<'_, Shell>,
    query: String,
    a: RankingArgument,
    b: RankingArgument,
    scope: Option<ScopeArgument>,
) -> Answer<Comparison> {
    work(&shell, move |engine| {
        let library = engine.library();
        let (a, b) = (Ranking::given(&a)?, Ranking::given(&b)?);
        let part = part(library, scope)?;
        let search = |ranking: &Ranking| {
            engine.keep_aggregated(&ranking.values);
            let search = library.search_as(&query, ranking, part.clone())?;
            match ranking.params() {
                Some(params) => library.ask(search.id, &params),
                None => Ok(search),
            }
        };
        memlens_engine::compare((&*search(&a)?, &a), (&*search(&b)?, &b))
    })
    .await
}

/// Both rankings over a query set, by its id; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn compare_queries(
    shell: State<'_, Shell>,
    set: String,
    a: RankingArgument,
    b: RankingArgument,
) -> Answer<Option<SetComparison>> {
    work(&shell, move |engine| {
        let library = engine.library();
        let queries = tuning::load_set(library, &set)?.to_file(library)?;
        let queries = queries.with_answers()?;
        let (a, b) = (Ranking::given(&a)?, Ranking::given(&b)?);
        let named = |ranking: &Ranking| ranking.pipeline.label();
        let compared =
            memlens_engine::compare_over(library, &queries, (named(&a), &a), (named(&b), &b))?;
        Ok(compared.map(|mut compared| {
            compared.notices.splice(0..0, queries.left_out);
            compared
        }))
    })
    .await
}
