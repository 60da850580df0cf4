//! The unit by which systemd starts the server for the user.

use std::ffi::OsString;
use std::path::Path;

use crate::error::CliError;

/// The flag that prints the unit instead of serving.
const FLAG: &str = "--systemd";

/// A user unit that runs `program` with the same arguments in the same folder.
///
/// # Errors
/// [`CliError::NoTextPath`] if a path or an argument is no text; [`CliError::NoUnit`] if systemd cannot read the folder's path.
pub fn unit(
    program: &Path,
    arguments: impl Iterator<Item = OsString>,
    folder: &Path,
) -> Result<String, CliError> {
    let program = word(&text(program)?);
    let given = text(folder)?;
    // The value of WorkingDirectory is the whole line, in which nothing can be escaped but a specifier.
    if given.contains(char::is_control) || given.ends_with('\\') {
        return Err(CliError::NoUnit {
            folder: folder.to_owned(),
        });
    }
    let folder = given.replace('%', "%%");
    let words: Result<Vec<String>, CliError> = arguments
        .filter(|argument| argument != FLAG)
        .map(|argument| Ok(word(&text(Path::new(&argument))?)))
        .collect();
    let arguments = words?.join(" ");
    Ok(format!(
        "[Unit]\n\
         Description=Memlens serves the memory search to agents\n\
         \n\
         [Service]\n\
         WorkingDirectory={folder}\n\
         ExecStart={program} {arguments}\n\
         Restart=on-failure\n\
         NoNewPrivileges=yes\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    ))
}

fn text(path: &Path) -> Result<String, CliError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| CliError::NoTextPath {
        path: path.to_owned(),
    })
}

/// A word of a command line as systemd reads it.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut word = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => word.extend(['\\', c]),
            // Specifiers and variables.
            '%' | '$' => word.extend([c, c]),
            c if c.is_ascii_control() => word.push_str(&format!("\\x{:02x}", u32::from(c))),
            _ => word.push(c),
        }
    }
    word + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_runs_the_same_command() {
        let arguments = [
            "--library",
            "/home/a b/50%",
            "serve",
            "--http",
            "127.0.0.1:8745",
            "--systemd",
            "--set",
            "a=\"$x\\",
        ];
        let unit = unit(
            Path::new("/usr/bin/memlens"),
            arguments.map(OsString::from).into_iter(),
            Path::new("/home/a b"),
        )
        .expect("all are texts");
        let line = r#"ExecStart=/usr/bin/memlens --library "/home/a b/50%%" serve --http 127.0.0.1:8745 --set "a=\"$$x\\""#;
        assert!(unit.lines().any(|found| found == line), "{unit}");
        assert!(unit.contains("\nWorkingDirectory=/home/a b\n"), "{unit}");
        assert!(unit.contains("\nWantedBy=default.target\n"), "{unit}");
    }

    #[test]
    fn odd_characters_stay_in_their_word_and_an_odd_folder_is_refused() {
        assert_eq!(word("a\nb\r\t"), r#""a\x0ab\x0d\x09""#);
        for folder in ["/home/a\\", "/home/a\nExecStart=b"] {
            let program = Path::new("/usr/bin/memlens");
            let unit = unit(program, std::iter::empty(), Path::new(folder));
            assert!(matches!(unit, Err(CliError::NoUnit { .. })), "{unit:?}");
        }
    }
}
