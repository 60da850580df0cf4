//! The secret that a client of the server over HTTP sends with each request.
//!
//! It is a file of the library that only its user can read, because agents' configs need it as text.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use memlens_files::{create_private, is_open_to_others, keeps_modes, open_own};
use memlens_library::server_token_path;
use thiserror::Error;

/// What tokens of agents are derived for.
const OF_AGENT: &str = "Memlens 2026-11-27 token of one agent for the server over HTTP";
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// Most bytes of the file that are read.
const FILE_BYTES_MAX: u64 = 1024;

/// Why there is no token.
#[derive(Debug, Error)]
pub enum TokenError {
    /// The file cannot be read, made or removed.
    #[error("cannot {attempt} the token of the server, {}: {cause}", path.display())]
    File {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The file has something else, or others can read it.
    #[error("cannot use the token of the server, {}: {why}; make a new one with `memlens serve token --new`", path.display())]
    Unusable {
        /// Path of the file.
        path: PathBuf,
        /// The problem.
        why: &'static str,
    },
    /// The system has no random bytes.
    #[error("cannot make a token: {0}")]
    Random(getrandom::Error),
}

/// The token of a library's server. It is never printed by [`fmt::Debug`].
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(..)")
    }
}

impl Token {
    /// The token of the library in `dir`, which is made on first use.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn of_library(dir: &Path) -> Result<Token, TokenError> {
        let path = server_token_path(dir);
        if let Some(token) = read(&path)? {
            return Ok(token);
        }
        let made = Token::random()?;
        match create_private(&path, format!("{}\n", made.0).as_bytes()) {
            Ok(()) => Ok(made),
            // Another server made it meanwhile.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let failed = || failed("read", &path)(error);
                read(&path)?.ok_or_else(failed)
            }
            Err(error) => Err(failed("write", &path)(error)),
        }
    }

    /// Replaces the token of the library in `dir`. Servers that run keep theirs until they end.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn replace(dir: &Path) -> Result<Token, TokenError> {
        let path = server_token_path(dir);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(failed("remove", &path)(error))
            }
            Ok(()) | Err(_) => Token::of_library(dir),
        }
    }

    /// The token of one agent, which gives its folders alone. It is derived from this one, which cannot be found from it.
    #[must_use]
    pub fn of_agent(&self, agent: &str) -> Token {
        let derived = blake3::derive_key(OF_AGENT, format!("{} {agent}", self.0).as_bytes());
        Token(hex(&derived))
    }

    fn random() -> Result<Token, TokenError> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
        Ok(Token(hex(&bytes)))
    }

    /// The token as a client sends it.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is what a client sent. The time that it takes does not depend on the token.
    pub(crate) fn is(&self, sent: &[u8]) -> bool {
        // Hashes are compared in constant time.
        blake3::hash(self.0.as_bytes()) == blake3::hash(sent)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The token in a file; `None` if there is no file.
fn read(path: &Path) -> Result<Option<Token>, TokenError> {
    let failed = failed("read", path);
    let mut file = match open_own(path, OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let unusable = |why| TokenError::Unusable {
        path: path.to_owned(),
        why,
    };
    let found = file.metadata().map_err(&failed)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    // Some file systems give every file the same mode.
    if is_open_to_others(&found) && keeps_modes(folder).map_err(&failed)? {
        return Err(unusable("other users of this machine may have read it"));
    }
    let mut text = String::new();
    let mut start = (&mut file).take(FILE_BYTES_MAX);
    match start.read_to_string(&mut text) {
        Err(error) if error.kind() == ErrorKind::InvalidData => {}
        read => drop(read.map_err(&failed)?),
    }
    let text = text.trim();
    let is_token =
        text.len() == 2 * TOKEN_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_token {
        return Err(unusable("the file does not hold a token"));
    }
    Ok(Some(Token(text.to_owned())))
}

fn failed(attempt: &'static str, path: &Path) -> impl Fn(io::Error) -> TokenError + use<> {
    let path = path.to_owned();
    move |cause| TokenError::File {
        attempt,
        path: path.clone(),
        cause,
    }
}

#[cfg(test)]
mod tests {
    //! A token is made once, is private, and is only used if it is one.

    use super::*;

    #[test]
    fn a_token_is_made_once_and_replaced_on_request() {
        let dir = tempfile::tempdir().unwrap();
        let first = Token::of_library(dir.path()).unwrap();
        assert_eq!(first.text().len(), 64);
        assert_eq!(Token::of_library(dir.path()).unwrap(), first);
        let second = Token::replace(dir.path()).unwrap();
        assert_ne!(second, first);
        assert_eq!(Token::of_library(dir.path()).unwrap(), second);
        assert!(second.is(second.text().as_bytes()));
        for other in [first.text(), "", &second.text()[1..]] {
            assert!(!second.is(other.as_bytes()), "{other}");
        }
        assert_eq!(format!("{second:?}"), "Token(..)");
    }

    #[test]
    fn each_agent_has_a_token_of_its_own_that_is_replaced_with_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let first = Token::of_library(dir.path()).unwrap();
        let codex = first.of_agent("codex");
        assert_eq!(codex.text().len(), 64);
        assert_eq!(first.of_agent("codex"), codex);
        let second = Token::replace(dir.path()).unwrap();
        let others = [
            &first,
            &first.of_agent("claude-code"),
            &second.of_agent("codex"),
        ];
        assert!(others.into_iter().all(|other| *other != codex));
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_is_no_private_token_is_refused() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let path = server_token_path(dir.path());
        Token::of_library(dir.path()).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let refusal = || Token::of_library(dir.path()).unwrap_err().to_string();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(
            refusal().contains("other users of this machine"),
            "{}",
            refusal()
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        for text in [&b"short\n"[..], b"", b"\xff\xfe"] {
            fs::write(&path, text).unwrap();
            assert!(refusal().contains("does not hold a token"), "{}", refusal());
        }
        fs::remove_file(&path).unwrap();
        symlink(dir.path().join("elsewhere"), &path).unwrap();
        assert!(refusal().contains("it is a link"), "{}", refusal());
    }
}
