//! Two processes with one library: one writes, and all of them read.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{Memlens, paths, text};

/// The most time that an event may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running `memlens watch --json`. It is the writer until it is dropped.
struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    /// Starts the program and returns once it watches.
    fn start(memlens: &Memlens, folder: &Notes) -> Watcher {
        let mut child = memlens
            .command(&["watch", "--json"])
            .spawn()
            .expect("it can be started");
        let err = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let is_ready = err
            .lines()
            .map_while(Result::ok)
            .any(|line| line == format!("memlens: {}", text(folder.path())));
        assert!(is_ready, "it ended");
        let out = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            out.lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Watcher { child, lines }
    }

    fn reported(&self) -> Value {
        let line = self
            .lines
            .recv_timeout(PATIENCE)
            .expect("something is reported");
        serde_json::from_str(&line).expect("each line is JSON")
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_second_writer_is_refused_by_name_while_everyone_reads() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let memlens = Memlens::of(&[&notes]);
    let mut watcher = Watcher::start(&memlens, &notes);
    let writer = format!("process {}", watcher.child.id());

    let other = Notes::new(&[("b.md", "The relay.")]);
    let refused = format!(
        "cannot write to library {}: {writer} is already writing to it; make the change there, or close it first",
        memlens.library().display()
    );
    memlens.refused(&["index", text(other.path())], 1, &refused);
    memlens.refused(&["index", "--json"], 1, &refused);
    let run = memlens.run(&["watch"]);
    assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
    assert!(run.err.contains(&writer), "{run:?}");
    assert_eq!(memlens.json(&["status", "--json"])["writer"], *writer);
    assert_eq!(
        paths(&memlens.json(&["search", "hall", "--json"])["results"]),
        ["a.md"]
    );

    // The other processes read at once what the writer writes.
    notes.write("c.md", "The attic.");
    let reported = watcher.reported();
    assert_eq!(
        (reported["what"].as_str(), reported["path"].as_str()),
        (Some("added"), Some("c.md"))
    );
    assert_eq!(
        paths(&memlens.json(&["search", "attic", "--json", "--set", "vector_on=false"])["results"]),
        ["c.md"]
    );

    // Ctrl+C ends it cleanly, and another process may write.
    #[cfg(unix)]
    {
        let pid = watcher.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-INT", &pid])
            .stderr(Stdio::null())
            .status()
            .expect("it can be sent");
        assert!(sent.success());
        assert_eq!(watcher.child.wait().expect("it ends").code(), Some(0));
    }
    drop(watcher);
    assert_eq!(memlens.json(&["status", "--json"])["writer"], Value::Null);
    memlens.print(&["index", text(other.path())]);
    assert_eq!(
        paths(&memlens.json(&["search", "relay", "--json", "--set", "vector_on=false"])["results"]),
        ["b.md"]
    );
}
