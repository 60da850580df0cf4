//! Keys of providers, in the system's keyring or in an environment variable that the user names; never in a file.

use std::env;
use std::fmt;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use keyring::Entry;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::RerankError;
use crate::http::Provider;

/// The name under which the keyring shows the entries.
const SERVICE: &str = "memlens";
/// How long a keyring may take, because it may ask the user to unlock it.
const PATIENCE: Duration = Duration::from_secs(60);

const NO_HEADER: &str = "it contains a space, a control character or a character outside ASCII";

/// A key that fits into a header. It is never printed, and its memory is wiped on drop.
#[derive(Clone)]
pub struct Key(SecretString);

/// Where a key was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// The key is in the system's keyring.
    Keyring,
    /// The environment variable that the user named.
    Environment,
}

impl Key {
    /// Checks a key as the provider issued it.
    ///
    /// # Errors
    /// [`RerankError::Key`] if it is empty or has a character that is not allowed in a header. The message does not
    /// repeat it.
    pub fn new(key: impl Into<SecretString>) -> Result<Key, RerankError> {
        let key = Key(key.into());
        let bytes = key.expose().as_bytes();
        let cause = if bytes.is_empty() {
            "it is empty"
        } else if bytes.contains(&b'\n') || bytes.contains(&b'\r') {
            "it contains a line break"
        } else if !bytes.iter().all(u8::is_ascii_graphic) {
            NO_HEADER
        } else {
            return Ok(key);
        };
        Err(RerankError::Key { cause })
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Returns the value of the authorization header, which is never printed either.
    pub(crate) fn bearer(&self) -> HeaderValue {
        let bearer = SecretString::from(format!("Bearer {}", self.expose()));
        let mut value = HeaderValue::from_str(bearer.expose_secret())
            .expect("visible ASCII and a space make a header");
        value.set_sensitive(true);
        value
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(..)")
    }
}

/// Returns the provider's key and where it was found: in the keyring, otherwise in `variable`. `None` if neither has
/// one.
///
/// A keyring's key belongs to the kind and the host, so a changed address never gets the previous key.
///
/// # Errors
/// [`RerankError::Url`]; [`RerankError::Key`] if the stored value is not a key; [`RerankError::Keyring`] if no keyring
/// answers and the variable is not set either.
pub fn read(
    provider: &Provider,
    variable: Option<&str>,
) -> Result<Option<(Key, KeyPlace)>, RerankError> {
    read_by(open, provider, variable)
}

/// Stores the provider's key in the keyring, replacing the previous one.
///
/// # Errors
/// [`RerankError::Url`] and [`RerankError::Keyring`].
pub fn save(provider: &Provider, key: &Key) -> Result<(), RerankError> {
    save_by(open, provider, key)
}

/// Removes the provider's key from the keyring, if there is one.
///
/// # Errors
/// [`RerankError::Url`] and [`RerankError::Keyring`].
pub fn forget(provider: &Provider) -> Result<(), RerankError> {
    forget_by(open, provider)
}

/// Opens the keyring's entry of an account.
trait Open: FnOnce(&str) -> keyring::Result<Entry> + Send + 'static {}
impl<F: FnOnce(&str) -> keyring::Result<Entry> + Send + 'static> Open for F {}

/// Opens an entry of the system's keyring.
fn open(account: &str) -> keyring::Result<Entry> {
    Entry::new(SERVICE, account)
}

fn read_by(
    open: impl Open,
    provider: &Provider,
    variable: Option<&str>,
) -> Result<Option<(Key, KeyPlace)>, RerankError> {
    let kept = ask(open, provider, |entry| match entry.get_password() {
        Ok(key) => Ok(Some(SecretString::from(key))),
        Err(keyring::Error::NoEntry) => Ok(None),
        Err(error) => Err(error),
    });
    match (kept, variable.and_then(env::var_os)) {
        (Ok(Some(key)), _) => Ok(Some((Key::new(key)?, KeyPlace::Keyring))),
        (Ok(None) | Err(RerankError::Keyring { .. }), Some(key)) => {
            let key = key
                .into_string()
                .map_err(|_| RerankError::Key { cause: NO_HEADER })?;
            Ok(Some((Key::new(key)?, KeyPlace::Environment)))
        }
        (Ok(None), None) => Ok(None),
        (Err(error), _) => Err(error),
    }
}

fn save_by(open: impl Open, provider: &Provider, key: &Key) -> Result<(), RerankError> {
    let key = key.clone();
    ask(open, provider, move |entry| {
        entry.set_password(key.expose())
    })
}

fn forget_by(open: impl Open, provider: &Provider) -> Result<(), RerankError> {
    ask(open, provider, |entry| match entry.delete_credential() {
        Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
        Err(error) => Err(error),
    })
}

/// Runs `work` with the provider's entry in its own thread, so that a keyring that never answers blocks nobody longer
/// than [`PATIENCE`].
fn ask<T: Send + 'static>(
    open: impl Open,
    provider: &Provider,
    work: impl FnOnce(&Entry) -> keyring::Result<T> + Send + 'static,
) -> Result<T, RerankError> {
    let account = format!("{} {}", provider.kind.as_str(), provider.host()?);
    let (sender, receiver) = mpsc::sync_channel(1);
    let asked = thread::Builder::new()
        .name("memlens-keyring".to_owned())
        .spawn(move || {
            let done = open(&account).and_then(|entry| work(&entry));
            // After a timeout, nobody waits any more.
            let _ = sender.send(done.map_err(|error| cause(&error)));
        });
    let cause = match asked.map(|_| receiver.recv_timeout(PATIENCE)) {
        Ok(Ok(Ok(value))) => return Ok(value),
        Ok(Ok(Err(cause))) => cause,
        Ok(Err(_)) => "it does not answer".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(RerankError::Keyring { cause })
}

/// Returns the error message; never the error's own text if that could contain the stored value.
fn cause(error: &keyring::Error) -> String {
    match error {
        keyring::Error::NoDefaultStore => {
            let why = Entry::store_status().as_ref().err().map(cause);
            format!("there is none: {}", why.unwrap_or_default())
        }
        keyring::Error::PlatformFailure(cause) | keyring::Error::NoStorageAccess(cause) => {
            cause.to_string()
        }
        keyring::Error::Ambiguous(_) => "it has several keys under the same name".to_owned(),
        keyring::Error::BadEncoding(_)
        | keyring::Error::BadDataFormat(..)
        | keyring::Error::BadStoreFormat(_)
        | keyring::Error::TooLong(..)
        | keyring::Error::Invalid(..)
        | keyring::Error::NotSupportedByStore(_)
        | _ => "it cannot store this key, or what it stores is not a key".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    //! A key is read back from where it was stored, for its own host only; an invalid one is refused without repeating
    //! it.

    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock};

    use keyring_core::api::CredentialStoreApi;
    use keyring_core::mock::Store;

    use super::*;
    use crate::http::Kind;

    /// Set for every test by cargo.
    const SET: &str = "CARGO_PKG_NAME";
    const UNSET: &str = "MEMLENS_TEST_UNSET";

    fn provider(url: &str) -> Provider {
        Provider::new(Kind::Cohere, url)
    }

    fn kept(account: &str) -> keyring::Result<Entry> {
        static STORE: LazyLock<Arc<Store>> = LazyLock::new(|| Store::new().expect("it is memory"));
        let inner = STORE.build(SERVICE, account, Some(&HashMap::new()))?;
        Ok(Entry { inner })
    }

    fn broken(_: &str) -> keyring::Result<Entry> {
        Err(keyring::Error::NoStorageAccess("the bus is gone".into()))
    }

    fn check_read(
        open: impl Open,
        url: &str,
        variable: &str,
        expected: Result<Option<(&str, KeyPlace)>, &str>,
    ) {
        let read = read_by(open, &provider(url), Some(variable));
        let read = read
            .as_ref()
            .map(|found| found.as_ref().map(|(key, place)| (key.expose(), *place)))
            .map_err(ToString::to_string);
        assert_eq!(read, expected.map_err(str::to_owned));
    }

    #[test]
    fn a_key_belongs_to_its_host() {
        let (one, other) = ("https://one.example", "https://other.example");
        let key = Key::new("sk-1").expect("it is a key");
        check_read(kept, one, UNSET, Ok(None));
        save_by(kept, &provider(one), &key).expect("it is kept");
        check_read(kept, one, SET, Ok(Some(("sk-1", KeyPlace::Keyring))));
        check_read(kept, other, UNSET, Ok(None));
        check_read(
            kept,
            other,
            SET,
            Ok(Some(("memlens-rerank", KeyPlace::Environment))),
        );
        let key = Key::new("sk-2").expect("it is a key");
        save_by(kept, &provider(one), &key).expect("it is kept");
        check_read(kept, one, UNSET, Ok(Some(("sk-2", KeyPlace::Keyring))));
        for _ in 0..2 {
            forget_by(kept, &provider(one)).expect("it goes, or is not there");
            check_read(kept, one, UNSET, Ok(None));
        }
    }

    #[test]
    fn without_a_keyring_the_variable_counts_and_the_text_says_so() {
        let url = "https://one.example";
        check_read(
            broken,
            url,
            SET,
            Ok(Some(("memlens-rerank", KeyPlace::Environment))),
        );
        let said = "cannot use this system's keyring: the bus is gone; an environment variable can hold the key instead";
        check_read(broken, url, UNSET, Err(said));
        let key = Key::new("sk-1").expect("it is a key");
        let saved = save_by(broken, &provider(url), &key);
        assert_eq!(saved.expect_err("nothing keeps it").to_string(), said);
        let refused =
            "cannot use the address: without https:// only this machine itself can be used";
        check_read(kept, "http://one.example", SET, Err(refused));
    }

    #[test]
    fn what_no_header_takes_is_refused_without_repeating_it() {
        for (key, cause) in [
            ("", "it is empty"),
            ("sk-secret\n", "it contains a line break"),
            ("sk-secret\r\nX-Evil: 1", "it contains a line break"),
            ("sk secret", NO_HEADER),
            ("sk-secret\t", NO_HEADER),
            ("sk-secret\0", NO_HEADER),
            ("sk-\u{fc}secret", NO_HEADER),
        ] {
            let text = Key::new(key).expect_err(cause).to_string();
            assert_eq!(text, format!("cannot use the key: {cause}"));
        }
    }

    #[test]
    fn nothing_prints_a_key() {
        let key = Key::new("sk-secret").expect("it is a key");
        assert_eq!(format!("{key:?}"), "Key(..)");
        assert_eq!(format!("{:?}", key.bearer()), "Sensitive");
        assert_eq!(key.bearer().as_bytes(), b"Bearer sk-secret");
    }
}
