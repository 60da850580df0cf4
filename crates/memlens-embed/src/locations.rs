//! Finds the ONNX Runtime library and the model.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::model_files::are_there;
use crate::{EmbedError, Model};

/// The files that an embedder is loaded from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locations {
    /// The file of the ONNX Runtime library; empty if the model needs none.
    pub runtime: PathBuf,
    /// The folder of the model's files.
    pub model: PathBuf,
}

/// The environment variable that names the library and overrides the search.
const RUNTIME_VARIABLE: &str = "ORT_DYLIB_PATH";
/// Where an installed application has both, relative to the folder of its programs: `/usr/lib/memlens` from `/usr/bin`;
/// `Contents/Resources` from `Contents/MacOS` of an app.
const INSTALLED: &str = if cfg!(target_vendor = "apple") {
    "../Resources"
} else {
    "../lib/memlens"
};
/// The library in errors.
pub(crate) const RUNTIME: &str = "the ONNX Runtime library";
/// The library that the environment names, in errors.
pub(crate) const NAMED_RUNTIME: &str = "the ONNX Runtime library that ORT_DYLIB_PATH names";
/// Where a checkout has the fetched library.
const FETCHED_RUNTIME: &str = ".fetched/onnxruntime";

impl Locations {
    /// Finds library and bundled model. See [`Locations::find_model`].
    ///
    /// # Errors
    /// [`EmbedError::NotFound`], which lists the searched paths.
    pub fn find(extra: &[PathBuf]) -> Result<Self, EmbedError> {
        Self::find_model(Model::Bundled, extra)
    }

    /// Finds library and model; the first match counts.
    ///
    /// Library: the file that `ORT_DYLIB_PATH` names, and no other if that is set; beside the executable; in `extra`
    /// (an installed application's resources); in `../lib/memlens` (macOS: `../Resources`) of the executable's folder; in
    /// `.fetched/onnxruntime` of the checkout around the executable.
    /// Bundled model: in `model` beside the executable; in `extra` and `../lib/memlens` and in `model` there; in
    /// `crates/memlens-embed/model` of the checkout around the executable. Multilingual model: the same with
    /// `multilingual`, and in `.fetched/multilingual` of the checkout. The small model is with the bundled one, and the library is
    /// not looked for.
    ///
    /// # Errors
    /// [`EmbedError::NotFound`], which lists the searched paths.
    pub fn find_model(model: Model, extra: &[PathBuf]) -> Result<Self, EmbedError> {
        // If the executable is a link, the folder of its target counts.
        let executable = env::current_exe()
            .and_then(|path| memlens_files::canonical(&path))
            .unwrap_or_default();
        let named = env::var_os(RUNTIME_VARIABLE).filter(|path| !path.is_empty());
        let beside = executable.parent().unwrap_or(Path::new(""));
        Self::find_around(model, beside, named, extra)
    }

    fn find_around(
        model: Model,
        beside: &Path,
        named: Option<OsString>,
        extra: &[PathBuf],
    ) -> Result<Self, EmbedError> {
        let in_checkout =
            |inside: &'static str| beside.ancestors().map(move |folder| folder.join(inside));
        let resources = || extra.iter().cloned().chain([beside.join(INSTALLED)]);
        let runtime = match model.needs_runtime() {
            true => find_runtime(beside, named, extra)?,
            false => PathBuf::new(),
        };
        let folder = model.folder();
        let mut folders = vec![beside.join(folder)];
        folders.extend(resources().flat_map(|resource| [resource.clone(), resource.join(folder)]));
        folders.extend(in_checkout(model.in_checkout()));
        match folders
            .iter()
            .find(|folder| are_there(folder, model.files()))
        {
            Some(model) => Ok(Self {
                runtime,
                model: model.clone(),
            }),
            None => Err(model.missing(folders)),
        }
    }
}

/// Finds the library. See [`Locations::find_model`].
fn find_runtime(
    beside: &Path,
    named: Option<OsString>,
    extra: &[PathBuf],
) -> Result<PathBuf, EmbedError> {
    if let Some(named) = named.map(PathBuf::from) {
        if named.is_file() {
            return Ok(named);
        }
        return Err(EmbedError::NotFound {
            what: NAMED_RUNTIME,
            looked: vec![named],
        });
    }
    let folders: Vec<PathBuf> = [beside.to_owned()]
        .into_iter()
        .chain(extra.iter().cloned())
        .chain([beside.join(INSTALLED)])
        .chain({ beside.ancestors() }.map(|folder| folder.join(FETCHED_RUNTIME)))
        .collect();
    let found = folders.iter().find_map(|folder| runtime_in(folder));
    found.ok_or(EmbedError::NotFound {
        what: RUNTIME,
        looked: folders,
    })
}

/// Returns the library in `folder` with the highest version.
fn runtime_in(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()));
    files
        .filter(|path| path.is_file())
        .filter_map(|path| Some((version(&path)?, path)))
        .max()
        .map(|(_, path)| path)
}

/// Returns the version in the name of an ONNX Runtime library, empty if it has none; `None` for any other file.
fn version(path: &Path) -> Option<Vec<u32>> {
    let name = path.file_name()?.to_str()?;
    let version = if cfg!(windows) {
        name.strip_prefix("onnxruntime")?.strip_suffix(".dll")?
    } else if cfg!(target_vendor = "apple") {
        name.strip_prefix("libonnxruntime")?
            .strip_suffix(".dylib")?
    } else {
        name.strip_prefix("libonnxruntime.so")?
    };
    match version.strip_prefix('.') {
        Some(version) => version.split('.').map(|part| part.parse().ok()).collect(),
        None if version.is_empty() => Some(Vec::new()),
        // Such as libonnxruntime_providers_shared.
        None => None,
    }
}

/// Checks which place wins, which of several files wins, and that an error lists every place.
#[cfg(test)]
mod tests {
    use super::*;

    /// Creates empty files below a scratch folder and searches for library and model from `beside`, a folder in it.
    fn check(
        files: &[&str],
        beside: &str,
        named: Option<&str>,
        extra: &[&str],
        expected: Result<[&str; 2], &[&str]>,
    ) {
        let scratch = tempfile::tempdir().expect("a scratch folder can be made");
        let root = scratch.path();
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("it lies in the scratch folder"))
                .expect("folders can be made");
            fs::write(path, "").expect("files can be written");
        }
        let extra: Vec<PathBuf> = extra.iter().map(|folder| root.join(folder)).collect();
        let named = named.map(|file| root.join(file).into_os_string());
        match (
            Locations::find_around(Model::Bundled, &root.join(beside), named, &extra),
            expected,
        ) {
            (Ok(found), Ok([runtime, model])) => {
                assert_eq!(
                    found,
                    Locations {
                        runtime: root.join(runtime),
                        model: root.join(model)
                    }
                );
            }
            (Err(EmbedError::NotFound { looked, .. }), Err(expected)) => {
                // Places above the scratch folder are left out.
                let inside: Vec<_> = looked
                    .iter()
                    .filter_map(|path| path.strip_prefix(root).ok())
                    .collect();
                assert_eq!(inside, expected.iter().map(Path::new).collect::<Vec<_>>());
            }
            (found, expected) => panic!("{found:?} in place of {expected:?}"),
        }
    }

    /// Returns the files of a model in `folder`, and `others`.
    fn with_model<'a>(folder: &str, others: &[&'a str]) -> Vec<&'a str> {
        let files = Model::Bundled.files().iter();
        let model = files.map(|file| &*format!("{folder}/{}", file.name).leak());
        model.chain(others.iter().copied()).collect()
    }

    const LIBRARY: &str = if cfg!(windows) {
        "onnxruntime.dll"
    } else if cfg!(target_vendor = "apple") {
        "libonnxruntime.dylib"
    } else {
        "libonnxruntime.so"
    };

    #[test]
    fn beside_the_executable_comes_first() {
        let (beside, in_extra) = (format!("app/{LIBRARY}"), format!("extra/{LIBRARY}"));
        let files = with_model("app/model", &["here", &beside, &in_extra]);
        check(&files, "app", None, &["extra"], Ok([&beside, "app/model"]));
        check(
            &files,
            "app",
            Some("here"),
            &["extra"],
            Ok(["here", "app/model"]),
        );
    }

    #[test]
    fn resources_hold_a_model_flat_or_in_a_folder() {
        let library = format!("extra/{LIBRARY}");
        check(
            &with_model("extra", &[&library]),
            "app",
            None,
            &["none", "extra"],
            Ok([&library, "extra"]),
        );
        check(
            &with_model("extra/model", &[&library]),
            "app",
            None,
            &["extra"],
            Ok([&library, "extra/model"]),
        );
    }

    #[test]
    fn an_installed_program_finds_what_was_installed_with_it() {
        let library = format!("usr/bin/{INSTALLED}/{LIBRARY}");
        let folder = format!("usr/{}/model", &INSTALLED["../".len()..]);
        check(
            &with_model(&folder, &["usr/bin/memlens", &library]),
            "usr/bin",
            None,
            &[],
            Ok([&library, &format!("usr/bin/{INSTALLED}/model")]),
        );
    }

    #[test]
    fn a_checkout_is_found_from_its_target_folder() {
        let library = format!(".fetched/onnxruntime/{LIBRARY}");
        let model = "crates/memlens-embed/model";
        check(
            &with_model(model, &[&library]),
            "target/debug/deps",
            None,
            &[],
            Ok([&library, model]),
        );
    }

    #[test]
    fn a_named_library_that_is_missing_is_not_replaced() {
        let library = format!("app/{LIBRARY}");
        check(
            &with_model("app/model", &[&library]),
            "app",
            Some("gone"),
            &[],
            Err(&["gone"]),
        );
    }

    #[test]
    fn errors_list_every_place() {
        let library = format!("app/{LIBRARY}");
        check(
            &[],
            "app",
            None,
            &["extra"],
            Err(&[
                "app",
                "extra",
                &format!("app/{INSTALLED}"),
                "app/.fetched/onnxruntime",
                ".fetched/onnxruntime",
            ]),
        );
        // A model without its graph does not count.
        let files = with_model("app/model", &[&library]);
        let files: Vec<&str> = files
            .into_iter()
            .filter(|file| !file.ends_with("model.onnx"))
            .collect();
        let model = "crates/memlens-embed/model";
        let installed = &format!("app/{INSTALLED}");
        let in_app = format!("app/{model}");
        check(
            &files,
            "app",
            None,
            &["extra"],
            Err(&[
                "app/model",
                "extra",
                "extra/model",
                installed,
                &format!("{installed}/model"),
                &in_app,
                model,
            ]),
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_highest_version_wins() {
        let files = [
            "app/libonnxruntime.so",
            "app/libonnxruntime.so.1.9.0",
            "app/libonnxruntime.so.1.31.1",
            "app/libonnxruntime_providers_shared.so",
            "app/libonnxruntime.so.bak",
        ];
        check(
            &with_model("app/model", &files),
            "app",
            None,
            &[],
            Ok(["app/libonnxruntime.so.1.31.1", "app/model"]),
        );
    }

    #[test]
    fn the_message_says_what_to_do() {
        let error = EmbedError::NotFound {
            what: "the embedding model",
            looked: vec!["/a".into(), "/b".into()],
        };
        let expected = "cannot find the embedding model (`cargo xtask setup` fetches what is missing): looked at /a, /b";
        assert_eq!(error.to_string(), expected);
    }
}
