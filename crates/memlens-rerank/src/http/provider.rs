//! A provider as the user configured it, and the address that requests go to.

use std::net::IpAddr;

use url::{Host, Url};

use super::Kind;
use crate::RerankError;

/// The user's configuration of a provider. Any value can be stored; [`Provider::endpoint`] checks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The kind of the provider.
    pub kind: Kind,
    /// The server's address, with or without the kind's path. For [`Kind::Custom`], the complete address of requests.
    pub url: String,
    /// The model's id; `None` for the kind's default model.
    pub model: Option<String>,
    /// Only for [`Kind::Custom`]: the kind whose requests and score scale are used; `None` for [`Kind::Vllm`]. Ignored
    /// for other kinds.
    pub shape: Option<Kind>,
}

/// The only name that may be used without encryption, because it is pinned to this machine.
pub(super) const LOCALHOST: &str = "localhost";

impl Provider {
    /// Returns a provider of a kind at an address, with the kind's default model.
    pub fn new(kind: Kind, url: impl Into<String>) -> Provider {
        Provider {
            kind,
            url: url.into(),
            model: None,
            shape: None,
        }
    }

    /// Returns the address that requests go to.
    ///
    /// The kind's path is appended, except for the part of it with which the address already ends.
    ///
    /// # Errors
    /// [`RerankError::Url`] if it is not the address of a web server, contains a name, a password, a query or a
    /// fragment, or is neither encrypted nor this machine's own. The message does not repeat the address.
    pub fn endpoint(&self) -> Result<Url, RerankError> {
        let refused = |cause| RerankError::Url { cause };
        let mut url =
            Url::parse(self.url.trim()).map_err(|_| refused("it is not a web address"))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(refused("it must start with https:// and a host"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused(
                "it must not contain a name or a password; a key goes into its own field",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused("it must not contain ? or #"));
        }
        if url.scheme() == "http" && !is_loopback(&url) {
            return Err(refused(
                "without https:// only this machine itself can be used",
            ));
        }
        append(&mut url, self.kind.path());
        Ok(url)
    }

    /// Returns the host that note text is sent to, with the port if it is not the default one.
    ///
    /// # Errors
    /// Like [`Provider::endpoint`].
    pub fn host(&self) -> Result<String, RerankError> {
        self.endpoint().map(|url| host(&url))
    }

    /// Returns whether requests leave this machine.
    ///
    /// # Errors
    /// Like [`Provider::endpoint`].
    pub fn is_remote(&self) -> Result<bool, RerankError> {
        self.endpoint().map(|url| !is_loopback(&url))
    }

    /// Returns the model to request; `None` leaves it to the server.
    pub fn model(&self) -> Option<&str> {
        let named = self.model.as_deref().map(str::trim);
        named
            .filter(|model| !model.is_empty())
            .or(self.shape().default_model())
    }

    /// Returns the kind whose requests and scale are used; never [`Kind::Custom`].
    pub(super) fn shape(&self) -> Kind {
        if self.kind != Kind::Custom {
            return self.kind;
        }
        self.shape
            .filter(|shape| *shape != Kind::Custom)
            .unwrap_or(Kind::Vllm)
    }
}

/// Returns the host, with the port if it is not the default one.
pub(crate) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == LOCALHOST,
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    }
}

/// Appends `path` to the address, without the beginning that the address already ends with.
fn append(url: &mut Url, path: &[&str]) {
    if path.is_empty() {
        return;
    }
    let present: Vec<String> = url
        .path_segments()
        .into_iter()
        .flatten()
        .filter(|segment| !segment.is_empty())
        .map(str::to_owned)
        .collect();
    let n_shared = (0..=path.len())
        .rev()
        .find(|&n| {
            present.len() >= n
                && present[present.len() - n..]
                    .iter()
                    .zip(path)
                    .all(|(have, want)| have == want)
        })
        .unwrap_or(0);
    let mut segments = url
        .path_segments_mut()
        .expect("an address with a host has a path");
    segments.pop_if_empty().extend(&path[n_shared..]);
}

#[cfg(test)]
mod tests {
    //! Addresses of every form, the path that each kind appends, and the messages for refused ones.

    use super::*;

    #[test]
    fn the_path_is_appended_but_for_what_is_there() {
        for (kind, url, expected) in [
            (
                Kind::Cohere,
                "https://api.cohere.com",
                "https://api.cohere.com/v2/rerank",
            ),
            (
                Kind::Cohere,
                "https://api.cohere.com/",
                "https://api.cohere.com/v2/rerank",
            ),
            (
                Kind::Cohere,
                "https://a.example/v2/rerank",
                "https://a.example/v2/rerank",
            ),
            (
                Kind::Cohere,
                "https://a.example/v2/rerank/",
                "https://a.example/v2/rerank",
            ),
            (
                Kind::Vllm,
                "http://localhost:8000/v1",
                "http://localhost:8000/v1/rerank",
            ),
            (
                Kind::Vllm,
                "https://a.example/vllm",
                "https://a.example/vllm/v1/rerank",
            ),
            (
                Kind::Vllm,
                "https://a.example/rerank",
                "https://a.example/rerank/v1/rerank",
            ),
            (Kind::Tei, " http://[::1]:8080 ", "http://[::1]:8080/rerank"),
            (
                Kind::Infinity,
                "http://127.0.0.2:7997/rerank",
                "http://127.0.0.2:7997/rerank",
            ),
            (
                Kind::Custom,
                "https://a.example/score/me/",
                "https://a.example/score/me/",
            ),
        ] {
            let endpoint = Provider::new(kind, url).endpoint();
            assert_eq!(endpoint.map(String::from).expect(url), expected);
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_without_repeating_it() {
        for (url, expected) in [
            ("", "it is not a web address"),
            ("api.cohere.com", "it is not a web address"),
            (
                "ftp://secret.example",
                "it must start with https:// and a host",
            ),
            ("file:///secret", "it must start with https:// and a host"),
            (
                "https://secret@a.example",
                "it must not contain a name or a password; a key goes into its own field",
            ),
            (
                "https://:secret@a.example",
                "it must not contain a name or a password; a key goes into its own field",
            ),
            (
                "https://a.example/?key=secret",
                "it must not contain ? or #",
            ),
            ("https://a.example/#secret", "it must not contain ? or #"),
            (
                "http://secret.example",
                "without https:// only this machine itself can be used",
            ),
            (
                "http://localhost.secret.example",
                "without https:// only this machine itself can be used",
            ),
            (
                "http://10.0.0.1:8080",
                "without https:// only this machine itself can be used",
            ),
            (
                "http://0.0.0.0:8080",
                "without https:// only this machine itself can be used",
            ),
        ] {
            let refused = Provider::new(Kind::Tei, url).endpoint();
            let text = refused.expect_err(url).to_string();
            assert_eq!(text, format!("cannot use the address: {expected}"), "{url}");
        }
    }

    #[test]
    fn the_host_is_named_with_a_port_that_is_not_the_usual_one() {
        for (url, host, is_remote) in [
            ("https://api.jina.ai", "api.jina.ai", true),
            ("https://api.jina.ai:443", "api.jina.ai", true),
            ("https://10.0.0.1:8443", "10.0.0.1:8443", true),
            ("http://localhost:8080", "localhost:8080", false),
            ("https://[::1]", "[::1]", false),
        ] {
            let provider = Provider::new(Kind::Jina, url);
            assert_eq!(provider.host().expect(url), host);
            assert_eq!(provider.is_remote().expect(url), is_remote);
        }
    }

    #[test]
    fn every_kind_is_found_by_its_name_and_its_default_address_can_be_used() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.as_str()), Some(kind));
            if let Some(url) = kind.default_url() {
                let host = Provider::new(kind, url).is_remote();
                assert_eq!(host.expect(url), kind.needs_key(), "services are remote");
            }
        }
        assert_eq!(Kind::named("Cohere"), None);
    }
}
