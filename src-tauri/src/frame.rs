//! Position and size of the window when it was closed, stored in the library's settings, so that it opens there again.

use memlens_engine::Engine;
use serde::{Deserialize, Serialize};
use tauri::{PhysicalPosition, PhysicalSize, Runtime, WebviewWindow, Window};

/// The smallest size of the window, in logical pixels.
pub const SIZE_MIN: (f64, f64) = (900.0, 600.0);
/// Initial size of the window, in logical pixels.
const SIZE: (f64, f64) = (1440.0, 900.0);
/// How much of the window's upper edge must be on a screen, so that a pointer can take hold of it.
const HOLD: i64 = 48;

/// The window's place on the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Width and height without the desktop's own frame, in logical pixels.
    size: (f64, f64),
    /// Upper left corner in physical pixels; `None` if the desktop does not report it (Wayland).
    corner: Option<(i32, i32)>,
    /// Whether it fills its screen.
    is_maximized: bool,
}

/// A screen: its corner and its size in physical pixels.
type Screen = (PhysicalPosition<i32>, PhysicalSize<u32>);

impl Frame {
    /// The stored frame, or the default if nothing is stored or it cannot be read.
    pub fn kept(text: Option<String>) -> Frame {
        text.and_then(|text| serde_json::from_str(&text).ok())
            .map_or_else(Frame::default, Frame::sound)
    }

    /// The same, of another size and not filling the screen.
    pub fn of_size(self, (width, height): (u32, u32)) -> Frame {
        Frame {
            size: (f64::from(width), f64::from(height)),
            is_maximized: false,
            ..self
        }
    }

    /// Width and height to open the window with.
    pub fn size(&self) -> (f64, f64) {
        self.size
    }

    /// Moves a new window to the stored place.
    pub fn place<R: Runtime>(&self, window: &WebviewWindow<R>) -> tauri::Result<()> {
        let screens: Vec<Screen> = window
            .available_monitors()?
            .iter()
            .map(|monitor| (*monitor.position(), *monitor.size()))
            .collect();
        let width = self.size.0 * window.scale_factor()?;
        if let Some((x, y)) = self.corner_on(&screens, width) {
            window.set_position(PhysicalPosition { x, y })?;
        }
        if self.is_maximized {
            window.maximize()?;
        }
        Ok(())
    }

    /// Stores the place of a window. A maximized window retains its previous size.
    pub fn keep<R: Runtime>(window: &Window<R>, engine: &Engine) -> tauri::Result<()> {
        let before = Frame::kept(engine.window_frame());
        let is_maximized = window.is_maximized()?;
        let frame = if is_maximized {
            Frame {
                is_maximized,
                ..before
            }
        } else {
            let size = window
                .inner_size()?
                .to_logical::<f64>(window.scale_factor()?);
            Frame {
                size: (size.width, size.height),
                corner: window.outer_position().ok().map(|at| (at.x, at.y)),
                is_maximized,
            }
        };
        if frame != before
            && let Ok(text) = serde_json::to_string(&frame)
        {
            // Where another process writes, that one's window is kept.
            let _ = engine.keep_window_frame(text);
        }
        Ok(())
    }

    /// With a size that a window can have.
    fn sound(self) -> Frame {
        let (width, height) = self.size;
        let is_possible =
            (SIZE_MIN.0..=10_000.0).contains(&width) && (SIZE_MIN.1..=10_000.0).contains(&height);
        Frame {
            size: if is_possible { self.size } else { SIZE },
            ..self
        }
    }

    /// The corner, where the upper edge of a window so wide can be taken hold of on one of the screens.
    fn corner_on(&self, screens: &[Screen], width: f64) -> Option<(i32, i32)> {
        let (x, y) = self.corner?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most some ten thousand pixels"
        )]
        let right = i64::from(x) + width as i64;
        screens
            .iter()
            .any(|(at, size)| {
                let (left, top) = (i64::from(at.x), i64::from(at.y));
                let (end, bottom) = (left + i64::from(size.width), top + i64::from(size.height));
                right.min(end) - i64::from(x).max(left) >= HOLD
                    && (top..=bottom - HOLD).contains(&i64::from(y))
            })
            .then_some((x, y))
    }
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            size: SIZE,
            corner: None,
            is_maximized: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(corner: (i32, i32)) -> Frame {
        Frame {
            corner: Some(corner),
            ..Frame::default()
        }
    }

    #[test]
    fn no_window_is_put_where_nobody_can_take_hold_of_it() {
        let screen =
            |x, y, width, height| (PhysicalPosition { x, y }, PhysicalSize { width, height });
        let screens = [screen(0, 0, 1920, 1080), screen(-1280, 200, 1280, 1024)];
        let check = |corner: (i32, i32), expected: bool| {
            let placed = frame(corner).corner_on(&screens, 1440.0);
            assert_eq!(placed, expected.then_some(corner), "{corner:?}");
        };
        check((0, 0), true);
        check((1872, 1032), true);
        check((1873, 0), false);
        check((0, 1033), false);
        check((0, -1), false);
        // On the screen at the left.
        check((-1280, 300), true);
        check((-1392, 100), true);
        check((-1393, 100), false);
        check((-2672, 300), true);
        check((-2673, 300), false);
        check((i32::MAX, i32::MIN), false);
        assert_eq!(frame((0, 0)).corner_on(&[], 1440.0), None);
        assert_eq!(Frame::default().corner_on(&screens, 1440.0), None);
    }

    #[test]
    fn a_size_that_no_window_has_is_as_good_as_none() {
        let check = |size: (f64, f64), expected: (f64, f64)| {
            let frame = Frame {
                size,
                ..Frame::default()
            };
            assert_eq!(frame.sound().size(), expected, "{size:?}");
        };
        check((900.0, 600.0), (900.0, 600.0));
        check((899.0, 600.0), SIZE);
        check((900.0, 1e9), SIZE);
        check((f64::NAN, 700.0), SIZE);
        check((-1000.0, 700.0), SIZE);
    }
}
