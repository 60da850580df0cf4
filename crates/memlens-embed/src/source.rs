//! Creates embedders for queries and for indexing.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use crate::{
    EmbedError, Embedder, Locations, Model, ModelFolder, ModelInfo, TokenVectors, indexing_threads,
    lower_priority,
};

/// The use of an embedder, which decides how much of the machine it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// One short text at a time, as fast as possible.
    Query,
    /// Many texts at low priority, with one core left to the user, by the model in use.
    Indexing,
    /// The same, by the model that is to replace the one in use.
    Changing,
}

/// Creates embedders. A query must never wait for the one that indexes.
pub type EmbedderSource =
    Arc<dyn Fn(Purpose) -> Result<Box<dyn Embedder>, EmbedError> + Send + Sync>;

/// Further folders that may hold this program's own files.
static RESOURCES: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Returns the location of ONNX Runtime, for models other than the bundled one.
///
/// # Errors
/// Like [`Locations::find`].
pub fn locations() -> Result<Locations, EmbedError> {
    Locations::find(RESOURCES.get().map_or(&[], Vec::as_slice))
}

/// Returns the locations of ONNX Runtime and of a model.
///
/// # Errors
/// Like [`Locations::find_model`].
pub fn locations_of(model: Model) -> Result<Locations, EmbedError> {
    Locations::find_model(model, RESOURCES.get().map_or(&[], Vec::as_slice))
}

/// Returns the source of the bundled model. See [`source`].
pub fn bundled(resources: Vec<PathBuf>) -> EmbedderSource {
    source(Model::Bundled, resources)
}

/// Returns the source of a model; `resources` are further folders to search.
///
/// The embedder for indexing is loaded only while there is something to embed, and is unloaded afterwards, which frees
/// about 100 MB.
pub fn source(model: Model, resources: Vec<PathBuf>) -> EmbedderSource {
    // All sources of one process use the folders of the first: the program is installed in one place.
    let resources = RESOURCES.get_or_init(|| resources);
    Arc::new(move |purpose| {
        let locations = Locations::find_model(model, resources)?;
        Ok(match purpose {
            Purpose::Query => model.load(&locations, 1)?,
            Purpose::Indexing | Purpose::Changing => {
                let info = model.check(&locations)?;
                Box::new(Resting::new(info, move |threads| {
                    model.load(&locations, threads)
                }))
            }
        })
    })
}

/// Returns the source of a model in a folder of the user's own. See [`source`].
pub fn source_of_folder(folder: ModelFolder) -> EmbedderSource {
    Arc::new(move |purpose| {
        let locations = locations()?;
        Ok(match purpose {
            Purpose::Query => Box::new(folder.load(&locations, 1)?),
            Purpose::Indexing | Purpose::Changing => {
                folder.check()?;
                let (info, folder) = (folder.info(), folder.clone());
                Box::new(Resting::new(info, move |threads| {
                    Ok(Box::new(folder.load(&locations, threads)?))
                }))
            }
        })
    })
}

/// Loads a model to run on a number of threads.
type Load = Box<dyn Fn(usize) -> Result<Box<dyn Embedder>, EmbedError> + Send + Sync>;

/// A model for indexing, loaded only while there is something to embed.
struct Resting {
    load: Load,
    info: ModelInfo,
    /// `None` while it is unloaded.
    awake: Option<Box<dyn Embedder>>,
}

impl Resting {
    fn new(
        info: ModelInfo,
        load: impl Fn(usize) -> Result<Box<dyn Embedder>, EmbedError> + Send + Sync + 'static,
    ) -> Resting {
        Resting {
            load: Box::new(load),
            info,
            awake: None,
        }
    }

    fn awake(&self) -> &dyn Embedder {
        self.awake.as_deref().expect("it was woken")
    }

    fn woken(&mut self) -> Result<&mut dyn Embedder, EmbedError> {
        self.wake()?;
        Ok(self.awake.as_deref_mut().expect("it was just woken"))
    }
}

/// Loads the model in a thread of low priority, which the model's own threads inherit.
fn load_politely(load: &Load) -> Result<Box<dyn Embedder>, EmbedError> {
    std::thread::scope(|scope| {
        let loading = scope.spawn(|| {
            lower_priority();
            load(indexing_threads())
        });
        loading
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

impl Embedder for Resting {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.woken()?.embed(texts, cancel)
    }

    fn embed_questions(
        &mut self,
        questions: &[&str],
        cancel: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.woken()?.embed_questions(questions, cancel)
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        self.woken()?.token_vectors(text)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.awake().count_tokens(text)
    }

    fn wake(&mut self) -> Result<(), EmbedError> {
        if self.awake.is_none() {
            self.awake = Some(load_politely(&self.load)?);
        }
        Ok(())
    }

    fn rest(&mut self) {
        self.awake = None;
    }

    fn reads(&self, text: &str) -> bool {
        self.awake().reads(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rested_embedder_goes_on_as_before() {
        let mut embedder = bundled(Vec::new())(Purpose::Indexing).expect("the model is there");
        let never = AtomicBool::new(false);
        let embed = |embedder: &mut dyn Embedder| {
            let vectors = embedder.embed(&["the relay in the hall"], &never);
            vectors.expect("it can be embedded")
        };
        assert_eq!(embedder.info().dim, 384);
        let before = embed(embedder.as_mut());
        embedder.rest();
        assert_eq!(embedder.info().dim, before[0].len());
        embedder.wake().expect("the model is there");
        assert_eq!(embedder.count_tokens("the relay"), 2);
        embedder.rest();
        assert_eq!(embed(embedder.as_mut()), before);
    }
}
