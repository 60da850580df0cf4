//! A full disk: the file that could not be written is named, and what was saved before stays sound.
//!
//! A limit on the size of files simulates it. It stops the program at the first file that reaches the limit.

use std::process::{Command, Stdio};

use memlens_tests::Notes;

use crate::killing::{check_equals_fresh, check_sound, n_saved, notes};
use crate::memlens::{Memlens, text};

/// Limits in blocks of 512 bytes: the first is too small for an empty database, the others for all the embeddings.
const LIMITS: [u32; 3] = [8, 300, 700];

/// Indexes with a limit. Returns whether it finished, and what it printed on standard error.
fn index(memlens: &Memlens, notes: &Notes, limit: u32) -> (bool, String) {
    // With the signal ignored, the write returns an error, as on a full disk.
    let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"");
    let inner = memlens.command(&["index", text(notes.path())]);
    let output = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(inner.get_program())
        .args(inner.get_args())
        .stdin(Stdio::null())
        .output()
        .expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let status = output.status.code().expect("it ends by itself");
    assert!(status <= 1, "{status}: {said}");
    (status == 0, said)
}

#[test]
fn what_could_not_be_written_is_named_and_the_rest_is_sound() {
    let notes = notes();
    let fresh_library = Memlens::new();
    let n_texts = fresh_library.json(&["index", text(notes.path()), "--json"])["n_embedded"]
        .as_u64()
        .expect("it is a count");
    let memlens = Memlens::new();
    let mut n_before = 0;
    let mut n_failed = 0;
    for limit in LIMITS {
        let (is_done, said) = index(&memlens, &notes, limit);
        println!("{limit}: {is_done} {said}");
        if !is_done {
            n_failed += 1;
            let library = memlens.library().display().to_string();
            assert!(
                said.starts_with("memlens: cannot ") && said.contains(&library),
                "{said}"
            );
            assert_eq!(said.lines().count(), 1, "{said}");
        }
        let n_after = n_saved(memlens.library());
        assert!(
            n_after >= n_before,
            "{n_before} were saved and {n_after} are left"
        );
        n_before = n_after;
        check_sound(&memlens, &notes);
    }
    assert!(n_failed >= 2, "{n_failed} of {LIMITS:?} stopped it");
    let report = memlens.json(&["index", text(notes.path()), "--json"]);
    assert_eq!(report["n_embedded"].as_u64(), Some(n_texts - n_before));
    check_equals_fresh(&memlens, &notes);
}
