//! How figures grow with the library: those of several sizes side by side.

use std::fmt;

use super::Figure;

/// The figures of libraries of several sizes.
pub struct Growth {
    /// Numbers of chunks, ascending, with what was measured of each.
    sizes: Vec<(u32, Vec<Figure>)>,
}

impl Growth {
    /// Makes the growth over sizes in any order; `None` if there are fewer than two.
    pub fn of(mut sizes: Vec<(u32, Vec<Figure>)>) -> Option<Growth> {
        sizes.sort_by_key(|(n_chunks, _)| *n_chunks);
        sizes.dedup_by_key(|(n_chunks, _)| *n_chunks);
        (sizes.len() > 1).then_some(Growth { sizes })
    }

    /// The values of a figure by size, those that were measured.
    fn values(&self, name: &str) -> Vec<(u32, f64)> {
        let of_size = |(n_chunks, figures): &(u32, Vec<Figure>)| {
            let figure = figures.iter().find(|figure| figure.name == name)?;
            Some((*n_chunks, figure.value))
        };
        self.sizes.iter().filter_map(of_size).collect()
    }
}

/// The power of the number of chunks that a value grew with between two sizes: 0 for what stays, 1 for what grows as the
/// library does. Not a number if a value is 0 or less.
fn power((n_from, from): (u32, f64), (n_to, to): (u32, f64)) -> f64 {
    (to / from).ln() / (f64::from(n_to) / f64::from(n_from)).ln()
}

/// A line a figure: its values by size, and the power of the number of chunks that it grew with between the last two.
impl fmt::Display for Growth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((_, largest)) = self.sizes.last() else {
            return Ok(());
        };
        let width = largest.iter().map(|it| it.name.chars().count()).max();
        let width = width.unwrap_or(0);
        write!(out, "{:width$}", "chunks")?;
        for (n_chunks, _) in &self.sizes {
            write!(out, "  {n_chunks:>10}")?;
        }
        writeln!(out, "         grows as chunks to the power of")?;
        for Figure { name, unit, .. } in largest {
            let values = self.values(name);
            write!(out, "{name:width$}")?;
            for (n_chunks, _) in &self.sizes {
                match values.iter().find(|(of, _)| of == n_chunks) {
                    Some((_, value)) => write!(out, "  {value:>10.3}")?,
                    None => write!(out, "  {:>10}", "-")?,
                }
            }
            write!(out, " {unit:5}")?;
            if let [.., before, last] = values.as_slice() {
                write!(out, "  {:>4.2}", power(*before, *last))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    //! What stays grows with the power 0, what doubles with the library with 1; what was not measured is left out.

    use super::*;

    fn figure(name: &str, value: f64) -> Figure {
        Figure {
            name: name.to_owned(),
            value,
            unit: "ms".to_owned(),
            target: None,
            note: String::new(),
        }
    }

    #[test]
    fn figures_stand_by_size_with_the_power_that_they_grow_with() {
        let growth = Growth::of(vec![
            (1000, vec![figure("open", 20.0), figure("search", 5.0)]),
            (10, vec![figure("open", 1.0)]),
            (100, vec![figure("open", 2.0), figure("search", 5.0)]),
        ]);
        assert_eq!(
            growth.unwrap().to_string(),
            "chunks          10         100        1000         grows as chunks to the power of\n\
             open         1.000       2.000      20.000 ms     1.00\n\
             search           -       5.000       5.000 ms     0.00\n"
        );
    }

    #[test]
    fn one_size_does_not_grow() {
        assert!(Growth::of(vec![(10, vec![figure("open", 1.0)])]).is_none());
        let twice = vec![(10, Vec::new()), (10, Vec::new())];
        assert!(Growth::of(twice).is_none());
    }

    #[test]
    fn a_power_is_that_of_the_number_of_chunks() {
        assert!((power((10, 3.0), (1000, 30.0)) - 0.5).abs() < 1e-12);
        assert!(power((10, 3.0), (1000, 1.5)) < 0.0);
        assert!(power((10, 0.0), (1000, 0.0)).is_nan());
    }
}
