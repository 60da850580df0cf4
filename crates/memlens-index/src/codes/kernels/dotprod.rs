//! The kernel for 64-bit ARM with sums of four products, which every Apple silicon Mac has.

use std::arch::aarch64::{int8x16_t, int32x4_t, vaddq_s32, vaddvq_s32, vdupq_n_s32};
use std::arch::{asm, is_aarch64_feature_detected};
use std::iter::zip;

use super::neon::{load, unpack};
use crate::codes::{BLOCK, Question};

/// Returns whether this processor has the instructions.
pub(super) fn is_here() -> bool {
    is_aarch64_feature_detected!("dotprod")
}

#[target_feature(enable = "dotprod")]
pub(super) fn write_ceilings(question: &Question, codes: &[u8], ceilings: &mut [f32]) {
    for (ceiling, (levels, tail)) in zip(ceilings, question.split(codes)) {
        *ceiling = question.ceiling(sum(levels, &question.numbers), tail);
    }
}

/// Like [`super::sum`]. Four products are added to a sum of 32 bits, so nothing overflows.
#[inline]
#[target_feature(enable = "dotprod")]
pub(super) fn sum(levels: &[u8], numbers: &[i8]) -> i32 {
    // Four sums, because each product waits for the sum that it is added to.
    let mut sums = [vdupq_n_s32(0); 4];
    let (blocks, _) = levels.as_chunks::<BLOCK>();
    let (numbers, _) = numbers.as_chunks::<{ 2 * BLOCK }>();
    for (block, numbers) in zip(blocks, numbers) {
        let products = zip(unpack(block), load(numbers));
        for (sum, (levels, numbers)) in zip(&mut sums, products) {
            *sum = add_products(*sum, levels, numbers);
        }
    }
    let [a, b, c, d] = sums;
    vaddvq_s32(vaddq_s32(vaddq_s32(a, b), vaddq_s32(c, d)))
}

/// Returns four sums with the products of four levels and four numbers added to each.
///
/// Written as assembly: `vdotq_s32` is not stable in Rust 1.95, and the compiler does not generate it from plain code.
#[inline]
#[target_feature(enable = "dotprod")]
fn add_products(mut sums: int32x4_t, levels: int8x16_t, numbers: int8x16_t) -> int32x4_t {
    // SAFETY: The instruction only adds to `sums`.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {levels:v}.16b, {numbers:v}.16b",
            sums = inout(vreg) sums,
            levels = in(vreg) levels,
            numbers = in(vreg) numbers,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}
