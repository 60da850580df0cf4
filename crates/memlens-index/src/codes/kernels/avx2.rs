//! The kernel for processors with AVX2.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_and_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_setzero_si256, _mm256_srli_epi16,
};
use std::iter::zip;

use crate::codes::{BLOCK, Question};

/// Returns whether this processor has the instructions.
pub(super) fn is_here() -> bool {
    is_x86_feature_detected!("avx2")
}

#[target_feature(enable = "avx2")]
pub(super) fn write_ceilings(question: &Question, codes: &[u8], ceilings: &mut [f32]) {
    for (ceiling, (levels, tail)) in zip(ceilings, question.split(codes)) {
        *ceiling = question.ceiling(sum(levels, &question.numbers), tail);
    }
}

/// Like [`super::sum`]. Two products of at most 15 * 127 are added in 16 bits, then two such pairs of a block; blocks
/// are added in 32 bits. So nothing overflows.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sum(levels: &[u8], numbers: &[i8]) -> i32 {
    let (mask, ones) = (_mm256_set1_epi8(15), _mm256_set1_epi16(1));
    let mut sums = _mm256_setzero_si256();
    let (blocks, _) = levels.as_chunks::<BLOCK>();
    let (halves, _) = numbers.as_chunks::<BLOCK>();
    let (halves, _) = halves.as_chunks::<2>();
    for (block, [low, high]) in zip(blocks, halves) {
        // SAFETY: Each array has the 32 bytes that are read; they need no alignment.
        let (block, low, high) = unsafe {
            (
                _mm256_loadu_si256(block.as_ptr().cast::<__m256i>()),
                _mm256_loadu_si256(low.as_ptr().cast::<__m256i>()),
                _mm256_loadu_si256(high.as_ptr().cast::<__m256i>()),
            )
        };
        let low = _mm256_maddubs_epi16(_mm256_and_si256(block, mask), low);
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(block), mask);
        let high = _mm256_maddubs_epi16(upper, high);
        let both = _mm256_add_epi16(low, high);
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(both, ones));
    }
    let half = _mm_add_epi32(
        _mm256_castsi256_si128(sums),
        _mm256_extracti128_si256::<1>(sums),
    );
    let pair = _mm_add_epi32(half, _mm_shuffle_epi32::<0b00_00_11_10>(half));
    let one = _mm_add_epi32(pair, _mm_shuffle_epi32::<0b00_00_00_01>(pair));
    _mm_cvtsi128_si32(one)
}
