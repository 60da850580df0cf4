//! How connections are made: what is trusted, and what is never done unasked.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url, redirect};
use rustls::crypto::ring;

use super::provider::LOCALHOST;

/// How long a connection without work is kept; people try one setting after the other.
const IDLE: Duration = Duration::from_secs(60);

/// What every connection of this program starts from.
///
/// - The environment's proxies are left alone: the window names one host that text goes to, and a variable set for other
///   programs must not add another.
/// - Redirects are not followed, for the same reason.
/// - `localhost` is this machine, whatever a name server or a hosts file says, since it may be asked without encryption.
/// - Certificates are checked against those that the system trusts. The system is asked for them only where encryption
///   is due, so that a bare machine can use its own servers.
pub(crate) fn builder(url: &Url) -> ClientBuilder {
    // An error means that somebody installed one before, which does as well.
    let _ = ring::default_provider().install_default();
    let here = [
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
    ];
    let builder = Client::builder()
        .user_agent(concat!("memlens/", env!("CARGO_PKG_VERSION")))
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .resolve_to_addrs(LOCALHOST, &here)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true);
    if url.scheme() == "https" {
        builder.https_only(true)
    } else {
        builder.tls_certs_only([])
    }
}
