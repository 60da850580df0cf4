//! The command by which an agent starts Memlens.

use std::path::{Path, PathBuf};

use memlens_agents::{Launch, ToolServerConfig};
use memlens_library::EngineError;
use memlens_store::Folder;
use memlens_wire::ToolServerChoice;

/// Name of the command line's program, without the ending of the system.
const PROGRAM: &str = "memlens";
/// Option that names the library.
const LIBRARY: &str = "--library";
/// Option that serves the folders of one agent.
const AGENT: &str = "--agent";
/// Option that names a `memlens.json`.
const PRESET: &str = "--preset";

/// Option that names a preset that is saved in the library.
const SAVED_PRESET: &str = "--saved-preset";

/// What a server in an agent's config is to serve.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Folder of the library; `None` for the one that Memlens uses if none is named.
    pub library: Option<PathBuf>,
    /// Whether all watched folders are served, and not the agent's own alone.
    pub all_folders: bool,
    /// Absolute path of a `memlens.json`; `None` for the defaults.
    pub preset: Option<PathBuf>,
    /// Name of a preset that is saved in the library; `None` for `preset`.
    pub saved_preset: Option<String>,
}

/// The command for an agent's config.
///
/// # Errors
/// [`EngineError::System`] if a path is no text, which no config can hold.
pub fn launch(
    program: &Path,
    config: &ToolServerConfig,
    wanted: &Wanted,
) -> Result<Launch, EngineError> {
    let mut args = Vec::new();
    if let Some(library) = &wanted.library {
        args.extend([LIBRARY.to_owned(), text(library)?]);
    }
    args.extend(["serve", "--mcp"].map(str::to_owned));
    if !wanted.all_folders {
        args.extend([AGENT, config.id()].map(str::to_owned));
    }
    if let Some(preset) = &wanted.preset {
        args.extend([PRESET.to_owned(), text(preset)?]);
    }
    if let Some(name) = &wanted.saved_preset {
        // As one word, so that a name with a hyphen at its beginning is no option.
        args.push(format!("{SAVED_PRESET}={name}"));
    }
    Ok(Launch {
        command: text(program)?,
        args,
    })
}

/// What a command was chosen to serve.
pub(super) fn choice(launch: &Launch) -> ToolServerChoice {
    ToolServerChoice {
        all_folders: launch.option(AGENT).is_none(),
        preset: launch.option(SAVED_PRESET).map(str::to_owned),
    }
}

/// Whether a server would have nothing to serve, and so would not start.
pub fn is_unserved(folders: &[Folder], config: &ToolServerConfig, all_folders: bool) -> bool {
    let mut folders = folders.iter();
    !all_folders && !folders.any(|folder| folder.agent.as_deref() == Some(config.id()))
}

/// The reason that an agent without watched folders is not connected.
pub fn unserved(config: &ToolServerConfig) -> EngineError {
    let name = config.agent().name;
    EngineError::System {
        attempt: "connect the agent",
        why: format!(
            "no watched folder belongs to {name}; watch its notes first, or serve all watched folders"
        ),
    }
}

/// The library to name in a command: `None` if Memlens uses it without being named, whatever the environment.
pub fn own_library(dir: &Path, default: Option<&Path>) -> Option<PathBuf> {
    // Agents may start servers without this variable.
    let is_moved = std::env::var_os("XDG_DATA_HOME").is_some();
    (is_moved || default != Some(dir)).then(|| dir.to_owned())
}

/// The program of the command line that is installed beside `own`, a program of Memlens.
///
/// # Errors
/// [`EngineError::System`] if it is not there.
pub fn command_line_program(own: &Path) -> Result<PathBuf, EngineError> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let program = own.with_file_name(name);
    if program.is_file() {
        return Ok(lasting(program));
    }
    let place = program.display();
    Err(EngineError::System {
        attempt: "find the program that agents start",
        why: format!("there is no {place}; install Memlens again"),
    })
}

/// The path of the program that lasts: an AppImage is mounted at another place in each run, so its own path counts.
pub fn lasting(program: PathBuf) -> PathBuf {
    lasting_by(program, &|name| std::env::var_os(name).map(PathBuf::from))
}

fn lasting_by(program: PathBuf, variable: &dyn Fn(&str) -> Option<PathBuf>) -> PathBuf {
    match (variable("APPDIR"), variable("APPIMAGE")) {
        (Some(mount), Some(image)) if program.starts_with(&mount) => image,
        _ => program,
    }
}

fn text(path: &Path) -> Result<String, EngineError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| EngineError::System {
        attempt: "write a path into a config",
        why: format!("{} is not UTF-8 text", path.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_an_appimage_is_named_by_the_appimage() {
        let image = |name: &str| match name {
            "APPDIR" => Some(PathBuf::from("/tmp/.mount_x")),
            "APPIMAGE" => Some(PathBuf::from("/opt/Memlens.AppImage")),
            _ => None,
        };
        let check = |program: &str, expected: &str| {
            let found = lasting_by(PathBuf::from(program), &image);
            assert_eq!(found, Path::new(expected));
        };
        check("/tmp/.mount_x/usr/bin/memlens", "/opt/Memlens.AppImage");
        // Started from the terminal of another AppImage.
        check("/usr/bin/memlens", "/usr/bin/memlens");
        let program = PathBuf::from("/usr/bin/memlens");
        assert_eq!(lasting_by(program.clone(), &|_| None), program);
    }

    #[test]
    fn the_program_beside_the_window_is_named_and_an_absent_one_is_reported() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let window = folder.path().join("memlens-app");
        let absent = command_line_program(&window).expect_err("there is none");
        assert!(
            absent.to_string().contains("install Memlens again"),
            "{absent}"
        );
        let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
        std::fs::write(folder.path().join(&name), "").expect("it can be written");
        let found = command_line_program(&window).expect("it is there");
        assert_eq!(found, folder.path().join(name));
    }
}
