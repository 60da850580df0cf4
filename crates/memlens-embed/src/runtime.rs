//! ONNX Runtime: loaded once per process, with the one environment that all its models share.

use std::env;
use std::path::{self, Path, PathBuf};
use std::sync::OnceLock;

use memlens_files::System;
use ort::environment::Environment;
use parking_lot::Mutex;

use crate::telemetry::is_telemetry_forbidden;
use crate::{EmbedError, Locations};

/// The environment of this process. ONNX Runtime allows only one, and fastembed would create its own.
static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
/// Held while the environment is created.
static CREATING: Mutex<()> = Mutex::new(());

/// Returns the environment that models of this process run in. Loads ONNX Runtime, unless it is loaded already.
/// Without it the first use of any model would panic.
///
/// # Errors
/// [`EmbedError::Telemetry`] or [`EmbedError::LoadRuntime`].
pub fn load_runtime(at: &Locations) -> Result<Environment, EmbedError> {
    if !is_telemetry_forbidden() {
        return Err(EmbedError::Telemetry);
    }
    // A relative path would first be searched beside the executable.
    let absolute = path::absolute(&at.runtime).unwrap_or_else(|_| at.runtime.clone());
    let load_error = |why: String| EmbedError::LoadRuntime {
        path: absolute.clone(),
        why,
        missing: missing_libraries(System::CURRENT, &absolute),
    };
    let _creating = CREATING.lock();
    let builder = ort::init_from(&absolute).map_err(|error| load_error(error.to_string()))?;
    if let Some(environment) = ENVIRONMENT.get() {
        return Ok(environment.clone());
    }
    // The library for Windows does not read the variable, and reports by events of the system unless this is called.
    let environment = builder
        .with_telemetry(false)
        .build()
        .map_err(|error| load_error(error.to_string()))?;
    Ok(ENVIRONMENT.get_or_init(|| environment).clone())
}

/// Libraries of the Visual C++ runtime that the library for Windows imports; not every Windows has them.
const VISUAL_C: [&str; 4] = [
    "MSVCP140.dll",
    "MSVCP140_1.dll",
    "VCRUNTIME140.dll",
    "VCRUNTIME140_1.dll",
];

/// Returns the libraries that ONNX Runtime needs on a system and that are in none of the folders where the system looks first:
/// that of `runtime`, that of this program, and the system's own.
fn missing_libraries(system: System, runtime: &Path) -> Vec<&'static str> {
    if system != System::Windows {
        return Vec::new();
    }
    let program = env::current_exe().unwrap_or_default();
    let system_folder = env::var_os("SystemRoot").map(|root| PathBuf::from(root).join("System32"));
    let folders = [runtime.parent(), program.parent(), system_folder.as_deref()];
    let mut missing = VISUAL_C.to_vec();
    missing.retain(|name| {
        !folders
            .iter()
            .flatten()
            .any(|folder| folder.join(name).is_file())
    });
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_runtime_of_visual_c_is_named() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let runtime = dir.path().join("onnxruntime.dll");
        let error = |system| {
            let missing = missing_libraries(system, &runtime);
            let (path, why) = (
                PathBuf::from("onnxruntime.dll"),
                "LoadLibraryExW failed".to_owned(),
            );
            EmbedError::LoadRuntime { path, why, missing }.to_string()
        };
        let plain = "cannot load ONNX Runtime from onnxruntime.dll: LoadLibraryExW failed";
        let hint = "not found; install the Microsoft Visual C++ Redistributable, which ONNX Runtime needs)";
        assert_eq!(error(System::Linux), plain);
        for name in &VISUAL_C[1..] {
            std::fs::write(dir.path().join(name), "").expect("it can be written");
        }
        assert_eq!(
            error(System::Windows),
            format!("{plain} (MSVCP140.dll {hint}")
        );
        std::fs::write(dir.path().join(VISUAL_C[0]), "").expect("it can be written");
        assert_eq!(error(System::Windows), plain);
    }
}
