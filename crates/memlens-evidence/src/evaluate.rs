//! Runs judged queries on the library.

use std::path::Path;
use std::sync::Arc;

use memlens_eval::{Place, Query};
use memlens_library::notes::place::note_path;
use memlens_library::ranking::Ranking;
use memlens_library::search::folded::n_folded;
use memlens_library::{EngineError, Library, Search};
use memlens_params::Values;
use memlens_retrieve::Part;

/// Results of one judged query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Places, best first; each note by its absolute path.
    pub places: Vec<Place>,
    /// Scores of these rows, in their order.
    pub scores: Vec<f64>,
    /// How many judged places count as not returned since they are in copies that are folded under a row.
    pub n_folded: usize,
    /// Id of the model that embedded the notes; `None` if there are no notes, or it is not known.
    pub model: Option<String>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
}

impl Run {
    /// Its places as a file beside a query set names them: relative to the set's folder if inside it, otherwise
    /// absolute.
    pub fn places_from(&self, base: &Path) -> Vec<Place> {
        let named = |place: &Place| {
            let path = memlens_files::name_from(base, Path::new(&place.path));
            Place::new(path, place.start_line, place.end_line)
        };
        self.places.iter().map(named).collect()
    }
}

/// Asks one query of a set whose paths are relative to `base`. A query with a missing scope finds nothing and says so.
///
/// # Errors
/// As [`Library::search_as`] and [`Library::ask`].
pub fn run_query(
    library: &Library,
    query: &Query,
    base: &Path,
    ranking: &Ranking,
    is_pooled: bool,
) -> Result<Run, EngineError> {
    match search_for(library, query, base, ranking, is_pooled)? {
        Ok(search) => {
            let judged = query.gold().unwrap_or_default();
            Ok(Run {
                n_folded: n_folded(&search, &ranking.values, judged)?,
                ..run_of(&search, &ranking.values)?
            })
        }
        Err(why) => Ok(Run {
            notices: vec![why],
            ..Run::default()
        }),
    }
}

/// Asks one query of a set; the inner error says that its scope is not there.
pub(crate) fn search_for(
    library: &Library,
    query: &Query,
    base: &Path,
    ranking: &Ranking,
    is_pooled: bool,
) -> Result<Result<Arc<Search>, String>, EngineError> {
    let scope = query.scope.as_ref().filter(|_| !is_pooled);
    let part = match scope.map(|scope| library.scope(&base.join(scope).display().to_string())) {
        None => Part::All,
        Some(Ok(scope)) => Part::Folder(scope),
        Some(Err(error)) => return Ok(Err(error.to_string())),
    };
    let mut search = library.search_as(&query.query, ranking, part)?;
    if let Some(params) = ranking.params() {
        search = library.ask(search.id, &params)?;
    }
    // A question is not judged by a ranking weighted by its own thumbs.
    Ok(Ok(Arc::new(search.without_own_thumbs())))
}

/// Results of a search of a query set under these values.
pub(crate) fn run_of(search: &Search, values: &Values) -> Result<Run, EngineError> {
    let columns = search.columns(values);
    let mut run = Run {
        model: search.model.clone(),
        notices: columns.fallbacks().collect(),
        ..Run::default()
    };
    for slot in &columns.order[..columns.n_kept as usize] {
        let row = search.row_facts(*slot)?;
        let path = note_path(&row.note.folder_path, &row.note.path);
        let path = path.display().to_string();
        run.places
            .push(Place::new(path, row.start_line, row.end_line));
        run.scores
            .push(columns.score[*slot as usize].unwrap_or_default());
    }
    Ok(run)
}
