//! The compiler of Debian's unstable suite, the C compilers of both targets, wine, and the sandbox in which they run.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{in_folder, once, require, write};
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;

/// Packages that are unpacked, with all that they need. Debian's packages do not name the shell and the basic programs, which every
/// system has.
const PACKAGES: [&str; 11] = [
    "bash",
    "coreutils",
    "rustc",
    "cargo",
    "rust-src",
    "gcc-mingw-w64-x86-64-posix",
    "g++-mingw-w64-x86-64-posix",
    "ca-certificates",
    "git",
    "base-files",
    "wine64",
];
/// A C compiler with the headers of macOS.
const ZIG: &str = "ziglang==0.17.1";
/// Tools of mingw that Debian names by a link which only an installation makes.
const MINGW_TOOLS: [&str; 5] = ["gcc", "g++", "gcc-ar", "gcc-ranlib", "gcc-nm"];

/// The compression library of mingw, and the place where wine looks for it. Debian copies it when wine is installed.
const ZLIB: [&str; 2] = [
    "x86_64-w64-mingw32/lib/zlib1.dll",
    "lib/x86_64-linux-gnu/wine/x86_64-windows/zlib1.dll",
];
/// What wine looks for in a library of its own, and the place of it in the file.
const BUILTIN: (usize, &[u8; 32]) = (64, b"Wine builtin DLL\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");

/// An unpacked compiler.
pub struct Toolchain {
    /// Root folder of the unpacked packages.
    root: PathBuf,
    zig: PathBuf,
    /// Folder of the compiler's wrappers.
    pub tools: PathBuf,
}

impl Toolchain {
    /// Downloads and unpacks what `dir` lacks.
    pub fn ensure(dir: &Path) -> Result<Toolchain> {
        require("bwrap", "bubblewrap")?;
        require("apt-get", "apt")?;
        require("dpkg", "dpkg")?;
        let toolchain = Toolchain {
            root: dir.join("root"),
            zig: dir.join("zig"),
            tools: dir.join("tools"),
        };
        let packages = PACKAGES.join(" ");
        once(&dir.join("unpacked"), &packages, || toolchain.unpack(dir))?;
        once(&dir.join("zig-installed"), ZIG, || {
            let mut pip = crate::setup::pip()?;
            pip.args([
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--target",
            ]);
            command::run(pip.arg(&toolchain.zig).arg(ZIG))
        })?;
        toolchain.write_tools()?;
        Ok(toolchain)
    }

    fn unpack(&self, dir: &Path) -> Result<()> {
        let folder = |path: &Path| {
            fs::create_dir_all(path).map_err(|source| Error::Write {
                path: path.to_owned(),
                source,
            })
        };
        for name in ["apt/lists/partial", "apt/cache/archives/partial"] {
            folder(&dir.join(name))?;
        }
        let mirror = mirror()?;
        write(
            &dir.join("apt/sid.list"),
            &format!("deb {mirror} sid main\n"),
        )?;
        // With nothing installed, what belongs to every system is downloaded too.
        write(&dir.join("apt/status"), "")?;
        command::run(apt(dir).args(["--quiet", "update"]))?;
        let mut download = apt(dir);
        download.args([
            "--quiet",
            "--yes",
            "--no-install-recommends",
            "--download-only",
            "install",
        ]);
        command::run(download.args(PACKAGES))?;

        for name in ["bin", "sbin", "lib", "lib64"] {
            folder(&self.root.join("usr").join(name))?;
            link(&format!("usr/{name}"), &self.root.join(name))?;
        }
        let archives = dir.join("apt/cache/archives");
        for package in files(&archives, "deb")? {
            command::run(Command::new("dpkg").arg("-x").arg(package).arg(&self.root))?;
        }
        // What an installation would have linked.
        let bin = self.root.join("usr/bin");
        link("bash", &bin.join("sh"))?;
        link("gcc", &bin.join("cc"))?;
        for tool in MINGW_TOOLS {
            let name = format!("x86_64-w64-mingw32-{tool}");
            link(&format!("{name}-posix"), &bin.join(name))?;
        }
        self.copy_zlib()
    }

    fn copy_zlib(&self) -> Result<()> {
        let [from, to] = ZLIB.map(|name| self.root.join("usr").join(name));
        let library = fs::read(&from).map_err(|source| Error::Read { path: from, source })?;
        fs::write(&to, as_builtin(library)).map_err(|source| Error::Write { path: to, source })
    }

    /// Writes wrappers that give zig the options that it takes.
    fn write_tools(&self) -> Result<()> {
        fs::create_dir_all(&self.tools).map_err(|source| Error::Write {
            path: self.tools.clone(),
            source,
        })?;
        let zig = self.zig.join("ziglang/zig").display().to_string();
        for (name, tool) in [("macos-cc", "cc"), ("macos-c++", "c++")] {
            self.write_tool(name, &format!("#!/bin/bash\n{WITHOUT_TARGET}exec '{zig}' {tool} -target aarch64-macos -fno-sanitize=undefined \"${{kept[@]}}\"\n"))?;
        }
        self.write_tool(
            "macos-ar",
            &format!("#!/bin/bash\nexec '{zig}' ar \"$@\"\n"),
        )
    }

    fn write_tool(&self, name: &str, text: &str) -> Result<()> {
        let path = self.tools.join(name);
        write(&path, text)?;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&path, mode).map_err(|source| Error::Write { path, source })
    }

    /// The unpacked cargo.
    pub fn cargo(&self, project: &Project, variables: &[(&str, String)]) -> Command {
        let home = cargo_home();
        let mut bwrap = self.sandbox(&project.root, &[&home, &project.root]);
        bwrap.arg("--setenv").arg("CARGO_HOME").arg(&home);
        for (name, value) in [("RUSTC_BOOTSTRAP", "1"), ("RUSTFLAGS", "-Dwarnings")] {
            bwrap.args(["--setenv", name, value]);
        }
        for (name, value) in variables {
            bwrap.args(["--setenv", name, value]);
        }
        let inherited = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        // Build scripts would take what cargo sets for this program's own crate for a change.
        let is_of_cargo = |name: &String| {
            let prefixes = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"];
            prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let own = ["RUSTUP_TOOLCHAIN".to_owned(), "CARGO".to_owned()];
        for name in inherited.filter(is_of_cargo).chain(own) {
            bwrap.args(["--unsetenv", &name]);
        }
        bwrap.args(["--", "/usr/bin/cargo"]);
        bwrap
    }

    /// A sandbox whose system is the unpacked one, at work in `current`, with access to `folders` and to what this task keeps.
    pub fn sandbox(&self, current: &Path, folders: &[&Path]) -> Command {
        let mut bwrap = in_folder(current, "bwrap");
        bwrap.arg("--bind").arg(&self.root).arg("/");
        bwrap.args(["--bind", "/tmp", "/tmp", "--dev", "/dev", "--proc", "/proc"]);
        for file in ["/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs"] {
            bwrap.args(["--ro-bind", file, file]);
        }
        let kept = self.root.parent().unwrap_or(&self.root);
        for folder in folders.iter().copied().chain([kept]) {
            bwrap.arg("--bind").args([folder, folder]);
        }
        bwrap.arg("--chdir").arg(current);
        bwrap.args(["--die-with-parent", "--setenv", "PATH", "/usr/bin"]);
        bwrap
    }
}

/// A library of Windows with the mark of wine's own in its header, where DOS programs have their code.
fn as_builtin(mut library: Vec<u8>) -> Vec<u8> {
    let (start, mark) = BUILTIN;
    if let Some(place) = library.get_mut(start..start + mark.len()) {
        place.copy_from_slice(mark);
    }
    library
}

/// Lines of a shell that drop the options by which cc names the target.
const WITHOUT_TARGET: &str = r#"kept=()
while [ $# -gt 0 ]; do
  case "$1" in
    --target=*|-mmacosx-version-min=*) ;;
    -arch|-isysroot) shift ;;
    *) kept+=("$1") ;;
  esac
  shift
done
"#;

/// The folder in which cargo keeps what it downloads.
fn cargo_home() -> PathBuf {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named.unwrap_or_else(|| dirs::home_dir().unwrap_or_default().join(".cargo"))
}

/// The address from which this machine takes Debian's packages.
fn mirror() -> Result<String> {
    let answer = command::output(Command::new("apt-get").args([
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
    ]))?;
    mirror_in(&answer).ok_or_else(|| {
        Error::Setup(
            "apt knows no source of Debian's packages: this works on Debian only".to_owned(),
        )
    })
}

fn mirror_in(addresses: &str) -> Option<String> {
    let is_main = |address: &&str| address.trim_end_matches('/').ends_with("/debian");
    addresses.lines().find(is_main).map(str::to_owned)
}

/// apt with lists, cache and status of its own.
fn apt(dir: &Path) -> Command {
    let mut apt = Command::new("apt-get");
    let at = |name: &str| dir.join("apt").join(name).display().to_string();
    for option in [
        format!("Dir::Etc::sourcelist={}", at("sid.list")),
        "Dir::Etc::sourceparts=/dev/null".to_owned(),
        format!("Dir::State::Lists={}", at("lists")),
        format!("Dir::State::status={}", at("status")),
        format!("Dir::Cache={}", at("cache")),
        "APT::Sandbox::User=root".to_owned(),
    ] {
        apt.args(["-o", &option]);
    }
    apt
}

fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = folder.read_dir().map_err(|source| Error::Read {
        path: folder.to_owned(),
        source,
    })?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths
        .filter(|path| path.extension().is_some_and(|it| it == ending))
        .collect())
}

/// Makes a link, unless something is there.
fn link(target: &str, path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    symlink(target, path).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_of_the_machine_is_taken() {
        let addresses =
            "http://mirror/debian-security/\nhttp://mirror/debian/\nhttp://mirror/debian/\n";
        assert_eq!(
            mirror_in(addresses).as_deref(),
            Some("http://mirror/debian/")
        );
        assert_eq!(mirror_in("http://mirror/ubuntu/\n"), None);
    }

    #[test]
    fn a_library_is_marked_without_moving_its_code() {
        let marked = as_builtin(vec![7; 200]);
        assert_eq!(marked.len(), 200);
        assert_eq!(&marked[64..80], b"Wine builtin DLL");
        assert!(marked[80..96].iter().all(|byte| *byte == 0));
        assert!(
            marked[..64]
                .iter()
                .chain(&marked[96..])
                .all(|byte| *byte == 7)
        );
        assert_eq!(as_builtin(vec![7; 10]), [7; 10]);
    }

    #[test]
    fn the_wrapper_drops_what_names_the_target() {
        let script = format!("{WITHOUT_TARGET}printf '%s ' \"${{kept[@]}}\"");
        let given = [
            "-O2",
            "--target=arm64-apple-macosx",
            "-arch",
            "arm64",
            "-c",
            "a.c",
            "-isysroot",
            "/nowhere",
        ];
        let printed = command::output(Command::new("bash").args(["-c", &script, "cc"]).args(given));
        assert_eq!(printed.unwrap().trim(), "-O2 -c a.c");
    }
}
