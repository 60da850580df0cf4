//! The ONNX Runtime library: one pinned file out of the wheel that Python's package index serves for each platform.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::python;
use crate::command;
use crate::error::{Error, Result};
use crate::fingerprint;
use crate::project::Project;

const VERSION: &str = "1.31.1";

/// The library is wanted, not the Python module around it, so one wheel serves every local Python. On macOS and Windows
/// the library differs between the wheels of two Python versions, on Linux it does not.
const WHEEL_PYTHON: &str = "3.12";

#[derive(Debug)]
struct Build {
    os: &'static str,
    arch: &'static str,
    platform: &'static str,
    wheel_sha256: &'static str,
    /// The library's path inside the wheel.
    member: &'static str,
    library_sha256: &'static str,
}

impl Build {
    /// The library's name once extracted, with the version if the platform's names have one.
    fn file(&self) -> &'static str {
        self.member
            .rsplit('/')
            .next()
            .expect("a path has a last part")
    }
}

const BUILDS: &[Build] = &[
    Build {
        os: "linux",
        arch: "x86_64",
        platform: "manylinux_2_28_x86_64",
        wheel_sha256: "1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536",
        member: "onnxruntime/capi/libonnxruntime.so.1.31.1",
        library_sha256: "fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3",
    },
    Build {
        os: "linux",
        arch: "aarch64",
        platform: "manylinux_2_28_aarch64",
        wheel_sha256: "0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc",
        member: "onnxruntime/capi/libonnxruntime.so.1.31.1",
        library_sha256: "8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467",
    },
    Build {
        os: "macos",
        arch: "aarch64",
        platform: "macosx_14_0_arm64",
        wheel_sha256: "96dd2564b10ea7153ad9c207e7cd8e5917cb3ba521e0e0a62ac03486fdc8d56c",
        member: "onnxruntime/capi/libonnxruntime.1.31.1.dylib",
        library_sha256: "d586cbe89effc085a09d3341b3cfbd5c322517f9d397aeb20814af21433f2b36",
    },
    Build {
        os: "windows",
        arch: "x86_64",
        platform: "win_amd64",
        wheel_sha256: "ae8a9a351efda685cc59a66226cdefaa37a126c1d66872ca23a2de9425326130",
        member: "onnxruntime/capi/onnxruntime.dll",
        library_sha256: "e45f61e50d8650885452be538a00bb14a715e46a1bc3691000ce947e89ed0306",
    },
    Build {
        os: "windows",
        arch: "aarch64",
        platform: "win_arm64",
        wheel_sha256: "fe8b9ac1ae8e894e12c47ee82e4f6dfc1835768133687257866469fda80d0bf1",
        member: "onnxruntime/capi/onnxruntime.dll",
        library_sha256: "dc9e2fe646a72829386a24ac9185a7a4e26d7dbe5dc433d41df063603c00bbc7",
    },
];

/// What the library holds of others, and its name once extracted.
const NOTICES: (&str, &str) = ("onnxruntime/ThirdPartyNotices.txt", "ThirdPartyNotices.txt");

/// The pinned library and the notices that go with it wherever it is given away.
#[derive(Debug)]
pub struct Runtime {
    pub library: PathBuf,
    /// The notices of those whose code it holds.
    pub notices: PathBuf,
}

/// Library and notices, fetched if one of them is not there.
pub fn redistributable(project: &Project) -> Result<Runtime> {
    let build = build()?;
    let runtime = Runtime {
        library: folder(project).join(build.file()),
        notices: folder(project).join(NOTICES.1),
    };
    if !is_intact(&runtime.library, build) || !runtime.notices.is_file() {
        fetch(project)?;
    }
    Ok(runtime)
}

/// Whether the pinned library is complete in the fetched folder, or the user set one of their own.
pub fn is_in_place(project: &Project) -> bool {
    let is_own = env::var_os("ORT_DYLIB_PATH").is_some_and(|path| Path::new(&path).is_file());
    is_own || build().is_ok_and(|build| is_intact(&folder(project).join(build.file()), build))
}

/// Downloads the wheel of this machine, checks it and takes the library out of it.
pub fn fetch(project: &Project) -> Result<()> {
    fetch_into(&folder(project), build()?)
}

/// The pinned library for Windows on x86-64, in `folder`, fetched if it is not there.
pub fn for_windows(folder: &Path) -> Result<PathBuf> {
    let build = build_for("windows", "x86_64")?;
    let library = folder.join(build.file());
    if !is_intact(&library, build) {
        fetch_into(folder, build)?;
    }
    Ok(library)
}

fn fetch_into(folder: &Path, build: &Build) -> Result<()> {
    let download = folder.join("download");
    let write_error = |source| Error::Write {
        path: download.clone(),
        source,
    };
    // What an interrupted download left there is not to be taken for this one.
    if download.exists() {
        fs::remove_dir_all(&download).map_err(write_error)?;
    }
    fs::create_dir_all(&download).map_err(write_error)?;
    eprintln!("Downloading ONNX Runtime {VERSION} for {}", build.platform);
    command::run(
        python::pip()?
            .args(["download", "--quiet", "--disable-pip-version-check"])
            .args(["--no-deps", "--only-binary=:all:"])
            .args(["--implementation", "cp", "--python-version", WHEEL_PYTHON])
            .args(["--platform", build.platform, "--dest"])
            .arg(&download)
            .arg(format!("onnxruntime=={VERSION}")),
    )?;
    let wheel = wheel_in(&download)?;
    extract(&wheel, folder, build)?;
    extract_notices(&wheel, folder)?;
    fs::remove_dir_all(&download).map_err(write_error)
}

fn folder(project: &Project) -> PathBuf {
    project.fetched().join("onnxruntime")
}

fn build() -> Result<&'static Build> {
    build_for(env::consts::OS, env::consts::ARCH)
}

fn build_for(os: &str, arch: &str) -> Result<&'static Build> {
    BUILDS
        .iter()
        .find(|build| build.os == os && build.arch == arch)
        .ok_or_else(|| {
            Error::Setup(format!(
                "there is no build of ONNX Runtime {VERSION} for {os} on {arch}. Set ORT_DYLIB_PATH to an ONNX Runtime library of version 1.24 or newer"
            ))
        })
}

fn is_intact(library: &Path, build: &Build) -> bool {
    fingerprint::of_file(library).is_ok_and(|sum| sum == build.library_sha256)
}

fn wheel_in(download: &Path) -> Result<PathBuf> {
    let read_error = |source| Error::Read {
        path: download.to_owned(),
        source,
    };
    fs::read_dir(download)
        .map_err(read_error)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| read_error(io::Error::other("pip left no wheel there")))
}

/// Takes the library out of `wheel`. It gets its name only once its sum is right, so a broken one is never loaded.
fn extract(wheel: &Path, folder: &Path, build: &Build) -> Result<()> {
    ensure_sum(wheel, build.wheel_sha256)?;
    let read_error = |source| Error::Read {
        path: wheel.to_owned(),
        source,
    };
    let mut archive = zip::ZipArchive::new(File::open(wheel).map_err(read_error)?)
        .map_err(|error| read_error(error.into()))?;
    let mut member = archive
        .by_name(build.member)
        .map_err(|error| read_error(error.into()))?;
    let partial = folder.join(format!("{}.partial", build.file()));
    let write_error = |source| Error::Write {
        path: partial.clone(),
        source,
    };
    let mut out = File::create(&partial).map_err(write_error)?;
    io::copy(&mut member, &mut out).map_err(write_error)?;
    out.sync_all().map_err(write_error)?;
    ensure_sum(&partial, build.library_sha256)?;
    fs::rename(&partial, folder.join(build.file())).map_err(write_error)
}

/// Takes the notices out of a wheel whose sum was checked.
fn extract_notices(wheel: &Path, folder: &Path) -> Result<()> {
    let read_error = |source| Error::Read {
        path: wheel.to_owned(),
        source,
    };
    let mut archive = zip::ZipArchive::new(File::open(wheel).map_err(read_error)?)
        .map_err(|error| read_error(error.into()))?;
    let mut member = archive
        .by_name(NOTICES.0)
        .map_err(|error| read_error(error.into()))?;
    let path = folder.join(NOTICES.1);
    let mut copy = || io::copy(&mut member, &mut File::create(&path)?);
    match copy() {
        Ok(_) => Ok(()),
        Err(source) => Err(Error::Write { path, source }),
    }
}

fn ensure_sum(path: &Path, pinned: &str) -> Result<()> {
    let found = fingerprint::of_file(path)?;
    if found == pinned {
        return Ok(());
    }
    Err(Error::Checksum {
        path: path.to_owned(),
        found,
        pinned: pinned.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    //! A wheel or a library that is not the pinned one is refused and leaves nothing that could be loaded.

    use std::io::Write;

    use super::*;

    /// Writes a wheel holding one library and returns its path and its two sums.
    fn wheel(folder: &Path, library: &[u8]) -> (PathBuf, String, String) {
        let path = folder.join("x.whl");
        let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
        archive
            .start_file("capi/lib.so", zip::write::SimpleFileOptions::default())
            .unwrap();
        archive.write_all(library).unwrap();
        archive.finish().unwrap();
        let sum = fingerprint::of_file(&path).unwrap();
        (path, sum, fingerprint::of_bytes(library))
    }

    fn pinned(wheel_sha256: &str, library_sha256: &str) -> Build {
        Build {
            os: "any",
            arch: "any",
            platform: "any",
            wheel_sha256: wheel_sha256.to_owned().leak(),
            member: "capi/lib.so",
            library_sha256: library_sha256.to_owned().leak(),
        }
    }

    #[test]
    fn the_pinned_library_is_extracted_and_seen_as_intact() {
        let folder = tempfile::tempdir().unwrap();
        let (path, wheel_sum, library_sum) = wheel(folder.path(), b"code");
        let build = pinned(&wheel_sum, &library_sum);
        let library = folder.path().join("lib.so");
        assert!(!is_intact(&library, &build));
        extract(&path, folder.path(), &build).unwrap();
        assert_eq!(fs::read(&library).unwrap(), b"code");
        assert!(is_intact(&library, &build));
        fs::write(&library, b"cude").unwrap();
        assert!(!is_intact(&library, &build));
    }

    #[test]
    fn another_wheel_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, wheel_sum, library_sum) = wheel(folder.path(), b"code");
        let other = fingerprint::of_bytes(b"another wheel");
        assert_ne!(other, wheel_sum);
        let error = extract(&path, folder.path(), &pinned(&other, &library_sum)).unwrap_err();
        assert!(matches!(error, Error::Checksum { .. }), "{error}");
        assert!(error.to_string().contains(&other), "{error}");
        assert!(!folder.path().join("lib.so").exists());
    }

    #[test]
    fn another_library_in_the_wheel_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, wheel_sum, _) = wheel(folder.path(), b"code");
        let other = fingerprint::of_bytes(b"another library");
        let error = extract(&path, folder.path(), &pinned(&wheel_sum, &other)).unwrap_err();
        assert!(matches!(error, Error::Checksum { .. }), "{error}");
        assert!(!folder.path().join("lib.so").exists());
    }

    #[test]
    fn every_platform_is_pinned_once_by_whole_sums() {
        let mut platforms: Vec<_> = BUILDS.iter().map(|build| (build.os, build.arch)).collect();
        platforms.sort_unstable();
        platforms.dedup();
        assert_eq!(platforms.len(), BUILDS.len());
        for build in BUILDS {
            for sum in [build.wheel_sha256, build.library_sha256] {
                assert_eq!(sum.len(), 64, "{}", build.platform);
                assert!(sum.bytes().all(|byte| byte.is_ascii_hexdigit()), "{sum}");
            }
        }
    }
}
