//! Finds the file of a program that is named without its ending.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::System;

/// Endings of files that Windows runs, in the order in which it tries them.
const ENDINGS: [&str; 4] = ["com", "exe", "bat", "cmd"];

/// Returns what to start for the name of a program. On Windows a name without an ending becomes the path of the first file
/// on `PATH` with an ending of programs, because the system itself tries `.exe` only: `npx` and `code` are `.cmd` files
/// there. Otherwise, and if there is none, the name as it is.
pub fn program(name: &str) -> OsString {
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&folders).collect();
    program_in(System::CURRENT, name, &folders)
}

fn program_in(system: System, name: &str, folders: &[PathBuf]) -> OsString {
    let has_ending = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str);
        ending.is_some_and(|ending| ENDINGS.iter().any(|one| ending.eq_ignore_ascii_case(one)))
    };
    let path = Path::new(name);
    if system != System::Windows || has_ending(path) {
        return name.into();
    }
    let is_bare = !name.contains(['/', '\\', ':']);
    let folders = if is_bare { folders } else { &[PathBuf::new()] };
    let found = folders.iter().find_map(|folder| {
        ENDINGS.iter().find_map(|ending| {
            let mut file = folder.join(path).into_os_string();
            file.push(format!(".{ending}"));
            Path::new(&file).is_file().then_some(file)
        })
    });
    found.unwrap_or_else(|| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_an_ending_is_completed_on_windows() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        for (folder, files) in [
            (&one, &["npx", "npx.cmd"][..]),
            (&two, &["npx.exe", "rg.exe", "v1.2.cmd"]),
        ] {
            std::fs::create_dir(folder).expect("it can be made");
            for file in files {
                std::fs::write(folder.join(file), "").expect("it can be written");
            }
        }
        let folders = [one.clone(), two.clone()];
        let inside = two.join("rg").to_string_lossy().into_owned();
        for (name, expected) in [
            ("npx", one.join("npx.cmd")),
            ("rg", two.join("rg.exe")),
            ("v1.2", two.join("v1.2.cmd")),
            (&inside, two.join("rg.exe")),
            ("rg.exe", "rg.exe".into()),
            ("RG.EXE", "RG.EXE".into()),
            ("absent", "absent".into()),
        ] {
            let found = program_in(System::Windows, name, &folders);
            assert_eq!(Path::new(&found), expected, "{name}");
            assert_eq!(program_in(System::Linux, name, &folders), OsStr::new(name));
        }
    }
}
