//! Any bytes read as a note: `memlens_ingest::parse` and `observations`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use memlens_ingest::Kind;

fuzz_target!(|input: &[u8]| {
    if let Some((document, options)) = fuzz::document(input) {
        fuzz::read(Kind::Markdown, &document, &options);
        fuzz::read(Kind::Plain, &document, &options);
    }
});
