//! The kernel for 64-bit ARM.

use std::arch::aarch64::{
    int8x16_t, vaddvq_s32, vandq_u8, vdupq_n_s16, vdupq_n_s32, vdupq_n_u8, vget_low_s8, vld1q_s8,
    vld1q_u8, vmlal_high_s8, vmlal_s8, vpadalq_s16, vreinterpretq_s8_u8, vshrq_n_u8,
};
use std::arch::is_aarch64_feature_detected;
use std::iter::zip;

use crate::codes::{BLOCK, Question};

/// Returns whether this processor has the instructions; all that run an operating system do.
pub(super) fn is_here() -> bool {
    is_aarch64_feature_detected!("neon")
}

#[target_feature(enable = "neon")]
pub(super) fn write_ceilings(question: &Question, codes: &[u8], ceilings: &mut [f32]) {
    for (ceiling, (levels, tail)) in zip(ceilings, question.split(codes)) {
        *ceiling = question.ceiling(sum(levels, &question.numbers), tail);
    }
}

/// Like [`super::sum`]. Each lane of 16 bits adds 8 of a block's 64 products, and could hold 17 of at most 15 * 127;
/// blocks are added in 32 bits. So nothing overflows.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn sum(levels: &[u8], numbers: &[i8]) -> i32 {
    let mut sums = vdupq_n_s32(0);
    let (blocks, _) = levels.as_chunks::<BLOCK>();
    let (numbers, _) = numbers.as_chunks::<{ 2 * BLOCK }>();
    for (block, numbers) in zip(blocks, numbers) {
        let mut products = vdupq_n_s16(0);
        for (levels, numbers) in zip(unpack(block), load(numbers)) {
            products = vmlal_s8(products, vget_low_s8(levels), vget_low_s8(numbers));
            products = vmlal_high_s8(products, levels, numbers);
        }
        sums = vpadalq_s16(sums, products);
    }
    vaddvq_s32(sums)
}

/// Returns the levels of a block, in the order of numbers.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn unpack(block: &[u8; BLOCK]) -> [int8x16_t; 4] {
    let bytes = block.as_ptr();
    // SAFETY: The array has the 32 bytes that are read; they need no alignment.
    let (first, second) = unsafe { (vld1q_u8(bytes), vld1q_u8(bytes.add(BLOCK / 2))) };
    let mask = vdupq_n_u8(15);
    [
        vreinterpretq_s8_u8(vandq_u8(first, mask)),
        vreinterpretq_s8_u8(vandq_u8(second, mask)),
        vreinterpretq_s8_u8(vshrq_n_u8::<4>(first)),
        vreinterpretq_s8_u8(vshrq_n_u8::<4>(second)),
    ]
}

/// Returns the numbers that belong to a block.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load(numbers: &[i8; 2 * BLOCK]) -> [int8x16_t; 4] {
    let bytes = numbers.as_ptr();
    // SAFETY: The array has the 64 bytes that are read; they need no alignment.
    unsafe {
        [
            vld1q_s8(bytes),
            vld1q_s8(bytes.add(BLOCK / 2)),
            vld1q_s8(bytes.add(BLOCK)),
            vld1q_s8(bytes.add(BLOCK + BLOCK / 2)),
        ]
    }
}
