//! A server on this machine that sends prepared responses, byte by byte where that matters.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// One request as it was received.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Names in lower case, in the order received.
    pub headers: Vec<(String, String)>,
    pub body: String,
    pub at: Instant,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

/// The server's response to a request.
#[derive(Debug, Clone)]
pub enum Reply {
    Json(u16, String),
    /// The same with one more header.
    With(u16, (&'static str, String), String),
    /// These bytes, after which the connection ends.
    Raw(Vec<u8>),
    /// Nothing, until the client gives up.
    Hang,
    /// A byte of a good response from time to time, without end.
    Drip,
    /// A body that does not end.
    Flood,
    /// Interim responses (102) without end.
    Interim,
}

/// Listens until the test ends.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    /// Receives once per request that has been read.
    arrivals: mpsc::Receiver<()>,
    /// Receives once per hanging request whose connection the client closed.
    departures: mpsc::Receiver<()>,
}

type Answerer = dyn Fn(&Request, usize) -> Reply + Send + Sync;

impl Server {
    /// Answers each request; they are numbered from 0.
    pub fn start(answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (arrived, arrivals) = mpsc::channel();
        let (departed, departures) = mpsc::channel();
        let answer: Arc<Answerer> = Arc::new(answer);
        thread::spawn({
            let requests = Arc::clone(&requests);
            move || {
                for stream in listener.incoming().flatten() {
                    let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                    let (arrived, departed) = (arrived.clone(), departed.clone());
                    thread::spawn(move || {
                        if serve(stream, &*answer, &requests, &arrived) == Ended::ByOther {
                            // The test may be over.
                            let _ = departed.send(());
                        }
                    });
                }
            }
        });
        Server {
            address,
            requests,
            arrivals,
            departures,
        }
    }

    /// Answers every request in the same way.
    pub fn always(reply: Reply) -> Server {
        Server::start(move |_, _| reply.clone())
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn host(&self) -> String {
        self.address.to_string()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no thread panics").clone()
    }

    pub fn wait_for_request(&self) {
        let arrived = self.arrivals.recv_timeout(super::GUARD);
        arrived.expect("a request comes");
    }

    pub fn wait_for_departure(&self) {
        let departed = self.departures.recv_timeout(super::GUARD);
        departed.expect("the other side gives up");
    }
}

#[derive(PartialEq, Eq)]
enum Ended {
    Here,
    ByOther,
}

fn serve(
    stream: TcpStream,
    answer: &Answerer,
    requests: &Mutex<Vec<Request>>,
    arrived: &mpsc::Sender<()>,
) -> Ended {
    let mut reader = BufReader::new(stream.try_clone().expect("a socket can be shared"));
    let mut writer = stream;
    while let Some((request, number)) = read(&mut reader, requests) {
        // The test may be over.
        let _ = arrived.send(());
        let (status, header, body) = match answer(&request, number) {
            Reply::Json(status, body) => (status, None, body),
            Reply::With(status, header, body) => (status, Some(header), body),
            Reply::Raw(bytes) => {
                let _ = writer.write_all(&bytes);
                return Ended::Here;
            }
            Reply::Hang => {
                // Waits until the connection is closed.
                let _ = reader.read(&mut [0]);
                return Ended::ByOther;
            }
            Reply::Drip => {
                let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{\"results\":[";
                for byte in head.bytes().chain(std::iter::repeat(b' ')) {
                    if writer.write_all(&[byte]).is_err() {
                        return Ended::ByOther;
                    }
                    thread::sleep(Duration::from_millis(5));
                }
                return Ended::Here;
            }
            Reply::Interim => {
                let many = b"HTTP/1.1 102 Processing\r\n\r\n".repeat(1000);
                while writer.write_all(&many).is_ok() {}
                return Ended::ByOther;
            }
            Reply::Flood => {
                let _ = writer.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
                while writer.write_all(&[b'['; 1 << 16]).is_ok() {}
                return Ended::ByOther;
            }
        };
        let header =
            header.map_or_else(String::new, |(name, value)| format!("{name}: {value}\r\n"));
        let head = format!(
            "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\n{header}content-length: {}\r\n\r\n",
            body.len()
        );
        if writer.write_all((head + &body).as_bytes()).is_err() {
            return Ended::ByOther;
        }
    }
    Ended::ByOther
}

/// Reads one request; `None` if the client has closed the connection.
fn read(reader: &mut impl BufRead, requests: &Mutex<Vec<Request>>) -> Option<(Request, usize)> {
    let mut line = || {
        let mut line = String::new();
        let n = reader.read_line(&mut line).ok()?;
        (n > 0).then(|| line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, length)| length.parse().expect("it is a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request = Request {
        method,
        path,
        headers,
        body: String::from_utf8(body).expect("JSON is UTF-8"),
        at: Instant::now(),
    };
    let mut requests = requests.lock().expect("no thread panics");
    requests.push(request.clone());
    Some((request, requests.len() - 1))
}

/// Closes every connection with bytes of the request unread, which resets it. Returns the address.
pub fn resetting() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0]);
        }
    });
    format!("http://{address}")
}
