//! The small model: a vector for each word piece, without a network and without ONNX Runtime.

use std::sync::atomic::{AtomicBool, Ordering};

use tokenizers::Tokenizer;

use crate::bundled::{self, slices, tokenized, tokens};
use crate::model_files::{self, ModelFile};
use crate::token_vectors::mean_direction;
use crate::{EmbedError, Embedder, Locations, ModelInfo, TokenVectors};

/// The loaded small model: potion-base-2M in 8 bits, with the tokenizer of the bundled model.
///
/// A text's vector is the mean of its tokens' rows, so the order of words does not count. It takes 2 MB and is far
/// faster than the bundled model, and it finds less.
pub struct Static {
    info: ModelInfo,
    tokenizer: Tokenizer,
    table: Table,
    /// The vector of a text without a known token.
    unknown: Vec<f32>,
}

/// The rows, then the tokenizer; their origin is in `model/SOURCE.md`.
pub(crate) const FILES: [ModelFile; 2] = [
    ModelFile {
        name: "static.bin",
        sha256: "bb4374e6424ab6b7d0cd7afeafb2370e248f2406baf272cff5047b7a3dc23529",
    },
    // The same file as that of the bundled model.
    ModelFile {
        name: bundled::MODEL_FILES[1].name,
        sha256: bundled::MODEL_FILES[1].sha256,
    },
];

/// The model's id: its name and the start of the checksum of the first of [`FILES`].
pub(crate) const ID: &str = "potion-base-2M-q8@bb4374e6";

/// Number of values in a vector.
const DIM: usize = 64;
/// Nothing of a text is left out; this only bounds what a caller passes at once.
const MAX_TOKENS: usize = 1 << 20;
/// Texts are read in slices of about this size, because tokenizing takes about 60 times the text's memory.
const READ_BYTES: usize = 1 << 16;

impl Static {
    /// Loads the model's files. `at` needs no ONNX Runtime.
    ///
    /// # Errors
    /// [`EmbedError::ReadModel`], [`EmbedError::OtherModel`] or [`EmbedError::LoadModel`].
    pub fn load(at: &Locations) -> Result<Self, EmbedError> {
        let [table, tokenizer] = model_files::read(&at.model, &FILES)?;
        let load_error = |why: String| EmbedError::LoadModel { why };
        let table = Table::parse(&table).map_err(|why| load_error(format!("static.bin: {why}")))?;
        let mut tokenizer = Tokenizer::from_bytes(tokenizer)
            .map_err(|error| load_error(format!("tokenizer.json: {error}")))?;
        // The file sets both for the bundled model.
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(None)
            .map_err(|error| load_error(format!("tokenizer.json: {error}")))?;
        Ok(Self {
            info: info(),
            unknown: table
                .mean()
                .ok_or_else(|| load_error("static.bin: its rows have no mean".to_owned()))?,
            table,
            tokenizer,
        })
    }

    /// Checks what [`Static::load`] would load.
    ///
    /// # Errors
    /// Like [`Static::load`], except [`EmbedError::LoadModel`].
    pub fn check(at: &Locations) -> Result<ModelInfo, EmbedError> {
        model_files::read(&at.model, &FILES)?;
        Ok(info())
    }

    fn ids(&self, text: &str) -> Vec<u32> {
        slices(text, READ_BYTES)
            .flat_map(|slice| tokens(&tokenized(&self.tokenizer, slice)).collect::<Vec<u32>>())
            .collect()
    }

    fn embed_one(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0_f32; DIM];
        for id in self.ids(text) {
            for (sum, value) in sum.iter_mut().zip(self.table.row(id)) {
                *sum += value;
            }
        }
        mean_direction(&sum, DIM).unwrap_or_else(|| self.unknown.clone())
    }
}

impl Embedder for Static {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embed = |text: &&str| match cancel.load(Ordering::Relaxed) {
            true => Err(EmbedError::Cancelled),
            false => Ok(self.embed_one(text)),
        };
        texts.iter().map(embed).collect()
    }

    /// A token's vector does not depend on its neighbours. Tokens that the model does not know are left out.
    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        let mut found = TokenVectors::default();
        let mut start = 0;
        for slice in slices(text, READ_BYTES) {
            let tokens = self
                .tokenizer
                .encode(slice, false)
                .expect("the model's tokenizer takes every text");
            for (&id, &(from, to)) in tokens.get_ids().iter().zip(tokens.get_offsets()) {
                found.push(start + from..start + to, self.table.row(id));
            }
            start += slice.len();
        }
        Ok(found)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        let counts = slices(text, READ_BYTES)
            .map(|slice| tokens(&tokenized(&self.tokenizer, slice)).count() as u32);
        counts.sum()
    }

    fn reads(&self, text: &str) -> bool {
        let ids = self.ids(text);
        let n_unknown = ids.iter().filter(|id| !self.table.knows(**id)).count();
        n_unknown * 2 <= ids.len()
    }
}

pub(crate) fn info() -> ModelInfo {
    ModelInfo {
        id: ID.to_owned(),
        name: "potion-base-2M, 8 bits".to_owned(),
        dim: DIM,
        max_tokens: MAX_TOKENS,
    }
}

/// The rows of all tokens, by their ids.
struct Table {
    /// Factor of each row; 0 for a token that the model does not know.
    scales: Vec<f32>,
    /// Row-major `i8[n, DIM]`.
    rows: Vec<i8>,
}

/// Begins the file; its version is the last byte.
const MAGIC: &[u8; 4] = b"M2V1";
/// Bytes of a 16-bit float.
const SCALE_BYTES: usize = 2;

impl Table {
    /// Parses `static.bin`: the magic bytes, `u32` number of rows, `u32` values of a row, `f16` scale of each row, `i8` values, all
    /// little endian.
    fn parse(bytes: &[u8]) -> Result<Table, String> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or("it does not begin with M2V1")?;
        let (n_rows, rest) = number(rest)?;
        let (dim, rest) = number(rest)?;
        if dim != DIM {
            return Err(format!("its rows have {dim} values, not {DIM}"));
        }
        let n_expected = n_rows.saturating_mul(SCALE_BYTES + DIM);
        if rest.len() != n_expected {
            return Err(format!(
                "{} bytes follow its head, not the {n_expected} of {n_rows} rows",
                rest.len()
            ));
        }
        let (scales, rows) = rest.split_at(n_rows * SCALE_BYTES);
        let scales: Vec<f32> = scales
            .chunks_exact(SCALE_BYTES)
            .map(|bytes| from_half(u16::from_le_bytes([bytes[0], bytes[1]])))
            .collect();
        if scales.iter().any(|scale| !scale.is_finite()) {
            return Err("a scale is not finite".to_owned());
        }
        Ok(Table {
            scales,
            rows: rows.iter().map(|byte| *byte as i8).collect(),
        })
    }

    /// The row of a token; empty for one that the model does not know.
    fn row(&self, id: u32) -> impl Iterator<Item = f32> + use<'_> {
        let scale = self.scales.get(id as usize).copied().unwrap_or_default();
        let row = match scale == 0.0 {
            true => &[],
            false => &self.rows[id as usize * DIM..][..DIM],
        };
        row.iter().map(move |value| f32::from(*value) * scale)
    }

    fn knows(&self, id: u32) -> bool {
        self.row(id).next().is_some()
    }

    /// The direction of the mean of all rows. Those of readable texts point away from it: 150 English questions have cosines of -0.60
    /// to -0.13 with it.
    fn mean(&self) -> Option<Vec<f32>> {
        let rows: Vec<f32> = (0..self.scales.len() as u32)
            .flat_map(|id| self.row(id))
            .collect();
        mean_direction(&rows, DIM)
    }
}

/// Bits of the fraction of a 16-bit float.
const HALF_FRACTION_BITS: u32 = 10;
/// Its exponent for infinity and NaN.
const HALF_INFINITE: u16 = 31;

/// Returns the value of a 16-bit float, exactly.
fn from_half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = (bits >> HALF_FRACTION_BITS) & HALF_INFINITE;
    let fraction = f32::from(bits & ((1 << HALF_FRACTION_BITS) - 1));
    sign * match exponent {
        0 => fraction * 2_f32.powi(-24),
        HALF_INFINITE if fraction == 0.0 => f32::INFINITY,
        HALF_INFINITE => f32::NAN,
        _ => (1024.0 + fraction) * 2_f32.powi(i32::from(exponent) - 25),
    }
}

/// Splits a little-endian `u32` from the start of `bytes`.
fn number(bytes: &[u8]) -> Result<(usize, &[u8]), String> {
    let (number, rest) = bytes
        .split_first_chunk::<4>()
        .ok_or("it ends in its head")?;
    Ok((u32::from_le_bytes(*number) as usize, rest))
}

/// Checks the parser with made-up tables. The model itself is tested in `tests/static_model.rs`.
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A table of rows, each of one value with a scale of 1.
    fn bytes(rows: &[i8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((rows.len() as u32).to_le_bytes());
        bytes.extend((DIM as u32).to_le_bytes());
        rows.iter()
            .for_each(|_| bytes.extend(0x3c00_u16.to_le_bytes()));
        rows.iter().for_each(|row| bytes.extend([*row as u8; DIM]));
        bytes
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let table = Table::parse(&bytes(&[3, -128])).expect("it is whole");
        assert_eq!(table.row(0).collect::<Vec<_>>(), [3.0; DIM]);
        assert_eq!(table.row(1).collect::<Vec<_>>(), [-128.0; DIM]);
        assert!(table.knows(1) && !table.knows(2), "there is no third row");
        let mut without = bytes(&[3, 4]);
        without[12..14].fill(0);
        let table = Table::parse(&without).expect("it is whole");
        assert!(
            !table.knows(0) && table.knows(1),
            "a scale of 0 is no token"
        );
    }

    #[test]
    fn sixteen_bit_floats_are_exact() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(from_half(bits), expected, "{bits:x}");
        }
        assert!(from_half(0x7e00).is_nan());
    }

    #[test]
    fn a_damaged_table_is_refused_by_name() {
        let whole = bytes(&[1, 2]);
        let other_dim = [&whole[..8], &[9, 0, 0, 0], &whole[12..]].concat();
        let mut not_finite = whole.clone();
        not_finite[12..14].copy_from_slice(&0x7e00_u16.to_le_bytes());
        for (bytes, expected) in [
            (&b"M2V2"[..], "begin with M2V1"),
            (&whole[..6], "ends in its head"),
            (&other_dim, "have 9 values, not 64"),
            (
                &whole[..whole.len() - 1],
                "131 bytes follow its head, not the 132 of 2 rows",
            ),
            (&not_finite, "a scale is not finite"),
        ] {
            let error = Table::parse(bytes).err().expect("it is damaged");
            assert!(error.contains(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_table_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let with_magic = [&MAGIC[..], &bytes].concat();
            for bytes in [bytes, with_magic] {
                if let Ok(table) = Table::parse(&bytes) {
                    prop_assert!(table.mean().is_none_or(|mean| mean.len() == DIM));
                }
            }
        }
    }
}
