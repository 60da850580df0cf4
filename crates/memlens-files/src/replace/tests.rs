use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::*;

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("it is there")
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("it is there").flatten();
    let mut names: Vec<_> = entries
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// How the other program saves.
#[derive(Debug, Clone, Copy)]
enum Saves {
    /// Writes a new file and renames it over the old one.
    NewFile,
    /// Writes into the existing file.
    InPlace,
}

impl Saves {
    fn save(self, place: &Path, text: &str) {
        match self {
            Saves::NewFile => {
                let new = place.with_extension("new");
                fs::write(&new, text).expect("it can be written");
                fs::rename(&new, place).expect("it can be moved");
            }
            Saves::InPlace => fs::write(place, text).expect("it can be written"),
        }
    }
}

/// Replaces "old" by "new" while another program saves at the given steps, with a different text each time.
fn with_saves(
    dir: &Path,
    saves: Saves,
    at: &[Step],
    exchange: fn(&Path, &Path) -> io::Result<()>,
) -> (io::Result<()>, String) {
    let place = dir.join("config");
    fs::write(&place, "old").expect("it can be written");
    let mut last = "old".to_owned();
    let mut left = at.to_vec();
    let outcome = Replacement {
        place: &place,
        expected: b"old",
        bytes: b"new",
        backup: &dir.join("config.bak"),
        exchange,
        step: &mut |step| {
            if left.first() == Some(&step) {
                left.remove(0);
                last = format!("saved {}", at.len() - left.len());
                saves.save(&place, &last);
            }
        },
    }
    .run();
    assert!(left.is_empty(), "{left:?} was not reached");
    (outcome, last)
}

fn no_exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[test]
fn a_save_at_any_step_is_in_place_afterwards() {
    use Step::{Checked, Compared, Differs, Exchanged, PutBack};
    for saves in [Saves::NewFile, Saves::InPlace] {
        for at in [
            &[Compared][..],
            &[Compared, Exchanged],
            &[Compared, Differs],
            &[Compared, Checked],
            &[Compared, Checked, Checked],
            &[Compared, Checked, PutBack],
            &[Compared, PutBack],
        ] {
            let dir = scratch();
            let (outcome, last) = with_saves(dir.path(), saves, at, exchange);
            let why = outcome.expect_err("it has changed").to_string();
            assert!(why.contains("has changed since"), "{why}");
            assert_eq!(text(&dir.path().join("config")), last, "{saves:?} {at:?}");
            assert_eq!(names(dir.path()), ["config"], "{saves:?} {at:?}");
        }
        // A save after the exchange is like a save a moment after the change.
        let dir = scratch();
        let (outcome, last) = with_saves(dir.path(), saves, &[Exchanged], exchange);
        outcome.expect("it was replaced before the save");
        assert_eq!(text(&dir.path().join("config")), last, "{saves:?}");
        assert_eq!(text(&dir.path().join("config.bak")), "old");
    }
}

#[test]
fn a_program_that_holds_the_file_open_loses_nothing() {
    let dir = scratch();
    let place = dir.path().join("config");
    fs::write(&place, "old").expect("it can be written");
    let open = File::options().write(true).open(&place).expect("it opens");
    let outcome = Replacement {
        place: &place,
        expected: b"old",
        bytes: b"new",
        backup: &dir.path().join("config.bak"),
        exchange,
        step: &mut |step| {
            if step == Step::Exchanged {
                io::Write::write_all(&mut &open, b"late").expect("it can be written");
            }
        },
    }
    .run();
    assert!(outcome.is_err());
    assert_eq!(text(&place), "late");
    assert_eq!(names(dir.path()), ["config"]);
}

#[test]
fn what_is_no_file_any_more_is_put_back() {
    let dir = scratch();
    let place = dir.path().join("config");
    fs::write(&place, "old").expect("it can be written");
    fs::write(dir.path().join("theirs"), "theirs").expect("it can be written");
    let outcome = Replacement {
        place: &place,
        expected: b"old",
        bytes: b"new",
        backup: &dir.path().join("config.bak"),
        exchange,
        step: &mut |step| {
            if step == Step::Compared {
                fs::remove_file(&place).expect("it can be removed");
                symlink(dir.path().join("theirs"), &place).expect("links can be made");
            }
        },
    }
    .run();
    assert!(outcome.is_err());
    assert!(place.is_symlink());
    assert_eq!(names(dir.path()), ["config", "theirs"]);
}

#[test]
fn a_file_system_without_exchange_compares_before_the_rename() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    let (outcome, _) = with_saves(dir.path(), Saves::NewFile, &[], no_exchange);
    outcome.expect("it is replaced");
    assert_eq!(text(&at("config")), "new");
    assert_eq!(text(&at("config.bak")), "old");
    fs::remove_file(at("config.bak")).expect("it is ours");
    // The first comparison precedes the exchange that fails.
    let (outcome, last) = with_saves(dir.path(), Saves::NewFile, &[Step::Compared], no_exchange);
    assert!(outcome.is_err());
    assert_eq!(text(&at("config")), last);
    assert_eq!(names(dir.path()), ["config"]);
}

/// Returns the number in a text.
fn number(text: &str) -> Option<u64> {
    text.strip_prefix("save ")?.lines().next()?.parse().ok()
}

/// Replaces the file many times while a thread saves it once per attempt. The thread's delay is adapted to the outcome,
/// so that the saves fall close to the exchange. After each attempt the saved text must be in the file or, if it was
/// replaced, in the backup.
fn stress(saves: Saves) {
    const N_OF_EACH: usize = 40;
    let dir = scratch();
    let place = dir.path().join("config");
    saves.save(&place, "save 0\n");
    let (attempt, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let (delay, is_over) = (AtomicU64::new(1000), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while !is_over.load(Ordering::SeqCst) {
                if attempt.load(Ordering::SeqCst) == number {
                    thread::yield_now();
                    continue;
                }
                number += 1;
                for _ in 0..delay.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                saves.save(&place, &format!("save {number}\n"));
                done.store(number, Ordering::SeqCst);
            }
        });
        let over = Over(&is_over);
        let (mut n_replaced, mut n_refused) = (0, 0);
        while n_replaced < N_OF_EACH || n_refused < N_OF_EACH {
            let before = fs::read(&place).expect("it is there");
            let seen = number(&String::from_utf8_lossy(&before)).expect("it is whole");
            let after = format!("save {seen}\nreplaced\n");
            let saved = seen + 1;
            let backup = dir.path().join(format!("config.{saved}.bak"));
            attempt.store(saved, Ordering::SeqCst);
            let outcome = replace_keeping(&place, &before, after.as_bytes(), &backup);
            while done.load(Ordering::SeqCst) != saved {
                thread::yield_now();
            }
            let held = number(&text(&place));
            let kept = fs::read_to_string(&backup).ok();
            let wait = delay.load(Ordering::SeqCst);
            match outcome {
                Ok(()) => {
                    n_replaced += 1;
                    delay.store(wait - wait / 8, Ordering::SeqCst);
                    let kept = kept.as_deref().and_then(number);
                    assert!(
                        held == Some(saved) || kept == Some(saved),
                        "{saves:?}: saved {saved}, found {held:?}, in the backup {kept:?}"
                    );
                    // The current content is the start of the next attempt.
                    saves.save(&place, &format!("save {saved}\n"));
                }
                Err(error) => {
                    n_refused += 1;
                    delay.store(wait + wait / 8 + 1, Ordering::SeqCst);
                    assert_eq!(held, Some(saved), "{saves:?}: {error}");
                    assert_eq!(kept, None, "{saves:?}: {error}");
                }
            }
        }
        drop(over);
    });
}

/// Ends the other thread, even if a check fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn nothing_that_a_busy_program_saves_is_lost() {
    stress(Saves::NewFile);
    stress(Saves::InPlace);
}

#[test]
fn a_config_is_replaced_and_its_text_kept() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("config"), "old").expect("it can be written");
    fs::set_permissions(at("config"), fs::Permissions::from_mode(0o640)).expect("it is ours");
    // Only root can set any group.
    let group = std::os::unix::fs::chown(at("config"), None, Some(4711)).map(|()| 4711);
    replace_keeping(&at("config"), b"old", b"new", &at("config.bak")).expect("it is replaced");
    let mode = |name: &str| {
        at(name)
            .metadata()
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    for (name, text) in [("config", "new"), ("config.bak", "old")] {
        assert_eq!(fs::read_to_string(at(name)).expect("it is there"), text);
        assert_eq!(mode(name), 0o640, "{name}");
        if let Ok(group) = group {
            use std::os::unix::fs::MetadataExt;
            assert_eq!(
                at(name).metadata().expect("it is there").gid(),
                group,
                "{name}"
            );
        }
    }
    let names = || {
        let mut names: Vec<_> = fs::read_dir(dir.path())
            .expect("it is there")
            .flatten()
            .map(|it| it.file_name())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["config", "config.bak"]);

    let refused = |name: &str, expected: &[u8], backup: &str| {
        let before = names();
        let why = replace_keeping(&at(name), expected, b"newer", &at(backup))
            .expect_err(name)
            .to_string();
        assert_eq!(names(), before, "{name}: nothing is left behind");
        why
    };
    assert!(refused("config", b"old", "2.bak").contains("has changed since"));
    assert!(refused("config", b"new", "config.bak").contains("exists"));
    assert!(refused("none", b"", "2.bak").contains("No such file"));
    assert!(refused(".", b"", "2.bak").contains("not a regular file"));
    symlink(at("config"), at("link")).expect("links can be made");
    assert!(refused("link", b"new", "2.bak").contains("a link"));
    fs::hard_link(at("config"), at("other")).expect("links can be made");
    assert!(refused("config", b"new", "2.bak").contains("other names"));
    fs::remove_file(at("other")).expect("it is ours");
    fs::set_permissions(at("config"), fs::Permissions::from_mode(0o400)).expect("it is ours");
    assert!(refused("config", b"new", "2.bak").contains("read-only"));
    fs::set_permissions(at("config"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    // Only root can give a file to another user.
    if std::os::unix::fs::chown(at("config"), Some(4711), None).is_ok() {
        assert!(refused("config", b"new", "2.bak").contains("another user"));
    }
    assert_eq!(
        fs::read_to_string(at("config")).expect("it is there"),
        "new"
    );
}
