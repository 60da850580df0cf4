//! The Windows command line under wine, in the sandbox of the toolchain.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::toolchain::Toolchain;
use super::{MODEL, make_folder, once};
use crate::command;
use crate::error::{Error, Result};
use crate::package::MODEL_FILES;
use crate::project::Project;
use crate::setup;

const WINE: &str = "/usr/lib/x86_64-linux-gnu/wine/wine";
const WINE_SERVER: &str = "/usr/lib/x86_64-linux-gnu/wine/wineserver";

/// A Windows of wine, and the program with what it needs beside it.
pub struct Wine<'a> {
    toolchain: &'a Toolchain,
    /// Folder of wine's drive C and registry, of its user and of the program.
    dir: PathBuf,
    program: PathBuf,
}

impl<'a> Wine<'a> {
    /// Makes drive C and registry in `dir`, unless they are there.
    pub fn prepare(toolchain: &'a Toolchain, dir: &Path) -> Result<Wine<'a>> {
        let program = dir.join("program");
        let wine = Wine {
            toolchain,
            dir: dir.to_owned(),
            program,
        };
        make_folder(&wine.program)?;
        make_folder(&wine.home())?;
        once(&dir.join("wine-booted"), WINE, || {
            let prefix = wine.prefix();
            if prefix.exists() {
                fs::remove_dir_all(&prefix).map_err(|source| Error::Write {
                    path: prefix.clone(),
                    source,
                })?;
            }
            make_folder(&prefix)?;
            captured(&mut wine.command(dir, &[WINE, "wineboot", "-i"]))?;
            // The registry is written when the server ends.
            captured(&mut wine.command(dir, &[WINE_SERVER, "-w"]))?;
            Ok(())
        })?;
        Ok(wine)
    }

    /// Copies the built program, with model and ONNX Runtime beside it.
    pub fn install(&self, project: &Project, executable: &Path) -> Result<()> {
        let model = self.program.join("model");
        make_folder(&model)?;
        copy(executable, &self.program.join("memlens.exe"))?;
        setup::windows_runtime(&self.program)?;
        for file in MODEL_FILES {
            copy(&project.root.join(MODEL).join(file), &model.join(file))?;
        }
        Ok(())
    }

    /// `memlens.exe` at work in `current`.
    pub fn memlens(&self, current: &Path, arguments: &[&str]) -> Command {
        let program = self.program.join("memlens.exe");
        let program = program.to_string_lossy();
        let mut line = vec![WINE, &program];
        line.extend(arguments);
        self.command(current, &line)
    }

    fn command(&self, current: &Path, line: &[&str]) -> Command {
        let mut sandbox = self.toolchain.sandbox(current, &[]);
        let (prefix, home) = (self.prefix(), self.home());
        for (name, value) in [
            ("WINEPREFIX", prefix.to_string_lossy()),
            ("HOME", home.to_string_lossy()),
            ("XDG_RUNTIME_DIR", home.to_string_lossy()),
            ("WINEDEBUG", "-all".into()),
            // Wine asks to download both otherwise.
            ("WINEDLLOVERRIDES", "mscoree=;mshtml=".into()),
        ] {
            sandbox.args(["--setenv", name, &value]);
        }
        sandbox.args(["--unsetenv", "DISPLAY", "--unsetenv", "WAYLAND_DISPLAY"]);
        sandbox.args(["--unsetenv", "ORT_DYLIB_PATH", "--"]);
        sandbox.args(line);
        sandbox
    }

    fn prefix(&self) -> PathBuf {
        self.dir.join("wine-prefix")
    }

    fn home(&self) -> PathBuf {
        self.dir.join("wine-home")
    }
}

/// Runs a command and returns its standard output. Standard error is printed only if the command fails: wine reports much.
pub fn captured(program: &mut Command) -> Result<String> {
    let line = command::line(program);
    let output = program.output().map_err(|source| Error::Start {
        command: line.clone(),
        source,
    })?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Error::Failed {
            command: line,
            status: output.status,
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).map_err(|source| Error::Write {
        path: to.to_owned(),
        source,
    })
}
