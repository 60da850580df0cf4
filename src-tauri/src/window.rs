//! Wires engine and window together.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use memlens_engine::{
    Engine, EngineError, Event, Home, default_library, refuse_library_among, source_of_library,
    window_frame,
};
use memlens_files::System;
use specta_typescript::{Typescript, semantic};
use tauri::{AppHandle, Manager, Url, WebviewUrl, WebviewWindowBuilder, WindowEvent};
use tauri_specta::{
    Builder, Commands, ErrorHandlingMode, Event as _, collect_commands, collect_events,
};

use crate::arguments::Arguments;
use crate::commands::{self, Shell};
use crate::dialogs::Dialogs;
use crate::events::{ActivityHappened, AnswersLost, JobProgressed, StateChanged};
use crate::frame::{Frame, SIZE_MIN};
use crate::notice;
use crate::opening::Opening;

/// The name of the window.
pub(crate) const MAIN: &str = "main";

/// Opens the window and returns when it is closed.
pub fn run(arguments: Arguments) -> ExitCode {
    if let Some(path) = &arguments.bindings {
        return match write_bindings(path) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("cannot write the bindings: {error}");
                ExitCode::FAILURE
            }
        };
    }
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into()),
        )
        .init();
    let builder = builder();
    let new = tauri::Builder::default();
    #[cfg(target_os = "macos")]
    let new = new.on_web_content_process_terminate(|webview| {
        crate::reload::ended(webview.app_handle(), "terminated");
    });
    let ran = new
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(builder.invoke_handler())
        .setup(move |app| {
            builder.mount_events(app);
            // An error of this hook would be a panic.
            make_window(app, &arguments).unwrap_or_else(|error| refuse(&*error));
            Ok(())
        })
        .on_window_event(|window, event| {
            if let WindowEvent::CloseRequested { .. } = event
                && let Some(engine) = window.state::<Shell>().opening.engine()
            {
                // A window whose position cannot be read closes all the same.
                let _ = Frame::keep(window, &engine);
            }
        })
        .run(tauri::generate_context!());
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error);
            ExitCode::FAILURE
        }
    }
}

/// Makes the window, and begins to open the library.
fn make_window(
    app: &mut tauri::App,
    arguments: &Arguments,
) -> Result<(), Box<dyn std::error::Error>> {
    let dir = library_dir(arguments)?;
    let kept = Frame::kept(window_frame(&dir));
    let frame = arguments.size.map_or(kept, |size| kept.of_size(size));
    app.manage(open(app.handle(), dir, arguments));
    let address = arguments.theme.map_or_else(
        || "index.html".to_owned(),
        |theme| format!("index.html?theme={}", theme.as_str()),
    );
    let (width, height) = frame.size();
    let window = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App(address.into()))
        .title("Memlens")
        .inner_size(width, height)
        .min_inner_size(SIZE_MIN.0, SIZE_MIN.1)
        .on_navigation(is_of_the_window)
        .build()
        .map_err(|error| format!("{error}{}", notice::window_hint(System::CURRENT)))?;
    frame.place(&window)?;
    #[cfg(not(windows))]
    crate::reload::follow(&window)?;
    Ok(())
}

/// Whether an address is the window's own; it goes to no other, so that nothing leaves in an address.
fn is_of_the_window(address: &Url) -> bool {
    // Windows has no schemes of its own making; there the page is under this name.
    address.scheme() == "tauri" || address.host_str() == Some("tauri.localhost")
}

/// Prints or shows why there is no window.
fn report(error: &dyn std::error::Error) {
    let text = format!("cannot open the window: {error}");
    eprintln!("{text}");
    notice::show_if_unprinted(&text);
}

/// Reports why there is no window, and ends the program.
fn refuse(error: &dyn std::error::Error) -> ! {
    report(error);
    std::process::exit(1);
}

/// The folder of the library that is asked for.
fn library_dir(arguments: &Arguments) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let dir = match &arguments.library {
        Some(dir) => std::path::absolute(dir)?,
        None => default_library().ok_or("this system has no data folder: use --library DIR")?,
    };
    refuse_library_among(&dir, &arguments.add)?;
    Ok(dir)
}

/// Begins to open the library, which takes as long as to show the window where it is large; commands wait for it.
fn open(app: &AppHandle, dir: PathBuf, arguments: &Arguments) -> Shell {
    let home = Home::of_process();
    let (app, added, of_agents) = (app.clone(), arguments.add.clone(), home.clone());
    let opening = Arc::new(Opening::by(move || {
        let engine = Arc::new(open_engine(&app, &dir, &added)?);
        let warmed = engine.clone();
        tauri::async_runtime::spawn_blocking(move || warmed.library().warm());
        // Apart: it reads files of other programs, and the window works without. Where only another process may write, that
        // one notes it.
        if let Some(home) = of_agents.clone() {
            let noting = engine.clone();
            tauri::async_runtime::spawn_blocking(move || noting.note_agents(&home));
        }
        Ok(engine)
    }));
    let begun = opening.clone();
    tauri::async_runtime::spawn_blocking(move || begun.run());
    Shell {
        home,
        opening,
        dialogs: Arc::new(Dialogs::new(arguments.answer_dialogs.clone())),
        exports: Arc::default(),
        serving: Arc::default(),
        query: arguments.query.clone(),
    }
}

/// Opens the library. A folder that cannot be added is reported on standard error and is not fatal.
fn open_engine(app: &AppHandle, dir: &Path, added: &[PathBuf]) -> Result<Engine, EngineError> {
    let resources: Vec<PathBuf> = app.path().resource_dir().into_iter().collect();
    let handle = app.clone();
    let engine = Engine::open(
        dir,
        source_of_library(dir, resources),
        Arc::new(move |event| {
            // A window that is closing receives no events and needs none.
            let _ = match event {
                Event::State(state) => StateChanged(*state).emit(&handle),
                Event::Activity(activity) => ActivityHappened(activity).emit(&handle),
                Event::Job(progress) => JobProgressed(progress).emit(&handle),
                Event::Lost(lost) => AnswersLost(lost.map(|lost| *lost)).emit(&handle),
            };
        }),
    )?;
    for folder in added {
        let is_known = memlens_files::canonical(folder).is_ok_and(|path| {
            engine
                .state()
                .folders
                .iter()
                .any(|known| Path::new(&known.path) == path)
        });
        if !is_known && let Err(error) = engine.add_folder(folder) {
            eprintln!("{error}");
        }
    }
    Ok(engine)
}

/// The handlers of the commands in the table.
fn handlers() -> Commands<tauri::Wry> {
    macro_rules! window_commands {
        ($($first:ident $(:: $rest:ident)* : $touches:literal,)*) => {
            collect_commands![$(commands::$first $(:: $rest)*),*]
        };
    }
    include!("commands/table.rs")
}

fn builder() -> Builder<tauri::Wry> {
    Builder::new()
        .error_handling(ErrorHandlingMode::Throw)
        // Every type has one form in both directions, and every score is finite.
        .disable_serde_phases()
        .semantic_types(semantic::Configuration::empty().enable_lossless_floats())
        .commands(handlers())
        .events(collect_events![
            StateChanged,
            ActivityHappened,
            AnswersLost,
            JobProgressed
        ])
        .constant("QUERIES_MIN", memlens_engine::QUERIES_MIN)
        .constant("STAGE_LOOKS", stage_looks())
        .typ::<memlens_params::Parameter>()
        .typ::<memlens_params::StageInfo>()
        .typ::<memlens_rank::StageLook>()
        .typ::<memlens_engine::view::Autopsy>()
        .typ::<memlens_engine::view::AutopsyQuestion>()
}

/// Returns how all stages are shown, with sorted keys: otherwise their order depends on a feature of `serde_json`, which
/// other packages of the same build can enable.
fn stage_looks() -> serde_json::Value {
    let mut looks = serde_json::json!(memlens_engine::stage_looks());
    looks.sort_all_objects();
    looks
}

/// Writes the TypeScript bindings of every command, event and type.
///
/// # Errors
/// The exporter's message for the user.
pub fn write_bindings(path: &Path) -> Result<(), String> {
    let language = Typescript::default()
        .header("// Generated from the Rust types by `cargo xtask codegen`. Do not edit.\n");
    builder()
        .export(language, path)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_stays_with_its_own_page() {
        let check = |address: &str, expected: bool| {
            let address = address.parse().expect("the address is well formed");
            assert_eq!(is_of_the_window(&address), expected, "{address}");
        };
        check("tauri://localhost/index.html?theme=dark", true);
        check("http://tauri.localhost/", true);
        check("https://tauri.localhost/", true);
        check("http://127.0.0.1:8000/", false);
        check("https://example.org/tauri.localhost", false);
        check("https://tauri.localhost.example.org/", false);
        check("file:///etc/passwd", false);
        check("data:text/html,x", false);
        check("about:blank", false);
    }
}
