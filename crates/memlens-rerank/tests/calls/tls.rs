//! Trust: certificates of the system's authorities for the host's own name, and nothing else.

#[cfg(target_os = "linux")]
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

#[cfg(target_os = "linux")]
use memlens_rerank::http::Http;
use memlens_rerank::http::Kind;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
#[cfg(target_os = "linux")]
use tempfile::TempDir;

#[cfg(target_os = "linux")]
use crate::server::{Reply, Server};
use crate::{PATIENT, assert_tells_nothing, limits, score};
#[cfg(target_os = "linux")]
use crate::{child, provider};

const ANSWER: &str = r#"[{"index":0,"score":0.1},{"index":1,"score":0.2},{"index":2,"score":0.3}]"#;

/// Answers requests one after the other with [`ANSWER`], using a self-signed certificate for `name`.
///
/// Returns the address, and the certificate as PEM.
fn serve(name: &str) -> (SocketAddr, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed([name.to_owned()]).expect("it is a name");
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("it has them")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("they belong together");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("it is complete");
            let mut stream = StreamOwned::new(connection, stream);
            // A client that does not trust it sends nothing.
            if stream.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{ANSWER}",
                    ANSWER.len()
                );
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    (address, cert.pem())
}

fn check_refused(url: &str, expected: &str) {
    let text = score(Kind::Tei, url, &limits(PATIENT))
        .expect_err(expected)
        .to_string();
    let host = url.trim_start_matches("https://");
    assert!(
        text.starts_with(&format!("cannot connect to {host}: {expected}")),
        "{text}"
    );
    assert_tells_nothing(&text);
}

#[test]
fn a_certificate_of_its_own_making_is_not_trusted() {
    let (address, _) = serve("127.0.0.1");
    check_refused(&format!("https://{address}"), "invalid peer certificate: ");
}

#[test]
fn a_server_without_encryption_is_not_spoken_to() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    let heard = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody comes");
        let mut heard = [0; 4096];
        let n = stream.read(&mut heard).expect("and speaks first");
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .expect("and listens");
        String::from_utf8_lossy(&heard[..n]).into_owned()
    });
    check_refused(&format!("https://{address}"), "received corrupt message");
    assert_tells_nothing(&heard.join().expect("it does not panic"));
}

/// Only Linux reads the system's authorities from a file that can be set.
#[cfg(target_os = "linux")]
#[test]
fn a_certificate_of_the_systems_authorities_is_trusted_for_its_own_name() {
    let Some(url) = child::handed_over() else {
        let dir = TempDir::new().expect("there is room");
        let file = dir.path().join("authorities.pem");
        let test = "tls::a_certificate_of_the_systems_authorities_is_trusted_for_its_own_name";
        for name in ["127.0.0.1", "other.example"] {
            let (address, certificate) = serve(name);
            fs::write(&file, certificate).expect("there is room");
            let file = file.to_str().expect("a temporary folder has a plain name");
            let handed_over = format!("https://{address} {name}");
            child::run(test, &handed_over, &[("SSL_CERT_FILE", file)]);
        }
        return;
    };
    let (url, name) = url.split_once(' ').expect("it is an address and a name");
    if name == "127.0.0.1" {
        let scores = score(Kind::Tei, url, &limits(PATIENT)).expect("it is trusted");
        assert_eq!(scores.scores, [0.1, 0.2, 0.3].map(Some));
    } else {
        check_refused(
            url,
            "invalid peer certificate: certificate not valid for name",
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_machine_without_authorities_still_asks_its_own_servers() {
    let Some(url) = child::handed_over() else {
        let server = Server::always(Reply::Json(200, ANSWER.to_owned()));
        let test = "tls::a_machine_without_authorities_still_asks_its_own_servers";
        let nowhere = [("SSL_CERT_FILE", "/nowhere"), ("SSL_CERT_DIR", "/nowhere")];
        child::run(test, &server.url(), &nowhere);
        return;
    };
    score(Kind::Tei, &url, &limits(PATIENT)).expect("it is not encrypted");
    let remote = provider(Kind::Tei, "https://a.example");
    let text = Http::new(remote, None)
        .expect_err("nobody can be trusted")
        .to_string();
    assert!(
        text.starts_with("cannot prepare connections to a.example: "),
        "{text}"
    );
}
