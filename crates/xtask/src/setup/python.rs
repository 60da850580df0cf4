//! The Python that downloads a wheel.

use std::process::{Command, Stdio};

use crate::error::{Error, Result};

/// Names under which Python 3 is found, the likeliest first; Debian's own comes last because its pip is the one that can be installed.
const PROGRAMS: &[&str] = if cfg!(windows) {
    &["python", "py"]
} else {
    &["python3", "/usr/bin/python3"]
};

/// The first Python 3 that has pip; `None` when there is none.
pub fn with_pip() -> Option<&'static str> {
    let script = "import sys, importlib.util as u; sys.exit(sys.version_info[0] != 3 or u.find_spec('pip') is None)";
    PROGRAMS.iter().copied().find(|program| {
        Command::new(program)
            .args(["-c", script])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}

/// The Python 3 that has pip.
pub fn program() -> Result<&'static str> {
    with_pip().ok_or_else(|| {
        Error::Setup(
            "Python 3 with pip is missing; it downloads ONNX Runtime and models. Install both, then try again"
                .to_owned(),
        )
    })
}

/// A command that runs pip.
pub fn pip() -> Result<Command> {
    let mut command = Command::new(program()?);
    command.args(["-m", "pip"]).stdin(Stdio::null());
    Ok(command)
}
