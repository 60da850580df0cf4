//! The kernel for processors with AVX-512 and its sums of four products.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_loadu_si256, _mm512_and_si512, _mm512_broadcast_i64x4,
    _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8,
    _mm512_setr_epi64, _mm512_setzero_si512, _mm512_srlv_epi64,
};
use std::iter::zip;

use crate::codes::{BLOCK, Question};

/// Returns whether this processor has the instructions.
pub(super) fn is_here() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")
}

#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn write_ceilings(question: &Question, codes: &[u8], ceilings: &mut [f32]) {
    for (ceiling, (levels, tail)) in zip(ceilings, question.split(codes)) {
        *ceiling = question.ceiling(sum(levels, &question.numbers), tail);
    }
}

/// Like [`super::sum`]. Four products are added to a sum of 32 bits, so nothing overflows.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn sum(levels: &[u8], numbers: &[i8]) -> i32 {
    let mask = _mm512_set1_epi8(15);
    // A block is in both halves, and the upper half uses the high levels of its bytes: the order of numbers.
    let shifts = _mm512_setr_epi64(0, 0, 0, 0, 4, 4, 4, 4);
    let mut sums = _mm512_setzero_si512();
    let (blocks, _) = levels.as_chunks::<BLOCK>();
    let (numbers, _) = numbers.as_chunks::<{ 2 * BLOCK }>();
    for (block, numbers) in zip(blocks, numbers) {
        // SAFETY: The arrays have the 32 and 64 bytes that are read; they need no alignment.
        let (block, numbers) = unsafe {
            (
                _mm256_loadu_si256(block.as_ptr().cast::<__m256i>()),
                _mm512_loadu_si512(numbers.as_ptr().cast::<__m512i>()),
            )
        };
        let both = _mm512_srlv_epi64(_mm512_broadcast_i64x4(block), shifts);
        sums = _mm512_dpbusd_epi32(sums, _mm512_and_si512(both, mask), numbers);
    }
    _mm512_reduce_add_epi32(sums)
}
