//! Ranks results that another program found: the other side of the hook, by which an agent lets Memlens rerank.
//!
//! Properties checked: every returned row was given; rows that the library does not know keep their order and come
//! last; the order of the others is that of a ranking of these rows alone.

use std::path::Path;

use memlens_params::{HookMode, Params, RerankMode};
use memlens_rank::ChunkId;
use memlens_rerank::hook::{Answer, AnswerRow, Event, EventRow};
use memlens_retrieve::Part;
use memlens_store::{ChunkRow, Snapshot};

use crate::notes::place::Place;
use crate::{EngineError, Library};

/// The answer to an event, with notices to the user.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenRanking {
    /// The remaining rows, best first.
    pub answer: Answer,
    /// What could not be done as these parameters ask, in whole sentences.
    pub notices: Vec<String>,
}

/// Ranks the rows of an event among themselves, as these parameters rank the chunks that they match.
///
/// A row matches the chunks of its note that share at least half of their lines with it, or half of its own; it
/// gets the score of the best one, and is dropped if the parameters drop all of them. Rows without a chunk in the
/// library keep their score and their order, and come last. The user's own hook command is not run, since this may
/// be it.
///
/// # Errors
/// As [`Library::search`] and [`Library::ask`].
pub fn rank_given(
    library: &Library,
    event: &Event,
    params: &Params,
) -> Result<GivenRanking, EngineError> {
    if event.query.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let params = &Params {
        hook: HookMode::Off,
        ..params.clone()
    };
    let lists = library.lists();
    let chunks: Vec<Vec<ChunkId>> = event
        .results
        .iter()
        .map(|row| chunks_of(&lists.snapshot, row))
        .collect();
    let searched: Vec<ChunkId> = chunks.iter().flatten().copied().collect();
    if searched.is_empty() {
        return Ok(GivenRanking {
            answer: unchanged(&event.results),
            notices: Vec::new(),
        });
    }
    let mut search = library.search_in(&event.query, params, Part::Chunks(searched))?;
    let mut notices = search.notices.clone();
    if params.rerank != RerankMode::Off && params.rerank_on {
        search = library.ask(search.id, params)?;
    }
    let columns = search.columns(params);
    notices.extend(columns.fallbacks());
    let kept = &columns.order[..columns.n_kept as usize];
    let mut ranked: Vec<(usize, f64, &EventRow)> = Vec::new();
    for (row, chunks) in event.results.iter().zip(&chunks) {
        let best = kept
            .iter()
            .position(|slot| chunks.contains(&search.chunk_id(*slot)));
        if let Some(rank) = best {
            let score = columns.score[kept[rank] as usize];
            ranked.push((rank, score.unwrap_or_default(), row));
        }
    }
    // Stable: rows of one chunk stay in the order given.
    ranked.sort_by_key(|(rank, _, _)| *rank);
    let known = ranked.into_iter().map(|(_, score, row)| AnswerRow {
        score: Some(score),
        ..AnswerRow::from(row.clone())
    });
    let unknown = event
        .results
        .iter()
        .zip(&chunks)
        .filter(|(_, chunks)| chunks.is_empty())
        .map(|(row, _)| AnswerRow::from(row.clone()));
    Ok(GivenRanking {
        answer: Answer {
            results: Some(known.chain(unknown).collect()),
        },
        notices,
    })
}

fn unchanged(rows: &[EventRow]) -> Answer {
    Answer {
        results: Some(rows.iter().cloned().map(AnswerRow::from).collect()),
    }
}

/// Chunks that match a row; empty if the library does not contain its note, or the note is ambiguous.
fn chunks_of(snapshot: &Snapshot, row: &EventRow) -> Vec<ChunkId> {
    let typed = row.path.trim_start_matches("./");
    let Ok(Some(place)) = Place::parse(snapshot, typed, None::<&Path>) else {
        return Vec::new();
    };
    let Some(at) = snapshot.find(place.folder, &place.path) else {
        return Vec::new();
    };
    let chunks = snapshot.documents[at].chunks.iter();
    chunks
        .filter(|chunk| shares_lines(chunk, row))
        .map(|chunk| ChunkId(chunk.id as u64))
        .collect()
}

/// Whether a chunk and a row share half of either one's lines.
fn shares_lines(chunk: &ChunkRow, row: &EventRow) -> bool {
    let (first, last) = (u64::from(chunk.start_line), u64::from(chunk.end_line));
    let n_shared = (last.min(row.end_line) + 1).saturating_sub(first.max(row.start_line));
    let n_chunk = last + 1 - first;
    let n_row = row
        .end_line
        .saturating_sub(row.start_line)
        .saturating_add(1);
    n_shared > 0 && n_shared.saturating_mul(2) >= n_chunk.min(n_row)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use memlens_embed::Hashing;
    use proptest::prelude::*;

    use memlens_params::ParameterSet as _;

    use super::*;
    use memlens_embed::EmbedderSource;
    use memlens_indexer::Indexer;

    /// A library with some notes.
    struct Given {
        _notes: tempfile::TempDir,
        _data: tempfile::TempDir,
        library: Library,
    }

    fn given(notes: &[(&str, &str)]) -> Given {
        let (dir, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (path, text) in notes {
            std::fs::write(dir.path().join(path), text).unwrap();
        }
        let (mut indexer, _) = Indexer::open(data.path(), Box::new(Hashing::default())).unwrap();
        let folder = indexer.add_folder(dir.path()).unwrap();
        let go_on = AtomicBool::new(false);
        indexer.scan(&folder, &go_on).unwrap();
        indexer.run(&go_on, &mut ()).unwrap();
        let source: EmbedderSource = Arc::new(|_| Ok(Box::new(Hashing::default())));
        Given {
            library: Library::open(data.path(), source).unwrap(),
            _notes: dir,
            _data: data,
        }
    }

    fn row(path: &str, lines: (u64, u64), score: f64) -> EventRow {
        EventRow {
            path: path.to_owned(),
            start_line: lines.0,
            end_line: lines.1,
            score,
            snippet: format!("snippet of {path}"),
            source: "memory".to_owned(),
        }
    }

    fn event(results: Vec<EventRow>) -> Event {
        Event {
            query: "where is the router".to_owned(),
            agent_id: "iris".to_owned(),
            results,
        }
    }

    fn paths(ranking: &GivenRanking) -> Vec<&str> {
        let rows = ranking.answer.results.as_ref().expect("it names every row");
        rows.iter().map(|row| row.path.as_str()).collect()
    }

    const NOTES: [(&str, &str); 3] = [
        ("router.md", "The router stands in the hall."),
        ("bread.md", "Bread rises in a warm kitchen."),
        ("hall.md", "The hall is where the coats hang."),
    ];

    #[test]
    fn known_rows_are_ranked_and_unknown_ones_come_last() {
        let given = given(&NOTES);
        let rows = vec![
            row("elsewhere.md", (1, 3), 0.9),
            row("bread.md", (1, 1), 0.8),
            row("gone.md", (1, 1), 0.7),
            row("./hall.md", (1, 2), 0.6),
            row("router.md", (1, 1), 0.1),
        ];
        let mut params = Params::default();
        params.assign("min_score", "0").unwrap();
        let ranking = rank_given(&given.library, &event(rows.clone()), &params).unwrap();
        let expected = [
            "router.md",
            "./hall.md",
            "bread.md",
            "elsewhere.md",
            "gone.md",
        ];
        assert_eq!(paths(&ranking), expected);
        let answered = ranking.answer.results.unwrap();
        let scores: Vec<f64> = answered.iter().map(|row| row.score.unwrap()).collect();
        assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
        assert_eq!(scores[3..], [0.9, 0.7]);
        assert_eq!(answered[0].snippet.as_deref(), Some("snippet of router.md"));
        assert_eq!(answered[0].source.as_deref(), Some("memory"));

        // Rows that the parameters drop are dropped, except rows that they do not judge.
        params.assign("max_results", "1").unwrap();
        let ranking = rank_given(&given.library, &event(rows), &params).unwrap();
        assert_eq!(paths(&ranking), ["router.md", "elsewhere.md", "gone.md"]);
    }

    #[test]
    fn rows_that_nobody_knows_stay_as_they_are() {
        let given = given(&NOTES);
        let rank = |rows| {
            let params = Params::default();
            rank_given(&given.library, &event(rows), &params)
                .unwrap()
                .answer
        };
        assert_eq!(
            rank(Vec::new()),
            Answer {
                results: Some(Vec::new())
            }
        );
        let rows = vec![
            row("b.md", (1, 1), 0.1),
            row("a.md", (0, u64::MAX), 0.9),
            // A known name, but not at these lines.
            row("router.md", (7, 3), 0.5),
            row("router.md", (u64::MAX, u64::MAX), 0.5),
            row("", (1, 1), 0.5),
            row("../router.md", (1, 1), 0.5),
        ];
        assert_eq!(rank(rows.clone()), unchanged(&rows));
    }

    #[test]
    fn a_row_stands_for_the_chunks_that_it_shares_most_lines_with() {
        let chunk = |first, last| ChunkRow {
            start_line: first,
            end_line: last,
            ..ChunkRow::default()
        };
        for ((first, last), lines, expected) in [
            ((1, 10), (1, 10), true),
            // An agent that counts one line more.
            ((1, 10), (1, 11), true),
            ((1, 10), (3, 4), true),
            ((1, 10), (10, 30), false),
            ((1, 10), (6, 30), true),
            ((20, 30), (1, 19), false),
            ((20, 30), (40, 50), false),
            ((20, 30), (0, u64::MAX), true),
            ((20, 30), (30, 20), false),
        ] {
            let row = row("a.md", lines, 0.0);
            let shares = shares_lines(&chunk(first, last), &row);
            assert_eq!(shares, expected, "{first}-{last} {lines:?}");
        }
    }

    #[test]
    fn nothing_is_invented_and_the_order_given_does_not_matter() {
        let given = given(&NOTES);
        let names = ["router.md", "bread.md", "hall.md", "unknown.md"];
        let config = ProptestConfig::with_cases(24);
        proptest!(config, |(picked in prop::collection::vec((0..4_usize, 1..3_u64), 0..8))| {
            let rows: Vec<EventRow> = picked.iter().map(|(at, end)| row(names[*at], (1, *end), 0.5)).collect();
            let params = Params::default();
            let answer = |rows: Vec<EventRow>| rank_given(&given.library, &event(rows), &params).unwrap();
            let first = answer(rows.clone());
            let mut left = rows.clone();
            for found in first.answer.results.as_ref().unwrap() {
                let at = left.iter().position(|row| row.path == found.path && row.end_line == found.end_line);
                left.swap_remove(at.expect("it was given, and no more often"));
            }
            let known = |ranking: &GivenRanking| -> Vec<String> {
                paths(ranking).into_iter().filter(|path| *path != "unknown.md").map(str::to_owned).collect()
            };
            let reversed = answer(rows.into_iter().rev().collect());
            prop_assert_eq!(known(&first), known(&reversed));
        });
    }
}
