//! SHA-256 of data that is too large to be in memory at once.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

const READ_BYTES: usize = 1 << 20;

/// Adds everything that is left to read.
pub(crate) fn add(sum: &mut Sha256, mut from: impl Read) -> io::Result<()> {
    let mut bytes = vec![0; READ_BYTES];
    loop {
        match from.read(&mut bytes)? {
            0 => return Ok(()),
            n_bytes => sum.update(&bytes[..n_bytes]),
        }
    }
}

/// Returns the checksum in lower-case hexadecimal digits.
pub(crate) fn hex(sum: Sha256) -> String {
    let bytes = sum.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks the published checksums of two texts, one of them read in pieces.
#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: impl Read, expected: &str) {
        let mut sum = Sha256::new();
        add(&mut sum, from).expect("memory can be read");
        assert_eq!(hex(sum), expected);
    }

    #[test]
    fn sums_are_those_that_are_published() {
        // FIPS 180-4, examples of SHA-256.
        check(
            b"abc".as_slice(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        );
        check(
            io::repeat(b'a').take(1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        );
    }
}
