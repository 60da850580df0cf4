//! ONNX Runtime: loaded once per process, with the one environment that all its models share.

use std::path;
use std::sync::OnceLock;

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
