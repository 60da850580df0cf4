//! Any bytes read as JSONL: each chunk is, unescaped, the text at its place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use memlens_ingest::Kind;

fuzz_target!(|input: &[u8]| {
    let Some((document, options)) = fuzz::document(input) else {
        return;
    };
    let Some(parsed) = fuzz::read(Kind::Jsonl, &document, &options) else {
        return;
    };
    for chunk in &parsed.chunks {
        let raw = &parsed.text[chunk.bytes.start as usize..chunk.bytes.end as usize];
        // Half of a surrogate pair is read as U+FFFD, which this reader refuses.
        match serde_json::from_str::<String>(&format!("\"{raw}\"")) {
            Ok(said) => assert_eq!(said, chunk.text),
            // Several strings of a record are one text.
            Err(_) => assert!(chunk.text.contains('\u{fffd}') || raw.contains('"'), "{raw}"),
        }
    }
});
