//! Two rankings side by side: of one question, or over a query set that the user chooses.

use memlens_engine::view::{ChosenQueries, Comparison, Ranking as RankingArgument, SetComparison};
use memlens_engine::{EngineError, QueryFile, Ranking};
use tauri::{AppHandle, State};

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

/// Lets the user choose a query set; null if they cancel.
#[tauri::command]
#[specta::specta]
pub async fn choose_queries(
    app: AppHandle,
    shell: State<'_, Shell>,
) -> Answer<Option<ChosenQueries>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |_| {
        let Some(path) = dialogs.queries(&app) else {
            return Ok(None);
        };
        let file = QueryFile::read(&path)?.with_answers()?;
        dialogs.note_queries(path);
        Ok(Some(ChosenQueries {
            path: file.path.display().to_string(),
            n_queries: file.queries.len() as u32,
            left_out: file.left_out,
        }))
    })
    .await
}

/// Both rankings over the query set that was chosen last; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn compare_queries(
    shell: State<'_, Shell>,
    a: RankingArgument,
    b: RankingArgument,
) -> Answer<Option<SetComparison>> {
    let chosen = shell.dialogs.chosen_queries();
    work(&shell, move |engine| {
        let path = chosen.ok_or_else(|| EngineError::System {
            attempt: "compare over a query set",
            why: "none was chosen".to_owned(),
        })?;
        let file = QueryFile::read(&path)?.with_answers()?;
        let (a, b) = (Ranking::given(&a)?, Ranking::given(&b)?);
        let named = |ranking: &Ranking| ranking.pipeline.label();
        memlens_engine::compare_over(engine.library(), &file, (named(&a), &a), (named(&b), &b))
    })
    .await
}
