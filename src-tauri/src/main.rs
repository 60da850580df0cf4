//! Starts the window of Memlens.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

#[allow(unsafe_code)]
fn main() -> std::process::ExitCode {
    memlens_engine::start_private();
    // SAFETY: First of all; no other thread runs yet.
    unsafe { memlens_engine::forbid_telemetry() };
    memlens_app::keep_little_memory();
    memlens_app::run(memlens_app::Arguments::of_process())
}
