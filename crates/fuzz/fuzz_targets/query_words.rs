//! Any text cut into words and searched for: words are normalised and are at their offsets, and scores do not exceed
//! the ideal.

#![no_main]

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use memlens_index::{
    Join, TextEntry, TextHit, TextHits, TextIndex, TextWriter, Word, WordKind, places, words,
};
use tempfile::TempDir;
use unicode_normalization::{UnicodeNormalization, is_nfkc};

const TEXTS: [&str; 6] = [
    "Quiet hours of the relay start at ten.",
    "The relay hums; Café naïve, İzmir, STRAẞE.",
    "我喜欢喝茶。茶 水曜日",
    "학교에서 ไม่มี نعم",
    "v2.10 snake_case 1️⃣ ﷺ",
    "",
];

/// A list of [`TEXTS`], each a chunk by its number.
static LIST: LazyLock<(TempDir, TextIndex)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    let mut writer = TextWriter::create(folder.path()).expect("a list can be started");
    for (chunk, text) in (0..).zip(TEXTS) {
        let title = "note";
        let entry = TextEntry {
            chunk,
            document: chunk,
            text,
            title,
        };
        writer.add(&entry).expect("chunks can be added");
    }
    writer.commit(1).expect("it can be committed");
    drop(writer);
    let index = TextIndex::open(folder.path()).expect("it was just written");
    (folder, index)
});

fuzz_target!(|text: &str| {
    let found = words(text);
    check_words(text, &found);
    assert_eq!(found, words(text));
    let terms =
        |text: &str| -> Vec<String> { words(text).into_iter().map(|word| word.term).collect() };
    let composed: String = text.nfc().collect();
    let spelt: String = text.nfd().collect();
    assert_eq!(terms(&composed), terms(&spelt), "spelling changes nothing");
    let doubled = terms(&format!("{text} . {text}"));
    let once = terms(text);
    assert_eq!(
        doubled,
        [once.clone(), once].concat(),
        "a text has the words of its parts"
    );

    let asked: HashSet<&str> = found
        .iter()
        .step_by(2)
        .map(|word| word.term.as_str())
        .collect();
    let shown = places(text, &asked);
    assert!(shown.is_sorted_by_key(|place| (place.start, place.end)));
    assert!(
        shown
            .iter()
            .all(|place| text.get(place.clone()).is_some_and(|word| !word.is_empty()))
    );
    let is_shown = |word: &Word| shown.contains(&word.bytes);
    assert!(
        found
            .iter()
            .filter(|word| asked.contains(word.term.as_str()))
            .all(is_shown)
    );

    let any = LIST.1.search(text, Join::Or).expect("the list is sound");
    let every = LIST.1.search(text, Join::And).expect("the list is sound");
    check_hits(text, &any);
    check_hits(text, &every);
    assert_eq!(
        (&any.words, any.ideal.to_bits()),
        (&every.words, every.ideal.to_bits())
    );
    assert!(every.hits.iter().all(|hit| any.hits.contains(hit)));
    let holds_all = |hit: &&TextHit| hit.matched.len() == any.words.len();
    assert!(
        any.hits
            .iter()
            .filter(holds_all)
            .all(|hit| every.hits.contains(hit))
    );
    // Other words may be held as a whole, or by their parts.
    for (at, word) in (0..).zip(&every.words) {
        let is_needed = word.kind == WordKind::Plain;
        assert!(!is_needed || every.hits.iter().all(|hit| hit.matched.contains(&at)));
    }
});

fn check_words(text: &str, found: &[Word]) {
    let mut last: Range<usize> = 0..0;
    for Word { term, bytes } in found {
        let typed = text.get(bytes.clone()).expect("a part of the text");
        assert!(!typed.is_empty() && (last.start, last.end) <= (bytes.start, bytes.end));
        assert!(!term.is_empty() && term.len() <= 256, "{term}");
        assert!(is_nfkc(term), "{term:?} of {typed:?}");
        assert_eq!(
            term.to_lowercase().chars().nfkc().collect::<String>(),
            *term,
            "of {typed:?}"
        );
        // A term is one word again.
        assert_eq!(words(term).len(), 1, "{term:?} of {typed:?}");
        last = bytes.clone();
    }
}

fn check_hits(query: &str, found: &TextHits) {
    let mut terms = HashSet::new();
    for word in &found.words {
        assert!(terms.insert(&word.term), "{}", word.term);
        assert!(query.contains(&word.typed) && !word.typed.is_empty());
        assert!(word.idf.is_finite() && word.idf > 0.0 && word.n_chunks as usize <= TEXTS.len());
        assert!([0.25, 1.0].contains(&word.weight));
    }
    assert!(found.ideal.is_finite() && (found.ideal == 0.0) == found.words.is_empty());
    assert!(found.hits.is_sorted_by(|a, b| a.chunk < b.chunk));
    for hit in &found.hits {
        assert!((hit.chunk as usize) < TEXTS.len());
        assert!(
            hit.score > 0.0 && hit.score <= found.ideal,
            "{} of {}",
            hit.score,
            found.ideal
        );
        assert!(!hit.matched.is_empty() && hit.matched.is_sorted_by(|a, b| a < b));
        assert!(
            hit.matched
                .iter()
                .all(|&word| usize::from(word) < found.words.len())
        );
    }
}
