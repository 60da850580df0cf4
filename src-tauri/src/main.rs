//! Opens the window.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use clap::Parser;

fn main() -> std::process::ExitCode {
    memlens_app::run(memlens_app::Arguments::parse())
}
