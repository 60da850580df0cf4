//! How much garbage the page's JavaScript engine gathers before it collects it.
//!
//! Every answer and every step of a slider brings a ranking anew and makes the last one garbage. By itself WebKit lets its heap
//! grow with the machine's memory: of 45 MB after ten searches 11 were in use.

/// Has JavaScriptCore collect whole heaps early, as where memory is scarce. WebKit's processes find it in their environment.
#[cfg(target_os = "linux")]
const VARIABLE: &str = "JSC_forceMiniVMMode";
#[cfg(target_os = "linux")]
const ON: &str = "true";

/// Has the page keep little garbage, unless the person decided it; does nothing where the page is not WebKitGTK's.
///
/// Measured on 10,000 chunks: 45 MB less after ten searches, 35 MB less while a slider moves, 10 to 30 MB less at rest, for a
/// tenth more processor time in the page while a slider moves, at the same time to its repaint. A WebKit that no longer knows
/// the word ignores it; a browser of WebKit that the window opens for a link may inherit it, and keeps less garbage too.
///
/// # Safety
/// No other thread may run yet, since it could read the environment meanwhile: to be called early in `main`.
#[allow(unsafe_code)]
pub unsafe fn keep_little_garbage() {
    #[cfg(target_os = "linux")]
    if std::env::var_os(VARIABLE).is_none() {
        // SAFETY: by what is asked of the caller.
        unsafe { std::env::set_var(VARIABLE, ON) }
    }
}
