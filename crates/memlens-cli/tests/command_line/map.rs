//! `memlens map`: what it prints, the layout by neighbours, and its filters.

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{Memlens, list};

/// One chunk in each of so many notes.
fn garden(n: usize) -> Notes {
    let plants = [
        "roses", "beans", "leeks", "figs", "plums", "kale", "peas", "thyme", "sage", "mint",
        "dill", "chard",
    ];
    let notes: Vec<(String, String)> = plants
        .iter()
        .take(n)
        .enumerate()
        .map(|(at, plant)| {
            let text = format!(
                "---\ndate: 2026-03-{:02}\n---\nThe {plant} are in bed {at}.\n",
                at + 1
            );
            (format!("{plant}.md"), text)
        })
        .collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(a, b)| (&**a, &**b)).collect();
    Notes::new(&notes)
}

fn column(picture: &Value, name: &str) -> Vec<f64> {
    let numbers = list(&picture[name]).iter();
    numbers.map(|it| it.as_f64().expect("a number")).collect()
}

#[test]
fn a_library_without_notes_has_an_empty_map() {
    let memlens = Memlens::of(&[&garden(0)]);
    let printed = memlens.print(&["map"]);
    assert_eq!(
        printed,
        "there are no chunks: add notes with `memlens index PATH`\n"
    );
    assert_eq!(memlens.print(&["map", "--layout"]), printed);
    let picture = memlens.json(&["map", "--json"]);
    assert_eq!(column(&picture, "x"), [0.0; 0]);
}

#[test]
fn one_chunk_is_in_the_middle() {
    let memlens = Memlens::of(&[&garden(1)]);
    let printed = memlens.print(&["map", "--layout"]);
    assert!(
        printed.ends_with(
            "all vectors are equal, so all chunks are in one place\n\
             too few chunks of different texts for a layout by neighbours\n"
        ),
        "{printed}"
    );
    let picture = memlens.json(&["map", "--json"]);
    assert_eq!(
        (column(&picture, "x"), column(&picture, "y")),
        (vec![0.0], vec![0.0])
    );
}

#[test]
fn the_layout_by_neighbours_is_stored() {
    let garden = garden(12);
    let memlens = Memlens::of(&[&garden]);
    let name = garden.path().file_name().expect("it has a name");
    let name = name.to_string_lossy();
    let printed = memlens.print(&["map"]);
    let head = format!("12 chunks in 12 notes\n  12 in {name}\n");
    assert!(
        printed.starts_with(&format!("{head}layout: principal components; they hold ")),
        "{printed}"
    );
    assert!(
        printed.ends_with("\n`memlens map --layout` computes the layout by neighbours\n"),
        "{printed}"
    );
    let components = memlens.json(&["map", "--json"]);
    assert_eq!(components["layout"], "components");
    let printed = memlens.print(&["map", "--layout"]);
    assert_eq!(printed, format!("{head}layout: by neighbours\n"));
    let picture = memlens.json(&["map", "--json"]);
    assert_eq!(picture["layout"], "neighbours");
    assert_eq!(column(&picture, "x").len(), 12);
    assert_eq!(column(&picture, "chunk"), column(&components, "chunk"));
    let chosen = memlens.json(&["map", "--since", "2026-03-11", "--json"]);
    assert_eq!(column(&chosen, "x").len(), 2);
    assert_eq!(chosen["total"], 12);
    let printed = memlens.print(&["map", "--text", "mint"]);
    assert!(
        printed.starts_with("1 of 12 chunks in 1 note, with these filters\n"),
        "{printed}"
    );
}

#[test]
fn unknown_filters_are_refused() {
    let garden = garden(1);
    let memlens = Memlens::of(&[&garden]);
    let name = garden.path().file_name().expect("it has a name");
    let name = name.to_string_lossy();
    let refused = |arguments: &[&str], message: &str| {
        memlens.refused(&[&["map"], arguments].concat(), 2, message);
    };
    refused(
        &["--folder", "shed"],
        &format!("cannot list notes of the folder shed: the watched folders are {name}"),
    );
    refused(
        &["--agent", "openclaw"],
        "cannot search in openclaw: no watched folder belongs to this agent",
    );
    refused(&["--tag", "#"], "cannot list notes by an empty tag");
    refused(
        &["--language", "Klingon"],
        "cannot list notes in Klingon: the notes are in English",
    );
}
