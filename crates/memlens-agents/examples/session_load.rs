//! Prints as JSON what is predicted that an agent loads when a session begins: `session_load HOME FOLDER AGENT`. `cargo xtask
//! check-agents` compares it with what the published programs load.

use std::path::{Path, PathBuf};

use memlens_agents::{AlwaysKind, AlwaysLoaded, Content, Home, loaded, look, session_load};
use serde::Serialize;

#[derive(Serialize)]
struct Predicted {
    path: PathBuf,
    given: String,
    is_verbatim: bool,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [home, cwd, agent] = &args[..] else {
        eprintln!("usage: session_load HOME FOLDER AGENT");
        std::process::exit(2);
    };
    let home = Home::new(Path::new(home));
    let mut predicted = Vec::new();
    for found in look(&home).iter().filter(|found| found.agent.id == agent) {
        // OpenClaw's texts depend on one another, so that they are predicted together.
        if agent == "openclaw" {
            let given = loaded(found).given.into_iter();
            predicted.extend(given.map(|(path, given)| Predicted {
                path,
                given,
                is_verbatim: true,
            }));
            continue;
        }
        // The user's own instructions, then those of the project. Memory depends on the session.
        let of_session = session_load(&home, found, Some(Path::new(cwd))).files;
        let own = home.folder().join(".gemini");
        let is_own = |file: &AlwaysLoaded| file.kind != AlwaysKind::Memory;
        // The settings of a project may rename the user's own files for Gemini CLI.
        let is_renamed = of_session
            .iter()
            .any(|file| is_own(file) && file.path.starts_with(&own));
        let mut files = session_load(&home, found, None).files;
        files.retain(|file| is_own(file) && !is_renamed);
        for file in of_session {
            if !files.iter().any(|one| one.path == file.path) {
                files.push(file);
            }
        }
        for file in files {
            if let Content::Loaded { measured, .. } = file.content {
                predicted.push(Predicted {
                    path: file.path,
                    given: measured.given,
                    // Hermes joins the entries again.
                    is_verbatim: file.kind == AlwaysKind::Memory && agent != "hermes",
                });
            }
        }
    }
    let printed = serde_json::to_string(&predicted).expect("texts and paths are JSON");
    println!("{printed}");
}
