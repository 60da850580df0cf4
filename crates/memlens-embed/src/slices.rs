//! Cutting a text into slices.

/// Cuts `text` into slices that keep every byte. `end_of` returns how many bytes of the rest the next slice takes; it must be
/// above 0 for a rest that is not empty.
pub(crate) fn slices_by(text: &str, end_of: impl Fn(&str) -> usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (slice, after) = rest.split_at(end_of(rest));
        rest = after;
        (!slice.is_empty()).then_some(slice)
    })
}
