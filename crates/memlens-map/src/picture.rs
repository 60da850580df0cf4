//! The picture of the chunks that a query chooses.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use memlens_library::clustering::clusters::ListedCluster;
use memlens_library::{Clustering, EngineError, Library};
use memlens_overview::chosen_notes;
use memlens_params::Params;
use memlens_retrieve::Lists;
use memlens_store::{ChunkRow, DocumentId};
use memlens_wire::{MapCluster, MapLayout, MapNote, MapPicture, NoteQuery, NoteRow};

use crate::{components, layout};

/// Number of distinct places between the middle of the picture and its edge. It is larger than the number of pixels of a screen.
const STEPS: f32 = 10_000.0;

/// The chunks of the notes that a query chooses, in two dimensions: by the layout by neighbours if one is stored, otherwise, and if
/// `wanted`, by principal components. Places do not depend on the query. `params` say at which distance two observations say the
/// same.
///
/// # Errors
/// [`EngineError::Retrieve`] if the list of vectors is damaged, and [`EngineError::Store`].
pub fn map(
    library: &Library,
    params: &Params,
    query: &NoteQuery,
    wanted: Option<MapLayout>,
) -> Result<MapPicture, EngineError> {
    let lists = library.lists();
    let first = components::places(library, &lists)?;
    let continued = layout::continued(library, &lists, &first)?;
    let by_neighbours = continued.places.as_ref();
    let by_neighbours = by_neighbours.filter(|_| wanted != Some(MapLayout::Components));
    let (layout, places) = match by_neighbours {
        Some(places) => (MapLayout::Neighbours, places),
        None => (MapLayout::Components, &first.places),
    };
    let (table, chosen) = chosen_notes(library, query)?;
    let is_of_text = query.tag.is_some() || query.language.is_some();
    let said = library.clustering().map(|it| Said::new(it, params));
    let mut picture = MapPicture {
        layout,
        x: Vec::new(),
        y: Vec::new(),
        chunk: Vec::new(),
        line: Vec::new(),
        note: Vec::new(),
        cluster: Vec::new(),
        notes: Vec::new(),
        clusters: Vec::new(),
        is_compared: said.is_some(),
        found_unknown: table.found.as_ref().err().cloned(),
        total: lists.snapshot.n_chunks(),
        n_unread: if is_of_text { table.n_unread } else { 0 },
        sampled: match layout {
            MapLayout::Components => first.sampled,
            MapLayout::Neighbours => continued.sampled,
        },
        variance: (layout == MapLayout::Components).then_some(first.variance),
        neighbours: continued.state,
        notices: continued.notice.into_iter().collect(),
    };
    let chunks_of = chunks_of_documents(&lists);
    for row in chosen {
        let document = table.documents[row as usize];
        let chunks = document.and_then(|id| Some((id, chunks_of.get(&id)?.clone())));
        let Some((document, chunks)) = chunks.filter(|(_, chunks)| !chunks.is_empty()) else {
            continue;
        };
        let note = picture.notes.len() as u32;
        picture.notes.push(note_of(&table.rows[row as usize]));
        for place in chunks {
            let (_, chunk) = lists.snapshot.chunk(place);
            let [x, y] = places[first.points.of_place[place as usize] as usize];
            picture.x.push(rounded(x));
            picture.y.push(rounded(y));
            picture.chunk.push(chunk.id as f64);
            picture.line.push(chunk.start_line);
            picture.note.push(note);
            let cluster = said.as_ref().and_then(|said| said.cluster(document, chunk));
            picture.cluster.push(cluster);
        }
    }
    if let Some(said) = said {
        said.name_clusters(&mut picture);
    }
    Ok(picture)
}

/// The places of each document's chunks.
fn chunks_of_documents(lists: &Lists) -> HashMap<DocumentId, Range<u32>> {
    let documents = lists.snapshot.documents.iter().zip(0..);
    documents
        .map(|(document, at)| (document.id, lists.snapshot.places(at..at + 1)))
        .collect()
}

/// A coordinate in few digits. Rounding keeps the order of coordinates.
fn rounded(at: f32) -> f32 {
    (at * STEPS).round() / STEPS
}

fn note_of(row: &NoteRow) -> MapNote {
    MapNote {
        folder: row.folder.clone(),
        folder_name: row.folder_name.clone(),
        path: row.path.clone(),
        title: row.title.clone(),
        agent: row.agent.clone(),
        agent_name: row.agent_name.clone(),
        date: row.date.clone().filter(|_| !row.is_date_odd),
        n_found: row.n_found,
        n_opened: row.n_opened,
    }
}

/// The clusters of the last pass over all observations.
struct Said {
    clustering: Arc<Clustering>,
    listed: Vec<ListedCluster>,
    /// The position in `listed` of each observation that is in a cluster.
    of_observation: HashMap<u32, u32>,
}

impl Said {
    fn new(clustering: Arc<Clustering>, params: &Params) -> Said {
        let listed = clustering.listed_clusters(params);
        let of_cluster = |(cluster, at): (&ListedCluster, u32)| {
            let observations = cluster.observations.clone().into_iter();
            observations.map(move |observation| (observation, at))
        };
        Said {
            of_observation: listed.iter().zip(0..).flat_map(of_cluster).collect(),
            clustering,
            listed,
        }
    }

    /// The first listed cluster that a chunk is in by any of its observations.
    fn cluster(&self, document: DocumentId, chunk: &ChunkRow) -> Option<u32> {
        let observations = self.clustering.held_by(&chunk.bytes.into(), document);
        let clusters = observations.filter_map(|id| self.of_observation.get(&id).copied());
        clusters.min()
    }

    /// Replaces positions in `listed` by those in the picture's own list, which holds only what its chunks say.
    fn name_clusters(self, picture: &mut MapPicture) {
        let used: BTreeSet<u32> = picture.cluster.iter().flatten().copied().collect();
        let renamed: HashMap<u32, u32> = used.iter().copied().zip(0..).collect();
        for cluster in picture.cluster.iter_mut().flatten() {
            *cluster = renamed[cluster];
        }
        let named = self.listed.into_iter().zip(0..);
        let named = named.filter(|(_, at)| used.contains(at));
        picture.clusters = named
            .map(|(cluster, _)| MapCluster {
                n: cluster.observations.len() as u32,
                text: cluster.text,
            })
            .collect();
    }
}
