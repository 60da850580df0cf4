//! `memlens.json`: tuned parameters are exported and imported; invalid ones are refused by key, value and range.
//!
//! Properties checked: all parameters come back unchanged, through a file and through the library; errors by table; a
//! file is written whole or not at all.

use std::fs;
use std::sync::{Arc, Mutex};

use memlens_engine::acts;
use memlens_engine::preset;
use memlens_engine::{Engine, Ranking, pipeline, read_params};
use memlens_params::{Parameter, ParameterKind, ParameterSet, Params, Value, table};
use memlens_tests::{Notes, cases, fresh, hashing, open};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Returns values that a parameter accepts, including its limits and odd fractions.
fn value(parameter: &Parameter) -> BoxedStrategy<Value> {
    match parameter.kind {
        ParameterKind::Toggle => any::<bool>().prop_map(Value::Toggle).boxed(),
        ParameterKind::Choice { options } => prop::sample::select(options)
            .prop_map(|word| Value::Choice(word.to_owned()))
            .boxed(),
        ParameterKind::Number {
            min,
            max,
            integer,
            optional,
            ..
        } => {
            let number = prop_oneof![Just(min), Just(max), (min..=max)];
            let number =
                number.prop_map(move |number| if integer { number.round() } else { number });
            let number = number.prop_map(Value::Number);
            if optional {
                prop_oneof![number, Just(Value::Unset)].boxed()
            } else {
                number.boxed()
            }
        }
    }
}

fn params() -> impl Strategy<Value = Params> {
    let one = (0..table().len()).prop_flat_map(|at| {
        let parameter = &table()[at];
        value(parameter).prop_map(move |value| (parameter.id, value))
    });
    prop::collection::vec(one, 0..30).prop_map(|given| {
        // One after the other; a value that is invalid with the others is skipped.
        given
            .into_iter()
            .fold(Params::default(), |params, (id, value)| {
                let mut next = params.clone();
                match next.set(id, value) {
                    Ok(()) => next,
                    Err(_) => params,
                }
            })
    })
}

#[test]
fn any_parameters_come_back() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let file = out.path().join("tuned.memlens.json");
    let comes_back = |params: Params| {
        preset::write_preset(&library, &params, &file, &[]).expect("it can be written");
        let preset = preset::read_preset(&library, &file).expect("it can be read");
        prop_assert_eq!(&preset.params, &params);
        prop_assert_eq!(
            (preset.name.as_str(), preset.notes.len()),
            ("tuned.memlens", 0)
        );
        prop_assert_eq!(read_params(&file).expect("it can be read"), params);
        Ok(())
    };
    let mut runner = TestRunner::new(cases(256));
    runner
        .run(&params(), comes_back)
        .expect("any parameters come back");
}

#[test]
fn presets_saved_in_the_library_come_back() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = fresh(&[notes.path()]);
    let engine = Engine::open(dir.path(), hashing(), Arc::new(|_| {})).expect("it can be opened");
    let mut tuned = Params::default();
    tuned
        .assign_all(["min_score=0.3", "fusion=rrf", "rerank_threshold=-1.5"])
        .expect("they are in the table");
    acts::save_preset(&engine, " tuned ", &tuned).expect("it can be saved");
    acts::save_preset(&engine, "plain", &Params::default()).expect("it can be saved");
    let names_and_params = || -> Vec<(String, Params)> {
        let presets = preset::presets(engine.library()).expect("they can be read");
        presets
            .into_iter()
            .filter(|preset| !preset.is_built_in)
            .map(|preset| (preset.name, preset.params))
            .collect()
    };
    assert_eq!(
        names_and_params(),
        [
            ("plain".to_owned(), Params::default()),
            ("tuned".to_owned(), tuned.clone())
        ]
    );
    acts::save_preset(&engine, "plain", &tuned).expect("it can be saved");
    acts::delete_preset(&engine, "tuned").expect("it can be deleted");
    assert_eq!(names_and_params(), [("plain".to_owned(), tuned)]);
    // A preset that comes with Memlens is listed after these, until the user saves a preset with its name.
    let last = || {
        preset::presets(engine.library())
            .expect("they can be read")
            .pop()
    };
    let rensei = last().expect("one comes with Memlens");
    assert_eq!((rensei.name.as_str(), rensei.is_built_in), ("Rensei", true));
    assert!(
        rensei
            .params
            .clone()
            .check()
            .is_ok_and(|it| it != Params::default())
    );
    acts::save_preset(&engine, "Rensei", &Params::default()).expect("it can be saved");
    assert_eq!(names_and_params()[0].0, "Rensei");
    assert!(last().is_some_and(|it| !it.is_built_in));
    acts::delete_preset(&engine, "Rensei").expect("it can be deleted");
    assert_eq!(last(), Some(rensei));
    let error = acts::save_preset(&engine, "  ", &Params::default()).expect_err("it has no name");
    assert_eq!(error.to_string(), "cannot save the preset: give it a name");
}

#[test]
fn a_preset_from_before_feedback_was_off_by_default_keeps_it_on() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = fresh(&[notes.path()]);
    let file = notes.at(".old.memlens.json");
    // In the old format: only the values that differed from the defaults of that time.
    fs::write(
        &file,
        r#"{"schemaVersion": 1, "parameters": {"min_score": 0.2}}"#,
    )
    .expect("it can be written");
    let mut expected = Params::default();
    expected
        .assign_all(["min_score=0.2", "feedback_on=true"])
        .expect("they are in the table");
    assert_eq!(read_params(&file).expect("it can be read"), expected);
    let mut store = memlens_store::Store::open(dir.path()).expect("it can be opened");
    store
        .save_preset(&memlens_store::StoredPreset {
            name: "old".to_owned(),
            params: r#"{"min_score":0.2}"#.to_owned(),
        })
        .expect("it can be saved");
    drop(store);
    let library = open(dir.path());
    let presets = preset::presets(&library).expect("they can be read");
    let old = presets.iter().find(|preset| preset.name == "old");
    assert_eq!(old.map(|preset| &preset.params), Some(&expected));
    // A preset saved now has the value in either case.
    for on in [false, true] {
        let params = Params {
            feedback_on: on,
            ..Params::default()
        };
        let text = preset::preset_text(&library, &params, None).expect("it can be written");
        let saved: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(
            saved["parameters"],
            serde_json::json!({ "feedback_on": on })
        );
    }
}

#[test]
fn a_file_says_what_it_was_made_with() {
    let notes = Notes::new(&[("a.md", "The hall."), ("b.md", "The relay.")]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let mut params = Params::default();
    params.assign("min_score", "0.25").expect("it is in range");
    let text = preset::preset_text(&library, &params, None).expect("it can be explained");
    let file: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(file["schemaVersion"], 1);
    assert_eq!(
        file["parameters"],
        serde_json::json!({"feedback_on": false, "min_score": 0.25})
    );
    assert_eq!(
        file["resolved"].as_object().map(serde_json::Map::len),
        Some(table().len())
    );
    assert_eq!(
        file["embedding"],
        serde_json::json!({"model": "hashing-64", "dimension": 64})
    );
    assert_eq!(
        (&file["corpus"]["documents"], &file["corpus"]["chunks"]),
        (&2.into(), &2.into())
    );
    for key in ["$schema", "app", "version", "createdAt", "scales"] {
        assert!(file.get(key).is_some(), "{key} is missing");
    }
    // Read in another library, it reports the differences.
    let path = dir.path().join("memlens.json");
    fs::write(&path, text.replace("hashing-64", "another model")).expect("it can be written");
    let preset = preset::read_preset(&library, &path).expect("it can be read");
    assert_eq!(preset.params, params);
    assert_eq!(
        preset.notes,
        [
            "made with the embedding model another model; this library uses hashing-64, so scores and thresholds differ"
        ]
    );
}

#[test]
fn files_that_do_not_fit_are_refused_by_key_value_and_range() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let path = dir.path().join("memlens.json");
    let whole = |parameters: &str| format!("{{\"schemaVersion\":1,\"parameters\":{parameters}}}");
    let cases: Vec<(String, &str)> = vec![
        (
            whole(r#"{"min_scor":0.2}"#),
            "unknown parameter min_scor: did you mean min_score?",
        ),
        (
            whole(r#"{"entirely_else":1}"#),
            "unknown parameter entirely_else",
        ),
        (
            whole(r#"{"min_score":7}"#),
            "cannot set min_score to 7: the range is 0 to 1",
        ),
        (
            whole(r#"{"min_score":-0.5}"#),
            "cannot set min_score to -0.5: the range is 0 to 1",
        ),
        (
            whole(r#"{"fusion_k":1.5}"#),
            "cannot set fusion_k to 1.5: the range is whole numbers from 1 to 200",
        ),
        (
            whole(r#"{"fusion":"magic"}"#),
            "cannot set fusion to magic: it takes one of calibrated, rrf, relative, weighted",
        ),
        (
            whole(r#"{"fusion":3}"#),
            "cannot set fusion to 3: it takes one of calibrated, rrf, relative, weighted",
        ),
        (
            whole(r#"{"bm25_on":"yes"}"#),
            "cannot set bm25_on to yes: it takes true or false",
        ),
        (
            whole(r#"{"min_score":[1]}"#),
            "min_score is [1], which is not a number, a word or true/false",
        ),
        (
            whole(r#"{"vector_weight":0,"text_weight":0}"#),
            "cannot use vector_weight 0 together with text_weight 0: one of them must be above 0",
        ),
        (
            whole(r#"{"chunk_chars":200,"chunk_overlap_chars":300}"#),
            "cannot use chunk_overlap_chars 300 with chunk_chars 200: the overlap must be at most half of the chunk",
        ),
        (
            r#"{"schemaVersion":2}"#.to_owned(),
            "its schemaVersion is 2, this Memlens reads up to 1; a newer one wrote it",
        ),
        (
            "{}".to_owned(),
            "it has no schemaVersion; choose a file that Memlens exported",
        ),
        (
            "not JSON".to_owned(),
            "it is not JSON (expected ident at line 1 column 2); choose a file that Memlens exported",
        ),
        (
            String::new(),
            "it is empty; choose a file that Memlens exported",
        ),
    ];
    for (text, expected) in cases {
        fs::write(&path, &text).expect("it can be written");
        let error = read_params(&path).expect_err(&text).to_string();
        assert_eq!(
            error,
            format!("cannot read preset {}: {expected}", path.display())
        );
    }
    // Keys that later versions add beside the parameters are ignored, and so is a byte order mark.
    let later = format!(
        "\u{feff}{}",
        r#"{"schemaVersion":1,"more":{"a":1},"parameters":{"max_results":7}}"#
    );
    fs::write(&path, later).expect("it can be written");
    assert_eq!(read_params(&path).expect("it can be read").max_results, 7);
    let missing = dir.path().join("none.json");
    let error = read_params(&missing)
        .expect_err("there is none")
        .to_string();
    assert!(
        error.starts_with(&format!("cannot read preset {}: ", missing.display())),
        "{error}"
    );
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let names = || -> Vec<String> {
        let entries = fs::read_dir(out.path()).expect("it can be listed");
        entries
            .map(|entry| {
                entry
                    .expect("it can be listed")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    };
    // A folder is in the place of the file.
    let taken = out.path().join("taken.json");
    fs::create_dir(&taken).expect("it can be made");
    let error = preset::write_preset(&library, &Params::default(), &taken, &[])
        .expect_err("a folder is no file");
    assert!(
        error
            .to_string()
            .starts_with(&format!("cannot write {}: ", taken.display())),
        "{error}"
    );
    assert_eq!(names(), ["taken.json"]);
    // A file beside it belongs to the user, whatever its name.
    let beside = out.path().join("memlens.json.part");
    fs::write(&beside, "theirs").expect("it can be written");
    let nowhere = out.path().join("none/memlens.json");
    let error = preset::write_preset(&library, &Params::default(), &nowhere, &[])
        .expect_err("there is no such folder");
    assert!(
        error
            .to_string()
            .starts_with(&format!("cannot write {}: ", nowhere.display())),
        "{error}"
    );

    // Readers never see part of a file that is being replaced.
    let file = out.path().join("memlens.json");
    preset::write_preset(&library, &Params::default(), &file, &[]).expect("it can be written");
    let seen = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..50 {
                preset::write_preset(&library, &Params::default(), &file, &[])
                    .expect("it can be written");
            }
        });
        while !writer.is_finished() {
            seen.lock()
                .expect("nobody panics")
                .push(read_params(&file).map_err(|error| error.to_string()));
        }
    });
    for params in seen.into_inner().expect("nobody panics") {
        assert_eq!(params, Ok(Params::default()));
    }
    assert_eq!(fs::read_to_string(&beside).ok().as_deref(), Some("theirs"));

    // A link cannot lead into a watched folder.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(notes.path(), out.path().join("link"))
            .expect("a link can be made");
        let error = preset::write_preset(
            &library,
            &Params::default(),
            &out.path().join("link/memlens.json"),
            &[],
        )
        .expect_err("it is watched");
        assert!(
            error
                .to_string()
                .contains("a watched folder, where Memlens never writes"),
            "{error}"
        );
    }
}

#[test]
fn numbers_of_integer_parameters_are_integers() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = Params {
        max_results: 7,
        min_score: 0.0,
        ..Params::default()
    };
    for ranking in [
        Ranking::native(&params),
        Ranking::of(pipeline("openclaw").expect("it is known")),
        Ranking::of(pipeline("qmd").expect("it is known")),
    ] {
        let text = preset::preset_text(&library, &ranking.values, None).expect("it can be written");
        let file: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let mut n_integers = 0;
        for parameter in &ranking.values.table().parameters {
            let ParameterKind::Number { integer, .. } = parameter.kind else {
                continue;
            };
            for values in ["resolved", "parameters"] {
                let value = &file[values][parameter.id];
                if value.is_number() {
                    assert_eq!(value.is_i64(), integer, "{} {value}", parameter.id);
                    n_integers += usize::from(integer);
                }
            }
        }
        assert!(n_integers > 0, "{text}");
    }
}
