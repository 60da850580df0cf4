//! The system packages that building, running and testing need.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use super::{Install, Purpose, python};
use crate::command;
use crate::error::{Error, Result};

/// A kind of system that names its packages in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    Debian,
    Fedora,
    Arch,
    /// A Linux whose package names are not known here.
    Linux,
    MacOs,
    /// Windows, where whatever could build this program can build the rest.
    Complete,
}

/// What shows that a need is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// All these programs are on the search path.
    Programs(&'static [&'static str]),
    /// pkg-config finds the library; on Debian the package itself is asked for.
    Library(&'static str),
    /// A Python 3 has pip.
    Pip,
}

/// One thing that Memlens needs of a Linux system.
#[derive(Debug)]
struct Need {
    debian: &'static str,
    fedora: &'static str,
    arch: &'static str,
    proof: Proof,
    /// The least purpose that needs it.
    purpose: Purpose,
}

const NEEDS: &[Need] = &[
    Need {
        debian: "build-essential",
        fedora: "gcc gcc-c++ make",
        arch: "base-devel",
        proof: Proof::Programs(&["cc", "c++", "make"]),
        purpose: Purpose::Terminal,
    },
    Need {
        debian: "python3-pip",
        fedora: "python3-pip",
        arch: "python-pip",
        proof: Proof::Pip,
        purpose: Purpose::Terminal,
    },
    Need {
        debian: "pkg-config",
        fedora: "pkgconf-pkg-config",
        arch: "pkgconf",
        proof: Proof::Programs(&["pkg-config"]),
        purpose: Purpose::Window,
    },
    Need {
        debian: "libwebkit2gtk-4.1-dev",
        fedora: "webkit2gtk4.1-devel",
        arch: "webkit2gtk-4.1",
        proof: Proof::Library("webkit2gtk-4.1"),
        purpose: Purpose::Window,
    },
    Need {
        debian: "xvfb",
        fedora: "xorg-x11-server-Xvfb",
        arch: "xorg-server-xvfb",
        proof: Proof::Programs(&["Xvfb"]),
        purpose: Purpose::Headless,
    },
    Need {
        debian: "webkit2gtk-driver",
        fedora: "(the package that gives WebKitWebDriver)",
        arch: "(the package that gives WebKitWebDriver)",
        proof: Proof::Programs(&["WebKitWebDriver"]),
        purpose: Purpose::Headless,
    },
    // Shows in a test that nothing is connected to.
    Need {
        debian: "strace",
        fedora: "strace",
        arch: "strace",
        proof: Proof::Programs(&["strace"]),
        purpose: Purpose::Headless,
    },
];

/// Installs what `purpose` lacks, or says how to.
///
/// Pip is asked for only when it `is_pip_needed`. Errors when something is missing that may or can not be installed.
pub fn ensure(purpose: Purpose, is_pip_needed: bool, install: Install) -> Result<()> {
    let system = system();
    let lacks = || match system {
        System::Debian | System::Fedora | System::Arch | System::Linux => {
            missing(purpose, is_pip_needed, |need| is_met(need, system))
        }
        System::MacOs | System::Complete => Vec::new(),
    };
    let needs = lacks();
    if system == System::MacOs && !runs(Command::new("xcode-select").arg("-p")) {
        return Err(Error::Setup(
            "the Xcode command line tools are missing: run `xcode-select --install`".to_owned(),
        ));
    }
    if needs.is_empty() {
        return Ok(());
    }
    let names = names(&needs, system);
    let how = instruction(system, &names, is_root());
    let can_install = system == System::Debian && (is_root() || command::find("sudo").is_some());
    if install == Install::Nothing || !can_install {
        return Err(Error::Setup(format!("missing {names}. {how}")));
    }
    eprintln!("Installing the missing system packages: {names}");
    // A list that cannot be refreshed, for instance of a foreign source, may still do.
    if let Err(error) = command::run(&mut apt_get(&["update", "--quiet"])) {
        eprintln!("Cannot refresh the package lists, continuing without: {error}");
    }
    let mut arguments = vec!["install", "--yes", "--quiet", "--no-install-recommends"];
    arguments.extend(needs.iter().map(|need| need.debian));
    command::run(&mut apt_get(&arguments))?;
    let still = lacks();
    if still.is_empty() {
        return Ok(());
    }
    Err(Error::Setup(format!(
        "still missing after installation: {}",
        self::names(&still, system)
    )))
}

/// The needs of `purpose` that are not met, in the order of the table.
fn missing(
    purpose: Purpose,
    is_pip_needed: bool,
    is_met: impl Fn(&Need) -> bool,
) -> Vec<&'static Need> {
    NEEDS
        .iter()
        .filter(|need| need.purpose <= purpose)
        .filter(|need| is_pip_needed || need.proof != Proof::Pip)
        .filter(|need| !is_met(need))
        .collect()
}

fn is_met(need: &Need, system: System) -> bool {
    match (need.proof, system) {
        (Proof::Programs(programs), _) => programs.iter().all(|name| command::find(name).is_some()),
        (Proof::Pip, _) => python::with_pip().is_some(),
        (Proof::Library(_), System::Debian) => {
            let answer = Command::new("dpkg-query")
                .args(["--show", "--showformat=${Package} ${db:Status-Status}\\n"])
                .arg(need.debian)
                .stderr(Stdio::null())
                .output();
            // A package that dpkg has never heard of makes the query fail: then it is not installed.
            answer.is_ok_and(|answer| {
                installed(&String::from_utf8_lossy(&answer.stdout)).contains(need.debian)
            })
        }
        (
            Proof::Library(library),
            System::Fedora | System::Arch | System::Linux | System::MacOs | System::Complete,
        ) => runs(Command::new("pkg-config").args(["--exists", library])),
    }
}

/// Reads lines of `package status`, as dpkg-query prints them.
fn installed(answer: &str) -> BTreeSet<&str> {
    answer
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, status)| *status == "installed")
        .map(|(package, _)| package)
        .collect()
}

fn names(needs: &[&Need], system: System) -> String {
    let name = |need: &&Need| match system {
        System::Debian | System::Linux | System::MacOs | System::Complete => need.debian,
        System::Fedora => need.fedora,
        System::Arch => need.arch,
    };
    needs.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// The command with which the user installs `names`.
fn instruction(system: System, names: &str, is_root: bool) -> String {
    let sudo = if is_root { "" } else { "sudo " };
    match system {
        System::Debian => format!(
            "Run: {sudo}apt-get update && {sudo}apt-get install --yes --no-install-recommends {names}"
        ),
        System::Fedora => format!("Run: {sudo}dnf install {names}"),
        System::Arch => format!("Run: {sudo}pacman -S --needed {names}"),
        System::Linux | System::MacOs | System::Complete => {
            "These are Debian's names; install what your system calls them".to_owned()
        }
    }
}

fn system() -> System {
    match std::env::consts::OS {
        "linux" => linux(&fs::read_to_string("/etc/os-release").unwrap_or_default()),
        "macos" => System::MacOs,
        _ => System::Complete,
    }
}

fn linux(release: &str) -> System {
    let value = |key: &str| {
        release
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
            .unwrap_or("")
            .trim_matches('"')
    };
    let families = format!("{} {}", value("ID"), value("ID_LIKE"));
    let is = |names: &[&str]| {
        families
            .split_whitespace()
            .any(|name| names.contains(&name))
    };
    if is(&["debian", "ubuntu"]) {
        System::Debian
    } else if is(&["fedora", "rhel", "centos"]) {
        System::Fedora
    } else if is(&["arch"]) {
        System::Arch
    } else {
        System::Linux
    }
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = if is_root() {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    } else {
        // sudo drops the environment, and may ask for a password on the terminal.
        let mut command = Command::new("sudo");
        command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        command
    };
    command.args(arguments);
    command
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|answer| answer.stdout.trim_ascii() == b"0")
}

fn runs(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    //! The missing packages follow from purpose and proof; systems are distinguished; the printed command installs
    //! exactly the missing packages.

    use super::*;

    fn check_missing(purpose: Purpose, is_pip_needed: bool, met: &[&str], expected: &str) {
        let needs = missing(purpose, is_pip_needed, |need| met.contains(&need.debian));
        assert_eq!(names(&needs, System::Debian), expected);
    }

    #[test]
    fn a_purpose_asks_for_what_it_needs_and_no_more() {
        check_missing(Purpose::Terminal, true, &[], "build-essential python3-pip");
        check_missing(
            Purpose::Window,
            true,
            &[],
            "build-essential python3-pip pkg-config libwebkit2gtk-4.1-dev",
        );
        check_missing(
            Purpose::Headless,
            false,
            &["build-essential", "pkg-config", "libwebkit2gtk-4.1-dev"],
            "xvfb webkit2gtk-driver strace",
        );
        check_missing(Purpose::Terminal, false, &["build-essential"], "");
    }

    #[test]
    fn only_packages_that_are_installed_now_count() {
        let answer =
            "libwebkit2gtk-4.1-dev installed\nxvfb not-installed\npkg-config config-files\nodd\n";
        assert_eq!(installed(answer), BTreeSet::from(["libwebkit2gtk-4.1-dev"]));
        assert_eq!(installed(""), BTreeSet::new());
    }

    #[test]
    fn systems_are_known_by_their_release_file() {
        let check = |release: &str, expected: System| assert_eq!(linux(release), expected);
        check("NAME=\"Debian\"\nID=debian\n", System::Debian);
        check("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", System::Debian);
        check("ID=fedora\n", System::Fedora);
        check(
            "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
            System::Fedora,
        );
        check("ID=manjaro\nID_LIKE=arch\n", System::Arch);
        check("ID=alpine\n", System::Linux);
        check("", System::Linux);
    }

    #[test]
    fn the_command_to_type_fits_system_and_person() {
        let needs = missing(Purpose::Headless, false, |need| {
            need.debian != "xvfb" && need.debian != "libwebkit2gtk-4.1-dev"
        });
        let check = |system: System, is_root: bool, expected: &str| {
            assert_eq!(
                instruction(system, &names(&needs, system), is_root),
                expected
            );
        };
        check(
            System::Debian,
            true,
            "Run: apt-get update && apt-get install --yes --no-install-recommends libwebkit2gtk-4.1-dev xvfb",
        );
        check(
            System::Debian,
            false,
            "Run: sudo apt-get update && sudo apt-get install --yes --no-install-recommends libwebkit2gtk-4.1-dev xvfb",
        );
        check(
            System::Fedora,
            false,
            "Run: sudo dnf install webkit2gtk4.1-devel xorg-x11-server-Xvfb",
        );
        check(
            System::Arch,
            true,
            "Run: pacman -S --needed webkit2gtk-4.1 xorg-server-xvfb",
        );
    }
}
