//! Opens the window.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use clap::Parser;

fn main() -> std::process::ExitCode {
    // First of all: no other thread runs yet.
    memlens_engine::forbid_telemetry();
    memlens_app::keep_little_memory();
    memlens_app::run(memlens_app::Arguments::parse())
}
