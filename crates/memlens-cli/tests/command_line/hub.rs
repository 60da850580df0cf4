//! A hub of models on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

/// Starts a hub that serves below one path what `file` returns for the last part of the rest. Returns its address.
pub fn start(below: &str, file: impl Fn(&str) -> Option<Vec<u8>> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("it listens"));
    let below = below.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The client may have disconnected.
            let _ = answer(&stream, &below, &file);
        }
    });
    url
}

fn answer(
    mut stream: &TcpStream,
    below: &str,
    file: &impl Fn(&str) -> Option<Vec<u8>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let name = path
        .strip_prefix(below)
        .and_then(|place| place.rsplit('/').next());
    match name.and_then(file) {
        Some(bytes) => {
            let n_bytes = bytes.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\netag: \"a-tag\"\r\nconnection: close\r\ncontent-length: {n_bytes}\r\n\r\n"
            )?;
            stream.write_all(&bytes)
        }
        None => write!(
            stream,
            "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        ),
    }
}
