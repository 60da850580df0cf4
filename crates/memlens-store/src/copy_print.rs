//! Fingerprints that identify copies of a chunk's text. They are computed when a snapshot reads the chunk and are not
//! stored in the database: an old library needs no migration, and the saved snapshot contains them from then on.

use memlens_corroborate::CopyPrint;
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;

/// The [`CopyPrint`] of a chunk `c` as [`read`] reads it.
pub(crate) const PRINT_OF_CHUNK: &str = "copy_print(c.text)";

/// Adds the function `copy_print` to a connection: the numbers of a text's [`CopyPrint`], 8 bytes each.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_scalar_function(
        "copy_print",
        1,
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
        |values| {
            let print = match values.get_raw(0) {
                ValueRef::Text(text) => CopyPrint::of(&String::from_utf8_lossy(text)),
                ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => {
                    CopyPrint::default()
                }
            };
            let CopyPrint {
                folded,
                simhash,
                claims,
                n_words,
                sum,
                sum_of_squares,
            } = print;
            let numbers = [folded, simhash, claims, n_words.into(), sum, sum_of_squares];
            Ok(numbers.map(u64::to_le_bytes).concat())
        },
    )
}

pub(crate) fn read(bytes: [u8; 6 * size_of::<u64>()]) -> CopyPrint {
    let [folded, simhash, claims, n_words, sum, sum_of_squares] = [0, 1, 2, 3, 4, 5].map(|at| {
        let number = std::array::from_fn(|byte| bytes[at * size_of::<u64>() + byte]);
        u64::from_le_bytes(number)
    });
    CopyPrint {
        folded,
        simhash,
        claims,
        n_words: n_words as u32,
        sum,
        sum_of_squares,
    }
}

#[cfg(test)]
mod tests {
    use memlens_corroborate::CopyPrint;
    use rusqlite::Connection;

    #[test]
    fn a_print_comes_back() {
        let connection = Connection::open_in_memory().expect("memory");
        super::register(&connection).expect("it is a function");
        for text in ["The router stands in the hall, 3 m from the door.", ""] {
            let read = connection.query_row("SELECT copy_print(?1)", [text], |row| row.get(0));
            assert_eq!(super::read(read.expect("48 bytes")), CopyPrint::of(text));
        }
    }
}
