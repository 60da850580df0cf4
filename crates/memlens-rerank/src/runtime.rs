//! The shared async runtime. Callers block, and one thread serves sockets, processes and timers for all of them.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

use parking_lot::Mutex;
use tokio::runtime::{Builder, EnterGuard, Handle, Runtime};

/// Never dropped, so that nothing waits for leftovers of a call, such as a pending name lookup.
static RUNTIME: Mutex<Option<Runtime>> = Mutex::new(None);

/// Blocks the thread until `work` is done, polling it there. Must not be called from a thread that runs async tasks.
///
/// # Errors
/// If the system cannot start a thread or a timer.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> io::Result<T> {
    Ok(handle()?.block_on(work))
}

/// Like [`block_on`], but only until `deadline`, measured by the clock of this thread; `None` if `work` is not done by
/// then.
///
/// The runtime's own timers stop while a connection keeps its thread busy.
///
/// # Errors
/// Like [`block_on`].
pub(crate) fn block_on_until<T>(
    deadline: Instant,
    work: impl Future<Output = T>,
) -> io::Result<Option<T>> {
    let handle = handle()?;
    let _inside = handle.enter();
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut work = pin!(work);
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
            return Ok(Some(done));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        thread::park_timeout(left);
    }
}

/// Runs a function that needs to be inside the runtime, such as one that starts a process.
///
/// # Errors
/// Like [`block_on`], and those of `work`.
pub(crate) fn inside<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let handle = handle()?;
    let _inside: EnterGuard<'_> = handle.enter();
    work()
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Returns the runtime, which the first call starts.
fn handle() -> io::Result<Handle> {
    let mut runtime = RUNTIME.lock();
    if runtime.is_none() {
        let started = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("memlens-rerank-io")
            .enable_all()
            .build()?;
        *runtime = Some(started);
    }
    let runtime = runtime.as_ref().expect("it was just put there");
    Ok(runtime.handle().clone())
}

#[cfg(test)]
mod tests {
    //! All calls share one thread.

    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_waits_has_its_own_clock() {
        use std::time::Duration;

        // Nothing wakes the first one, not even the runtime's timer.
        let soon = Instant::now() + Duration::from_millis(20);
        let never = block_on_until(soon, std::future::pending::<()>());
        assert_eq!(never.expect("it starts"), None);
        let later = Instant::now() + Duration::from_secs(60);
        let served = block_on_until(later, async {
            tokio::spawn(async { 7 }).await.expect("it does not panic")
        });
        assert_eq!(served.expect("it starts"), Some(7));
    }

    #[test]
    fn one_thread_serves_every_call() {
        let server = || {
            block_on(async {
                let served = tokio::spawn(async { thread::current().id() });
                served.await
            })
        };
        let expected = server().expect("it starts").expect("it does not panic");
        thread::scope(|scope| {
            for calling in [scope.spawn(server), scope.spawn(server)] {
                let served = calling.join().expect("it does not panic");
                let by = served.expect("it runs").expect("it does not panic");
                assert_eq!(by, expected);
            }
        });
    }
}
