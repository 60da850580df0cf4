//! Settings of connections: what is trusted, and what is never done without being asked.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url, redirect};
use rustls::crypto::ring;

use super::provider::LOCALHOST;

/// How long an idle connection is kept, because users try one setting after the other.
const IDLE: Duration = Duration::from_secs(60);

/// Returns the settings that every connection of this program starts from.
///
/// - The environment's proxies are ignored: the window names one host that text is sent to, and a variable set for
///   other programs must not add another.
/// - Redirects are not followed, for the same reason.
/// - `localhost` is always this machine, whatever a name server or a hosts file says, because it may be used without
///   encryption.
/// - Certificates are checked against those that the system trusts. They are only loaded if encryption is needed, so
///   that a bare machine can use its own servers.
pub(crate) fn builder(url: &Url) -> ClientBuilder {
    // An error means that one is installed already, which is fine.
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
