//! The one runtime of asynchronous work: whoever asks blocks, and one thread serves sockets, processes and clocks for all.

use std::io;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

/// Never dropped, so nobody waits for what a call left behind: a name that is still being looked up, for instance.
static RUNTIME: Mutex<Option<Runtime>> = Mutex::new(None);

/// Blocks the thread until `work` is done, polling it there; it must not be one that runs asynchronous tasks.
///
/// # Errors
/// Where the system gives no thread or no clock.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> io::Result<T> {
    Ok(handle()?.block_on(work))
}

/// The runtime, started by the first call.
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
