//! The scan of codes, with the instructions that this processor has.
//!
//! Each kernel adds integers without overflow, so all of them give the same sums.

use std::iter::zip;

use super::{BLOCK, Question};

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod dotprod;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod neon;

/// Writes the ceiling of each code, with the best kernel for this processor.
pub(super) fn write_ceilings(question: &Question, codes: &[u8], ceilings: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    if avx512::is_here() {
        // SAFETY: The processor has the instructions, as just checked.
        unsafe { avx512::write_ceilings(question, codes, ceilings) }
        return;
    } else if avx2::is_here() {
        // SAFETY: The processor has the instructions, as just checked.
        unsafe { avx2::write_ceilings(question, codes, ceilings) }
        return;
    }
    #[cfg(target_arch = "aarch64")]
    #[allow(unsafe_code)]
    if dotprod::is_here() {
        // SAFETY: The processor has the instructions, as just checked.
        unsafe { dotprod::write_ceilings(question, codes, ceilings) }
        return;
    } else if neon::is_here() {
        // SAFETY: The processor has the instructions, as just checked.
        unsafe { neon::write_ceilings(question, codes, ceilings) }
        return;
    }
    for (ceiling, (levels, tail)) in zip(ceilings, question.split(codes)) {
        *ceiling = question.ceiling(sum(levels, &question.numbers), tail);
    }
}

/// Returns the sum of products of levels and numbers, in portable code.
fn sum(levels: &[u8], numbers: &[i8]) -> i32 {
    let blocks = zip(levels.chunks_exact(BLOCK), numbers.chunks_exact(2 * BLOCK));
    blocks
        .map(|(levels, numbers)| {
            let (low, high) = numbers.split_at(BLOCK);
            zip(levels, zip(low, high))
                .map(|(level, (low, high))| {
                    i32::from(level & 15) * i32::from(*low)
                        + i32::from(level >> 4) * i32::from(*high)
                })
                .sum::<i32>()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the sums of the kernels that this processor supports.
    #[allow(unsafe_code)]
    fn sums(levels: &[u8], numbers: &[i8]) -> Vec<(&'static str, i32)> {
        let mut sums = vec![("plain", sum(levels, numbers))];
        #[cfg(target_arch = "x86_64")]
        // SAFETY: Each kernel's instructions are checked first.
        unsafe {
            if avx2::is_here() {
                sums.push(("avx2", avx2::sum(levels, numbers)));
            }
            if avx512::is_here() {
                sums.push(("avx512", avx512::sum(levels, numbers)));
            }
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: Each kernel's instructions are checked first.
        unsafe {
            if neon::is_here() {
                sums.push(("neon", neon::sum(levels, numbers)));
            }
            if dotprod::is_here() {
                sums.push(("dotprod", dotprod::sum(levels, numbers)));
            }
        }
        sums
    }

    /// Equally many blocks of levels and numbers, sometimes with extreme values.
    fn blocks() -> impl Strategy<Value = (Vec<u8>, Vec<i8>)> {
        (0_usize..20).prop_flat_map(|blocks| {
            let levels = prop_oneof![Just(255_u8), any::<u8>()];
            let numbers = prop_oneof![Just(127_i8), -127_i8..=127];
            let n_numbers = blocks * BLOCK * 2;
            (
                prop_oneof![
                    Just(vec![255; blocks * BLOCK]),
                    prop::collection::vec(levels, blocks * BLOCK),
                ],
                prop_oneof![
                    Just(vec![127; n_numbers]),
                    Just(vec![-127; n_numbers]),
                    prop::collection::vec(numbers, n_numbers),
                ],
            )
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn every_kernel_gives_the_plain_sum((levels, numbers) in blocks()) {
            let by_number: i32 = (0..numbers.len()).map(|at| {
                let byte = levels[at / 64 * 32 + at % 32];
                i32::from(if at % 64 < 32 { byte % 16 } else { byte / 16 }) * i32::from(numbers[at])
            }).sum();
            for (kernel, sum) in sums(&levels, &numbers) {
                prop_assert_eq!(sum, by_number, "{}", kernel);
            }
        }
    }
}
