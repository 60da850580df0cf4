//! ONNX Runtime would tell its maker of its use: it keeps an id of the machine and reports to a server. Not here.

use std::env;

/// Asks ONNX Runtime to keep silent; it is read when the library is loaded, before any call could say so.
const VARIABLE: &str = "ORT_DISABLE_TELEMETRY";
const SILENT: &str = "1";

/// Keeps ONNX Runtime silent in this process and in those that it starts.
///
/// Without it [`crate::Bundled::load`] refuses.
///
/// # Safety
/// No other thread may run yet, since it could read the environment meanwhile: to be called first in `main`.
#[allow(unsafe_code)]
pub unsafe fn forbid_telemetry() {
    // SAFETY: by what is asked of the caller.
    unsafe { env::set_var(VARIABLE, SILENT) }
}

/// Whether the library would keep silent if it were loaded now.
pub(crate) fn is_telemetry_forbidden() -> bool {
    env::var_os(VARIABLE).is_some_and(|value| value == SILENT)
}
