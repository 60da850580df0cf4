//! Past questions as a query set for other programs and for tuning.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use memlens_agents::PastQuestion;
use memlens_eval::Place;
use serde::Serialize;

use super::{Judged, Past, PastFilter, Places};
use crate::{EngineError, Library};

/// A line of a query set. Without judgments it has no `relevant`: an empty one would mean that nothing should be found.
#[derive(Serialize)]
struct Line<'a> {
    id: String,
    query: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relevant: Vec<Place>,
    category: &'a str,
}

impl Library {
    /// Past questions as `queries.jsonl`, the oldest first, each once. What an agent opened or cited after a question is
    /// relevant, where the note has not changed since; paths are relative to `base` where the notes lie in it, else absolute.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn past_queries(&self, filter: &PastFilter, base: &Path) -> Result<String, EngineError> {
        let mut past = self.past(filter)?;
        past.reverse();
        let places = Places::of(self.lists());
        let mut lines: Vec<Line<'_>> = Vec::new();
        let mut known: HashMap<(&str, &str), usize> = HashMap::new();
        for Past { id, asked } in &past {
            let relevant = self.relevant(asked, &places, base);
            match known.entry((&asked.question, &asked.agent)) {
                Entry::Occupied(at) => {
                    let line = &mut lines[*at.get()];
                    let new = relevant
                        .into_iter()
                        .filter(|it| !line.relevant.contains(it));
                    let new: Vec<Place> = new.collect();
                    line.relevant.extend(new);
                }
                Entry::Vacant(new) => {
                    new.insert(lines.len());
                    lines.push(Line {
                        id: format!("past-{id}"),
                        query: &asked.question,
                        relevant,
                        category: &asked.agent,
                    });
                }
            }
        }
        let text = |line: &Line<'_>| {
            serde_json::to_string(line).expect("plain data can always be written as JSON") + "\n"
        };
        Ok(lines.iter().map(text).collect())
    }

    /// Writes past questions as a query set.
    ///
    /// # Errors
    /// As [`Library::past_queries`] and [`Library::write_output`].
    pub fn write_past_queries(&self, filter: &PastFilter, path: &Path) -> Result<(), EngineError> {
        let base = path.parent().unwrap_or(Path::new(""));
        let base = base.canonicalize().unwrap_or_else(|_| base.to_owned());
        self.write_output(self.past_queries(filter, &base)?.as_bytes(), path, &[])
    }

    fn relevant(&self, asked: &PastQuestion, places: &Places, base: &Path) -> Vec<Place> {
        let mut relevant: Vec<Place> = Vec::new();
        for used in asked.opened.iter().chain(&asked.cited) {
            let Some(Judged { place, lines, .. }) = Judged::of(asked, used, places) else {
                continue;
            };
            let lists = self.lists();
            let Some(folder) = lists.snapshot.folder(place.folder) else {
                continue;
            };
            let absolute = Path::new(&folder.path).join(&place.path);
            let path = absolute.strip_prefix(base).unwrap_or(&absolute);
            for (start_line, end_line) in lines {
                let place = Place::new(path.display().to_string(), start_line, end_line);
                if !relevant.contains(&place) {
                    relevant.push(place);
                }
            }
        }
        relevant
    }
}
