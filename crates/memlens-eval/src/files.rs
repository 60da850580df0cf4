//! Counts the notes that can be found: files that pass with at least three of their queries.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::queries::{Place, Query};

/// Minimum number of queries that must find a file.
const QUERIES_MIN: usize = 3;

/// The number of files that pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FilesPassing {
    /// Number of files found by at least three of the queries whose answer they hold.
    pub n_passing: usize,
    /// Number of files that hold the answer of at least three queries.
    pub n_files: usize,
}

/// Counts the files that are among the results of at least three of the queries that they answer. Files that answer
/// fewer are not counted.
pub fn files_passing<'a>(runs: impl IntoIterator<Item = (&'a Query, &'a [Place])>) -> FilesPassing {
    // Per file: number of queries that it answers, and number of those that found it.
    let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (query, returned) in runs {
        let gold = query.gold().unwrap_or_default().iter();
        let gold: BTreeSet<&str> = gold.map(|place| place.path.as_str()).collect();
        for path in gold {
            let (n_queries, n_found) = files.entry(path).or_default();
            *n_queries += 1;
            *n_found += usize::from(returned.iter().any(|place| place.path == path));
        }
    }
    let asked: Vec<(usize, usize)> = files
        .into_values()
        .filter(|(n_queries, _)| *n_queries >= QUERIES_MIN)
        .collect();
    FilesPassing {
        n_passing: asked
            .iter()
            .filter(|(_, n_found)| *n_found >= QUERIES_MIN)
            .count(),
        n_files: asked.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FilesPassing, files_passing};
    use crate::queries::{Place, QuerySet};

    #[test]
    fn a_file_passes_with_three_of_its_queries() {
        let line = |id: u32, path: &str| {
            format!(
                r#"{{"id":"{id}","query":"x","relevant":[{{"path":"{path}","start_line":1,"end_line":1}}]}}"#
            )
        };
        let lines: Vec<String> = (0..4)
            .map(|id| line(id, "a"))
            .chain((4..7).map(|id| line(id, "b")))
            .chain([line(7, "c")])
            .collect();
        let set = QuerySet::parse(lines.join("\n").as_bytes());
        let found = [Place::new("a", 9, 9), Place::new("c", 1, 1)];
        let runs = set.queries.iter().map(|query| {
            (
                query,
                if query.id == "0" {
                    &found[1..]
                } else {
                    &found[..]
                },
            )
        });
        assert_eq!(
            files_passing(runs),
            FilesPassing {
                n_passing: 1,
                n_files: 2
            }
        );
    }
}
