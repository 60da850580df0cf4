//! Disables the telemetry of ONNX Runtime, which would store an id of the machine and report its use to a server.

use std::env;

/// Disables telemetry. It is read when the library is loaded, before any call could disable it.
const VARIABLE: &str = "ORT_DISABLE_TELEMETRY";
const SILENT: &str = "1";

/// Disables ONNX Runtime's telemetry in this process and in those that it starts.
///
/// Without it [`crate::Bundled::load`] returns an error.
///
/// # Safety
/// No other thread may be running, because it could read the environment at the same time. Call this first in `main`.
#[allow(unsafe_code)]
pub unsafe fn forbid_telemetry() {
    // SAFETY: the caller guarantees that no other thread is running.
    unsafe { env::set_var(VARIABLE, SILENT) }
}

/// Returns whether telemetry would be disabled if the library were loaded now.
pub(crate) fn is_telemetry_forbidden() -> bool {
    env::var_os(VARIABLE).is_some_and(|value| value == SILENT)
}
