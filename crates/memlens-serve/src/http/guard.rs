//! Which requests may reach the server at all.
//!
//! Properties checked: no request of a page in a browser, under the name of another host (DNS rebinding) or without the
//! token reaches a route.

use std::borrow::Cow;
use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN};
use http::uri::Authority;
use http::{StatusCode, Uri};
use memlens_agents::AGENTS;

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
    /// Every token, with the id of its agent; that of the library has none.
    tokens: Vec<(Option<&'static str>, Token)>,
    /// Whether the server listens to this machine only.
    is_loopback: bool,
}

impl Guard {
    pub fn new(token: Token, listens_at: IpAddr) -> Guard {
        let of_agents = AGENTS.iter().map(|agent| agent.id);
        let of_agents = of_agents.map(|id| (Some(id), token.of_agent(id)));
        Guard {
            tokens: of_agents.chain([(None, token.clone())]).collect(),
            is_loopback: listens_at.is_loopback(),
        }
    }

    /// Checks a request before its body is read. Returns the agent whose token it has; `None` for the token of the library.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<Option<&'static str>, Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => Authority::try_from(host.as_bytes()).ok(),
            (Some(_), _) | (None, _) => None,
        };
        let is_own = |host: &Authority| {
            self.is_own(host) && uri.authority().is_none_or(|named| self.is_own(named))
        };
        let host = host.filter(is_own).ok_or(Refusal::Host)?;
        // This server has no pages, so no page has its address as origin. Some clients send it.
        let own = format!("http://{host}");
        let is_page =
            |origin: &HeaderValue| !origin.as_bytes().eq_ignore_ascii_case(own.as_bytes());
        if headers.get_all(ORIGIN).iter().any(is_page) {
            return Err(Refusal::Origin);
        }
        let mut sent = headers.get_all(AUTHORIZATION).iter();
        match (sent.next(), sent.next()) {
            (Some(sent), None) => self.agent_of(sent.as_bytes()).ok_or(Refusal::Token),
            (Some(_), Some(_)) | (None, _) => Err(Refusal::Token),
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

    /// The agent whose token was sent; `None` if it is no token of this server.
    fn agent_of(&self, header: &[u8]) -> Option<Option<&'static str>> {
        let sent = sent_token(header)?;
        let mut found = None;
        // All are compared, so that the time does not depend on which it is.
        for (agent, token) in &self.tokens {
            if token.is(&sent) {
                found = Some(*agent);
            }
        }
        found
    }
}

/// What was sent as the token: after `Bearer`, or as the password of `Basic` with any user name. Clients that know no token
/// make the latter of an address like `http://x:TOKEN@127.0.0.1:8745`. `None` for another form.
fn sent_token(header: &[u8]) -> Option<Cow<'_, [u8]>> {
    let end = header.iter().position(|byte| *byte == b' ')?;
    let (scheme, sent) = header.split_at(end);
    let sent = sent.trim_ascii();
    if scheme.eq_ignore_ascii_case(b"Bearer") {
        return Some(Cow::Borrowed(sent));
    }
    if !scheme.eq_ignore_ascii_case(b"Basic") {
        return None;
    }
    let mut name_and_password = STANDARD.decode(sent).ok()?;
    let end = name_and_password.iter().position(|byte| *byte == b':')?;
    Some(Cow::Owned(name_and_password.split_off(end + 1)))
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
            // The part in brackets is sent as base64.
            let encoded = value.split_once('[').filter(|_| *name == "authorization");
            let value = match encoded {
                Some((scheme, plain)) => {
                    scheme.to_owned() + &STANDARD.encode(plain.trim_end_matches(']'))
                }
                None => value,
            };
            map.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(&value).unwrap(),
            );
        }
        let found = guard.check(&uri.parse().unwrap(), &map);
        let expected = expected.map(|()| None);
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
        for sent in ["Basic [x:TOKEN]", "basic  [:TOKEN]", "BASIC [ü x:TOKEN]"] {
            here(&[own, ("authorization", sent)], Ok(()));
        }
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
        let own_origin = ("origin", "http://127.0.0.1:8000");
        here(&[own, own_origin, token], Ok(()));
        for origin in [
            "http://example.com",
            "null",
            "http://127.0.0.1:8001",
            "http://127.0.0.1",
            "https://127.0.0.1:8000",
            "http://localhost:8000",
            "",
        ] {
            let origin = ("origin", origin);
            here(&[own, origin, token], Err(Refusal::Origin));
            here(&[own, own_origin, origin, token], Err(Refusal::Origin));
        }
        here(&[own], Err(Refusal::Token));
        for sent in [
            "Bearer",
            "Bearer x",
            "Basic TOKEN",
            "TOKEN",
            "Bearer TOKENx",
            "Bearer [x:TOKEN]",
            "BearerTOKEN",
            "Basic",
            "Basic [TOKEN]",
            "Basic [TOKEN:]",
            "Basic [TOKEN:x]",
            "Basic [x:TOKENx]",
            "Basic [x:x:TOKEN]",
            "Basic [:]",
            "Basic x:TOKEN",
            "Digest [x:TOKEN]",
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
    fn a_token_of_an_agent_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let token = Token::of_library(dir.path()).unwrap();
        let guard = Guard::new(token.clone(), "127.0.0.1".parse().unwrap());
        let check = |token: &Token| {
            let bearer = format!("Bearer {}", token.text());
            let headers = [(HOST, "127.0.0.1:8000"), (AUTHORIZATION, bearer.as_str())];
            let headers =
                headers.map(|(name, value)| (name, HeaderValue::from_str(value).unwrap()));
            guard.check(&Uri::from_static("/mcp"), &headers.into_iter().collect())
        };
        assert_eq!(check(&token.of_agent("codex")), Ok(Some("codex")));
        assert_eq!(check(&token.of_agent("openclaw")), Ok(Some("openclaw")));
        assert_eq!(check(&token.of_agent("nobody")), Err(Refusal::Token));
        assert_eq!(check(&token), Ok(None));
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
