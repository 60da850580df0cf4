//! Which requests may reach the server at all.
//!
//! Properties checked: no request of a page in a browser, under the name of another host (DNS rebinding) or without the
//! token reaches a route.

use std::net::IpAddr;

use http::header::{AUTHORIZATION, HOST, HeaderMap, ORIGIN};
use http::uri::Authority;
use http::{StatusCode, Uri};

use crate::Token;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is not addressed to this machine.
    Host,
    /// It comes from a page in a browser.
    Origin,
    /// It has no token, or another one.
    Token,
}

impl Refusal {
    pub fn status(self) -> StatusCode {
        match self {
            Refusal::Host | Refusal::Origin => StatusCode::FORBIDDEN,
            Refusal::Token => StatusCode::UNAUTHORIZED,
        }
    }

    pub fn why(self) -> &'static str {
        match self {
            Refusal::Host => {
                "the request names another host; address the server by its IP address, or as localhost"
            }
            Refusal::Origin => "the request comes from a page in a browser, which is not served",
            Refusal::Token => {
                "the token is missing or wrong; send the header \"Authorization: Bearer TOKEN\" with the token that `memlens serve token` prints"
            }
        }
    }
}

/// Checks requests.
pub(crate) struct Guard {
    token: Token,
    /// Whether the server listens to this machine only.
    is_loopback: bool,
}

impl Guard {
    pub fn new(token: Token, listens_at: IpAddr) -> Guard {
        Guard {
            token,
            is_loopback: listens_at.is_loopback(),
        }
    }

    /// Checks a request before its body is read.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let hosts = headers.get_all(HOST).iter();
        let mut hosts = hosts.map(|host| Authority::try_from(host.as_bytes()).ok());
        let is_own_host = match (hosts.next(), hosts.next()) {
            (Some(Some(host)), None) => {
                self.is_own(&host) && uri.authority().is_none_or(|named| self.is_own(named))
            }
            (Some(_), _) | (None, _) => false,
        };
        if !is_own_host {
            return Err(Refusal::Host);
        }
        if headers.contains_key(ORIGIN) {
            return Err(Refusal::Origin);
        }
        let mut sent = headers.get_all(AUTHORIZATION).iter();
        match (sent.next(), sent.next()) {
            (Some(sent), None) if self.is_bearer(sent.as_bytes()) => Ok(()),
            (Some(_), _) | (None, _) => Err(Refusal::Token),
        }
    }

    /// Whether a page on another host could not have this host: an address, or a name that always means this machine.
    fn is_own(&self, host: &Authority) -> bool {
        if host.as_str().contains('@') {
            return false;
        }
        let name = host.host().trim_start_matches('[').trim_end_matches(']');
        match name.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.is_loopback,
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }

    fn is_bearer(&self, sent: &[u8]) -> bool {
        const SCHEME: &[u8] = b"Bearer ";
        sent.split_at_checked(SCHEME.len())
            .is_some_and(|(scheme, token)| {
                scheme.eq_ignore_ascii_case(SCHEME) && self.token.is(token.trim_ascii())
            })
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn check(listens_at: &str, uri: &str, headers: &[(&str, &str)], expected: Result<(), Refusal>) {
        let dir = tempfile::tempdir().unwrap();
        let token = Token::of_library(dir.path()).unwrap();
        let guard = Guard::new(token.clone(), listens_at.parse().unwrap());
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let value = value.replace("TOKEN", token.text());
            map.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(&value).unwrap(),
            );
        }
        let found = guard.check(&uri.parse().unwrap(), &map);
        assert_eq!(found, expected, "{listens_at} {uri} {headers:?}");
    }

    #[test]
    fn only_requests_with_the_token_to_this_machine_pass() {
        let token = ("authorization", "Bearer TOKEN");
        let own = ("host", "127.0.0.1:8000");
        let here = |headers: &[(&str, &str)], expected| {
            check("127.0.0.1", "/mcp", headers, expected);
        };
        here(&[own, token], Ok(()));
        here(&[own, ("authorization", "bearer  TOKEN ")], Ok(()));
        for host in ["localhost", "LOCALHOST:1", "[::1]:8000", "127.0.0.9"] {
            here(&[("host", host), token], Ok(()));
        }
        for host in [
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com:8000",
            "192.168.1.7:8000",
            "localhost@example.com",
            "example.com@localhost",
            "",
            "a b",
        ] {
            here(&[("host", host), token], Err(Refusal::Host));
        }
        here(&[token], Err(Refusal::Host));
        here(&[own, own, token], Err(Refusal::Host));
        for origin in ["http://example.com", "null", "http://127.0.0.1:8000", ""] {
            here(&[own, ("origin", origin), token], Err(Refusal::Origin));
        }
        here(&[own], Err(Refusal::Token));
        for sent in [
            "Bearer",
            "Bearer x",
            "Basic TOKEN",
            "TOKEN",
            "Bearer TOKENx",
        ] {
            here(&[own, ("authorization", sent)], Err(Refusal::Token));
        }
        here(&[own, token, token], Err(Refusal::Token));
        check(
            "127.0.0.1",
            "http://example.com/mcp",
            &[own, token],
            Err(Refusal::Host),
        );
    }

    #[test]
    fn a_server_for_the_network_is_addressed_by_its_number() {
        let token = ("authorization", "Bearer TOKEN");
        for host in ["192.168.1.7:8000", "localhost:8000", "[fe80::1]:8000"] {
            check("0.0.0.0", "/mcp", &[("host", host), token], Ok(()));
        }
        check(
            "0.0.0.0",
            "/mcp",
            &[("host", "example.com"), token],
            Err(Refusal::Host),
        );
    }
}
