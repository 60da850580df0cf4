//! Facts that are in no index, and files that were not read.
//!
//! Properties checked: the git history of a watched folder shows whether a line was there at the moment; every text
//! file is read, whatever rule leaves it out of the library; each cause has its advice, which why-not gives too; "not
//! written" is reported only if everything was read; a line that left its note is followed or reported.

use memlens_engine::view::{AutopsyStep, JobKind, StepOutcome, Verdict};
use memlens_engine::why_typed;
use memlens_tests::Notes;
use serde_json::json;

use crate::autopsy::{FACT, LINE, LONG_AGO_MS, Scene, check, check_proof, step};

/// Checks where a fact is written and that the index step lost it, with the advice.
fn check_unread(scene: &Scene, fact: &str, at: (&str, u32), advice: &str) {
    let autopsy = scene.of_session(fact);
    check(&autopsy, Verdict::NotIndexed, Some(AutopsyStep::Indexed));
    let place = autopsy.place.as_ref().expect("it is written");
    assert_eq!((place.path.as_str(), place.line), at, "{autopsy:#?}");
    let last = autopsy.advice.last().expect("something can be done");
    assert!(last.contains(advice), "{last}");
    assert!(!last.contains("memlens index"), "{last}");
}

#[test]
fn what_no_index_holds_is_found_in_the_file() {
    let scene = Scene::openclaw(&[
        (".gitignore", "private/\n"),
        (
            "private/safe.md",
            "# Safe\n\n- The safe is behind the atlas shelf.\n",
        ),
        (".drafts/key.md", "- The key hangs under the bench.\n"),
        (
            "pantry.csv",
            "item,place\nrice,jar\nflour,stored in the green bin\n",
        ),
        (
            "memory.json",
            "{\n\"note\": \"The boiler\\nneeds a flue\"\n}\n",
        ),
        (
            "log.jsonl",
            "{\"text\": \"one\"}\n{\"odd\": \"The pump is loud\"}\n",
        ),
        ("memory/a.md", "- Nothing of this.\n"),
    ]);
    scene.log(&[]);
    let fact = "The flour is stored in the green bin";
    check_unread(&scene, fact, ("pantry.csv", 3), "Markdown or text file");
    check_unread(
        &scene,
        "the boiler needs a flue",
        ("memory.json", 2),
        "Markdown or text file",
    );
    check_unread(&scene, "the pump is loud", ("log.jsonl", 2), "Correct");
    check_unread(
        &scene,
        "The safe is behind the atlas shelf",
        ("private/safe.md", 3),
        "Remove private/ from .gitignore, or add the line !private/ to .ignore",
    );
    check_unread(
        &scene,
        "the key hangs under the bench",
        (".drafts/key.md", 1),
        "Add the line !.drafts to a file named .ignore",
    );
    // Its text is shown, unless a rule hides it.
    assert!(
        scene
            .of_session(fact)
            .place
            .is_some_and(|it| it.text.contains("flour"))
    );
    let large = "- filler of no use\n".repeat(1_000_000);
    let text = format!("{large}- The ladder leans on the mill.\n");
    scene
        .home
        .write(".openclaw/workspace/memory/large.md", &text);
    // OpenClaw indexes notes of any size; Memlens does not read one this large.
    let autopsy = scene.of_session("the ladder leans on the mill");
    check(&autopsy, Verdict::NeverAsked, Some(AutopsyStep::Asked));
    let place = autopsy.place.as_ref().expect("it is written");
    assert_eq!(
        (place.path.as_str(), place.line),
        ("memory/large.md", 1_000_001)
    );
    let indexed = autopsy
        .steps
        .iter()
        .find(|it| it.step == AutopsyStep::Indexed);
    assert!(
        indexed.is_some_and(|it| it.proof.contains("larger than 16 MiB")),
        "{autopsy:#?}"
    );
}

#[test]
fn why_not_gives_the_same_advice() {
    let scene = Scene::openclaw(&[
        (".gitignore", "private/\n"),
        ("private/safe.md", "- The safe is behind the atlas shelf.\n"),
        ("pantry.csv", "flour,stored in the green bin\n"),
        ("memory/a.md", "- Nothing of this.\n"),
    ]);
    scene.log(&[]);
    let params = memlens_params::Params::default();
    let search = scene
        .library
        .search("safe", &params, None)
        .expect("it can be searched");
    for (path, fact) in [
        ("private/safe.md", "the safe is behind the atlas shelf"),
        ("pantry.csv", "flour stored in the green bin"),
    ] {
        let answer = why_typed(&scene.library, &search, &params, path, None).expect("it is known");
        assert_eq!(
            answer.advice.as_deref(),
            scene.of_session(fact).advice.first().map(|it| &**it),
            "{path}"
        );
        assert!(
            answer
                .advice
                .is_some_and(|it| it.contains(path.split('/').next().unwrap()))
        );
    }
}

#[cfg(unix)]
#[test]
fn nowhere_is_said_only_where_everything_was_read() {
    let scene = Scene::router();
    let nowhere = scene.of_session("the zebra sleeps");
    check(&nowhere, Verdict::NeverWritten, Some(AutopsyStep::Written));
    assert_eq!(nowhere.headline, "It is not written in any note.");
    let outside = Notes::new(&[("secret.md", "- The zebra sleeps.\n")]);
    let link = scene.home.at(".openclaw/workspace/memory/link.md");
    std::os::unix::fs::symlink(outside.at("secret.md"), link).expect("links can be made");
    let open = scene.of_session("the zebra sleeps");
    check(&open, Verdict::Unknown, None);
    assert!(
        open.headline.contains("not everything was read") && open.headline.contains("link.md"),
        "{}",
        open.headline
    );
    check_proof(&open, AutopsyStep::Written, StepOutcome::Unknown, "link.md");
}

#[test]
fn a_fact_in_another_spelling_is_written() {
    let scene = Scene::openclaw(&[
        ("memory/pond.md", "- The pond holds 4 000 litres.\n"),
        ("memory/tank.md", "- The tank holds 5000 bottles.\n"),
        (
            "memory/caf.md",
            "- The caf&eacute; opens&nbsp;early on Mondays.\n",
        ),
        ("memory/bow.md", "- The **vio**lin needs a new bow.\n"),
        (
            "memory/fruit.md",
            "- In the cellar there is a water-\nmelon for the feast.\n",
        ),
        (
            "memory/lamp.md",
            "- The oil lan\u{200b}tern hangs in the barn.\n",
        ),
    ]);
    scene.log(&[]);
    for (fact, place) in [
        ("the pond holds 4000 litres", "memory/pond.md"),
        ("the pond holds 4,000 litres", "memory/pond.md"),
        ("the tank holds 5,000 bottles", "memory/tank.md"),
        ("the café opens early on Mondays", "memory/caf.md"),
        ("the violin needs a new bow", "memory/bow.md"),
        (
            "a watermelon for the feast in the cellar",
            "memory/fruit.md",
        ),
        ("the oil lantern hangs in the barn", "memory/lamp.md"),
    ] {
        let autopsy = scene.of_session(fact);
        let found = autopsy.place.as_ref().map(|place| place.path.as_str());
        assert_eq!(found, Some(place), "{fact}: {autopsy:#?}");
    }
    // A line that lacks a number or few of the words may say it otherwise.
    for fact in [
        "the pond holds 6000 litres",
        "the violin needs a new rosin bow",
    ] {
        let near = scene.of_session(fact);
        check(&near, Verdict::Unknown, None);
        let said = "Not found in these words; memory/";
        assert!(near.headline.starts_with(said), "{}", near.headline);
        let advice = near.advice.first().expect("something can be done");
        assert!(advice.contains("ask about the line: memory/"), "{advice}");
    }
    let nowhere = scene.of_session("the violin belongs to Octavia");
    check(&nowhere, Verdict::NeverWritten, Some(AutopsyStep::Written));
}

#[test]
fn reading_every_file_can_be_cancelled() {
    let scene = Scene::router();
    let notes: Vec<String> = (0..300).map(|n| format!("memory/csv/{n}.csv")).collect();
    for path in &notes {
        let path = format!(".openclaw/workspace/{path}");
        scene.home.write(&path, "item,place\n".repeat(2_000));
    }
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let autopsy = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                if scene.library.jobs().autopsy.progress().is_some() {
                    scene.library.stop(JobKind::Autopsy);
                }
                std::thread::yield_now();
            }
        });
        let autopsy = scene.of_session("the zebra sleeps");
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        autopsy
    });
    assert!(
        autopsy.headline.contains("the search was cancelled"),
        "{}",
        autopsy.headline
    );
    assert_eq!(scene.library.jobs().autopsy.progress(), None);
}

#[test]
fn a_line_that_was_removed_from_its_note_is_not_taken_for_written() {
    let scene = Scene::router();
    scene.log(&[]);
    scene
        .home
        .write(".openclaw/workspace/memory/home-server.md", "# Network\n");
    let gone = scene.of_session(FACT);
    check_proof(
        &gone,
        AutopsyStep::Written,
        StepOutcome::Unknown,
        "the file no longer holds it",
    );
    check_proof(
        &gone,
        AutopsyStep::Indexed,
        StepOutcome::Passed,
        "still holds it as of the last indexing; the file no longer does",
    );
    // The line may have moved to another note.
    scene.home.write(
        ".openclaw/workspace/memory/router.md",
        format!("# Router\n\n{LINE}"),
    );
    let moved = scene.of_session(FACT).place.expect("it is written");
    assert_eq!((moved.path.as_str(), moved.line), ("memory/router.md", 3));
}

#[test]
fn a_note_that_was_given_under_a_former_name_was_given() {
    let scene = Scene::openclaw(&[
        (
            "memory/house/home-server.md",
            &format!("# Network\n\n{LINE}"),
        ),
        ("memory/soup.md", "- Soup.\n"),
    ]);
    let mut held = json!([{"path": "memory/old/home-server.md", "lines": [1, 3], "score": 0.6}]);
    // Its file name alone proves nothing: it may have been another note.
    let mut question = scene.asked("router", Some(held.clone()));
    question.opened =
        json!([{"path": "memory/old/home-server.md", "lines": null, "at_ms": null}]).to_string();
    scene.log(&[question]);
    let alike = scene.of_session(FACT);
    assert_ne!(alike.verdict, Verdict::Given, "{alike:#?}");
    let said = "memory/old/home-server.md, which may be this note, at rank 1; no watched note is there under that name now";
    check_proof(&alike, AutopsyStep::Given, StepOutcome::Unknown, said);
    // The text that was returned proves it.
    held[0]["line_hashes"] = json!([memlens_agents::line_hash(LINE)]);
    scene.log(&[scene.asked("router", Some(held))]);
    let given = scene.of_session(FACT);
    check(&given, Verdict::Given, None);
    check_proof(
        &given,
        AutopsyStep::Given,
        StepOutcome::Passed,
        "under its former name memory/old/home-server.md, at rank 1",
    );
}

#[test]
fn a_search_that_failed_returned_nothing() {
    let scene = Scene::router();
    let mut failed = scene.asked("router", None);
    failed.has_failed = true;
    scene.log(&[failed]);
    let autopsy = scene.of_session(FACT);
    let said = "Each search failed, so nothing was returned";
    check_proof(&autopsy, AutopsyStep::Given, StepOutcome::Failed, said);
    let said = "the search of then failed";
    check_proof(&autopsy, AutopsyStep::Ranked, StepOutcome::Unknown, said);
    // One that is not logged may have returned it.
    scene.log(&[scene.asked("router again", None)]);
    let autopsy = scene.of_session(FACT);
    let said = "No answer is logged";
    check_proof(&autopsy, AutopsyStep::Given, StepOutcome::Unknown, said);
}

#[test]
fn what_is_loaded_need_not_be_found() {
    let scene = Scene::claude(&[("MEMORY.md", LINE)]);
    scene.log(&[]);
    let loaded = scene.of_session(FACT);
    let said = "no search has to find it";
    check_proof(&loaded, AutopsyStep::Ranked, StepOutcome::Unknown, said);
}

#[test]
fn what_an_agent_opened_without_a_search_was_given() {
    let scene = Scene::claude(&[("house.md", LINE), ("soup.md", "- Stock and salt.\n")]);
    let opened = |used: serde_json::Value| {
        let mut opening = scene.asked("", None);
        opening.is_opening = true;
        opening.call = used.to_string();
        opening.opened = json!([used]).to_string();
        scene.log(&[opening]);
        scene.of_session(FACT)
    };
    let path = scene.home.at(".claude/projects/-house/memory/house.md");
    let part = opened(json!({"path": path, "lines": null, "at_ms": null, "is_part": true}));
    check_proof(
        &part,
        AutopsyStep::Given,
        StepOutcome::Unknown,
        "whether it was shown this line is not known",
    );
    let whole = opened(json!({"path": path, "lines": null, "at_ms": null}));
    check(&whole, Verdict::Given, None);
    check_proof(
        &whole,
        AutopsyStep::Given,
        StepOutcome::Passed,
        "opened the note",
    );
    check_proof(
        &whole,
        AutopsyStep::Asked,
        StepOutcome::Unknown,
        "The agent received it anyway",
    );
}

#[test]
fn what_a_note_held_at_the_time_is_not_known_from_its_lines_of_now() {
    let note = "memory/home-server.md";
    let after = |returned: serde_json::Value, opened: serde_json::Value| {
        let scene = Scene::router();
        let mut question = scene.asked("router", Some(returned));
        // Before the note was saved.
        question.at_ms = Some(LONG_AGO_MS as i64);
        question.opened = opened.to_string();
        scene.log(&[question]);
        scene.of_session(FACT)
    };
    let opened = json!([{"path": note, "lines": null, "at_ms": null}]);
    let lines = json!([{"path": note, "lines": [1, 3], "score": 0.6}]);
    let neither = json!([{"path": note, "lines": null, "score": null}]);
    for (returned, opened) in [
        (&lines, json!([])),
        (&neither, json!([])),
        (&json!([]), opened.clone()),
    ] {
        let autopsy = after(returned.clone(), opened);
        assert_ne!(autopsy.verdict, Verdict::Given, "{autopsy:#?}");
        assert_ne!(
            step(&autopsy, AutopsyStep::Given).outcome,
            StepOutcome::Passed
        );
    }
    let of_lines = after(lines, json!([]));
    let said = "the note was changed since";
    check_proof(&of_lines, AutopsyStep::Given, StepOutcome::Unknown, said);
    let of_neither = after(neither.clone(), json!([]));
    let said = "the log does not say which lines";
    check_proof(&of_neither, AutopsyStep::Given, StepOutcome::Unknown, said);
    // The text in the log shows the line, and so what was opened afterwards held it.
    let hashes = [memlens_agents::line_hash(LINE)];
    let text = json!([{"path": note, "lines": null, "score": null, "line_hashes": hashes}]);
    let shown = after(text.clone(), json!([]));
    check(&shown, Verdict::Given, None);
    let used = after(text, opened);
    check_proof(
        &used,
        AutopsyStep::Used,
        StepOutcome::Passed,
        "it was opened",
    );
    // Neither lines nor text, of a note that did not change.
    let scene = Scene::router();
    scene.log(&[scene.asked("router", Some(neither))]);
    let autopsy = scene.of_session(FACT);
    check_proof(&autopsy, AutopsyStep::Given, StepOutcome::Unknown, said);
    // A text without the line.
    let other = [memlens_agents::line_hash("- The boiler is green and old.")];
    let other = json!([{"path": note, "lines": [1, 3], "score": 0.6, "line_hashes": other}]);
    scene.log(&[scene.asked("router", Some(other))]);
    let autopsy = scene.of_session(FACT);
    let said = "does not hold this line in one piece";
    check_proof(&autopsy, AutopsyStep::Given, StepOutcome::Unknown, said);
}

#[test]
fn what_was_opened_elsewhere_was_not_given() {
    let scene = Scene::claude(&[("house.md", LINE), ("soup.md", "- Stock and salt.\n")]);
    let path = scene.home.at(".claude/projects/-house/memory/house.md");
    let mut opening = scene.asked("", None);
    opening.is_opening = true;
    opening.opened = json!([{"path": path, "lines": [5, 9], "at_ms": null}]).to_string();
    // A search that printed only the note's name.
    let name = json!([{"path": path, "lines": null, "score": null, "is_name_only": true}]);
    scene.log(&[opening, scene.asked("router", Some(name))]);
    let autopsy = scene.of_session(FACT);
    check_proof(
        &autopsy,
        AutopsyStep::Given,
        StepOutcome::Failed,
        "but not this line",
    );
    assert_ne!(autopsy.verdict, Verdict::Given, "{autopsy:#?}");
}

/// Commits all of a folder at a moment, such as `2019-06-01T12:00:00Z`.
fn commit(folder: &std::path::Path, at: &str) {
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=Iris", "-c", "user.email=iris@example.org"])
            .args(arguments)
            .current_dir(folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", folder)
            .env("GIT_AUTHOR_DATE", at)
            .env("GIT_COMMITTER_DATE", at)
            .output()
            .expect("git is installed");
        assert!(output.status.success(), "{output:?}");
    };
    if !folder.join(".git").exists() {
        git(&["init", "-q", "-b", "main"]);
    }
    git(&["add", "-A"]);
    git(&["commit", "-q", "--allow-empty", "-m", "notes"]);
}

#[test]
fn a_git_history_says_when_a_line_was_written() {
    let note = ".openclaw/workspace/memory/home-server.md";
    let without = ("2019-06-01T12:00:00Z", "# Network\n");
    let again = ("2020-03-01T12:00:00Z", "# The network\n");
    let with = format!("# Network\n\n{LINE}");
    let with = ("2020-06-01T12:00:00Z", with.as_str());
    for commits in [&[without, again, with][..], &[without, with]] {
        let scene = Scene::router();
        let mut question = scene.asked("router", Some(json!([])));
        question.at_ms = Some(LONG_AGO_MS as i64);
        scene.log(&[question]);
        for (at, text) in commits {
            scene.home.write(note, text);
            commit(&scene.home.at(".openclaw/workspace"), at);
        }
        let later = scene.autopsy(FACT, None, Some(LONG_AGO_MS));
        // If the note was not committed between the moment and the line, the line may have been there uncommitted.
        let is_open = commits.len() == 2;
        let (verdict, outcome) = match is_open {
            true => (Verdict::RankedOut, StepOutcome::Unknown),
            false => (Verdict::WrittenLater, StepOutcome::Failed),
        };
        assert_eq!(later.verdict, verdict, "{later:#?}");
        let said = "is the first that holds it";
        check_proof(&later, AutopsyStep::Written, outcome, said);
        let written = &step(&later, AutopsyStep::Written).proof;
        assert!(written.contains("of 2020-06-01"), "{written}");
        let said = "without a commit is not known";
        assert_eq!(written.contains(said), is_open, "{written}");
    }
}

#[test]
fn a_line_of_an_older_commit_was_there() {
    let scene = Scene::router();
    let note = ".openclaw/workspace/memory/home-server.md";
    let old = ".openclaw/workspace/memory/net.md";
    let workspace = scene.home.at(".openclaw/workspace");
    let mut question = scene.asked(
        "router",
        Some(json!([{"path": "memory/net.md", "lines": [1, 3], "score": 0.6}])),
    );
    question.at_ms = Some(LONG_AGO_MS as i64);
    scene.log(&[question]);
    let with = format!("# Network\n\n{LINE}");
    std::fs::remove_file(scene.home.at(note)).expect("it is there");
    scene.home.write(old, &with);
    commit(&workspace, "2019-06-01T12:00:00Z");
    std::fs::remove_file(scene.home.at(old)).expect("it is there");
    scene.home.write(note, &with);
    commit(&workspace, "2020-06-01T12:00:00Z");
    let autopsy = scene.autopsy(FACT, None, Some(LONG_AGO_MS));
    check_proof(
        &autopsy,
        AutopsyStep::Written,
        StepOutcome::Passed,
        "of 2019-06-01",
    );
    check_proof(
        &autopsy,
        AutopsyStep::Written,
        StepOutcome::Passed,
        "as memory/net.md",
    );
    // Its history also has the note's name at the time when it was given, but not the place of the line in it.
    check(&autopsy, Verdict::Unknown, None);
    for it in [AutopsyStep::Ranked, AutopsyStep::Given] {
        let said = "is not known";
        check_proof(&autopsy, it, StepOutcome::Unknown, said);
    }
    check_proof(
        &autopsy,
        AutopsyStep::Given,
        StepOutcome::Unknown,
        "held lines 1–3 of memory/net.md, which may be this note, at rank 1",
    );
}
