//! The threads that this process starts, and what it has used, where the system reports it.

use std::num::NonZero;
use std::sync::Mutex;
use std::time::Instant;

use crate::error::{Error, Result};

/// Seconds of the processor that this thread has used, where the system reports it: on Linux.
pub fn thread_cpu_s() -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Starts a pool of this number of threads.
///
/// # Errors
/// If they cannot be started.
pub fn thread_pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| no_threads(threads, &error))
}

/// The error that so many threads cannot be started.
pub fn no_threads(threads: usize, error: &dyn std::fmt::Display) -> Error {
    let (what, expected) = match threads {
        1 => ("a thread".to_owned(), "a system that allows more processes and memory, see `ulimit -u` and `ulimit -v`"),
        _ => (format!("{threads} threads"), "a number that the system allows; fewer with --threads"),
    };
    Error::Usage(format!("cannot start {what}: {error}; expected {expected}"))
}

/// Starts the threads that share work which names no threads of its own: significance tests, for one. Where the system refuses
/// them, which would be a panic in the middle of the work, this thread does it alone.
pub fn start_threads() {
    let n = std::thread::available_parallelism().map_or(1, NonZero::get);
    // Rayon's global threads can be asked for only once, so whether the system starts as many is tried before.
    let gate = Mutex::new(());
    let all_started = std::thread::scope(|scope| {
        let _closed = gate.lock();
        (0..n).all(|_| std::thread::Builder::new().spawn_scoped(scope, || drop(gate.lock())).is_ok())
    });
    let threads = rayon::ThreadPoolBuilder::new();
    let threads = if all_started { threads } else { threads.num_threads(1).use_current_thread() };
    // An error says that they have been started already.
    if threads.build_global().is_ok() && !all_started {
        crate::console::note(format_args!("remark: the system starts no more threads; one does all the work"));
    }
}

/// Measures a piece of work that is done by this thread and by the threads of one pool: time by the clock, and time of the
/// processor of exactly these threads, so that what other threads of the process do meanwhile does not count.
#[derive(Debug)]
pub struct Clock<'p> {
    pool: &'p rayon::ThreadPool,
    start: Instant,
    cpu_start: Option<f64>,
}

impl<'p> Clock<'p> {
    /// Starts to measure what this thread and those of `pool` do.
    pub fn start(pool: &'p rayon::ThreadPool) -> Clock<'p> {
        Clock { pool, start: Instant::now(), cpu_start: cpu_s_with(pool) }
    }

    /// Seconds by the clock since the start.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Seconds of the processor since the start, of all these threads together, where the system reports it.
    pub fn cpu_seconds(&self) -> Option<f64> {
        cpu_s_with(self.pool).zip(self.cpu_start).map(|(end, start)| end - start)
    }
}

/// Seconds of the processor that this thread and those of `pool` have used, where the system reports it.
pub fn cpu_s_with(pool: &rayon::ThreadPool) -> Option<f64> {
    let of_pool: Option<f64> = pool.broadcast(|_| thread_cpu_s()).into_iter().sum();
    match pool.current_thread_index() {
        // This thread is one of the pool.
        Some(_) => of_pool,
        None => of_pool.zip(thread_cpu_s()).map(|(pool, this)| pool + this),
    }
}

/// Starts the peak anew, where Linux lets us; elsewhere the peak is that since the start of the process.
pub fn reset_peak_rss() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that the process has used, in bytes, mapped files included, where Linux reports it. (`getrusage` would not
/// do: its peak is inherited from the parent.)
pub fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_time_and_memory() {
        let before = thread_cpu_s();
        let spun = (0..3_000_000u64).fold(0, |a: u64, b| std::hint::black_box(a ^ b));
        std::hint::black_box(spun);
        if let (Some(before), Some(after)) = (before, thread_cpu_s()) {
            assert!(after >= before);
        }
        assert!(peak_rss_bytes().is_none_or(|bytes| bytes > 1 << 20));
    }

    /// Works until this thread has used so much of the processor.
    #[cfg(target_os = "linux")]
    fn burn(seconds: f64) {
        let start = thread_cpu_s().unwrap();
        while thread_cpu_s().unwrap() - start < seconds {
            std::hint::black_box((0..100_000u64).fold(0, |a: u64, b| std::hint::black_box(a ^ b)));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_threads_of_a_pool_count_and_others_do_not() {
        if thread_cpu_s().is_none() {
            return;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let clock = Clock::start(&pool);
        std::thread::scope(|scope| {
            scope.spawn(|| burn(0.3));
            pool.broadcast(|_| burn(0.05));
            burn(0.05);
        });
        let used = clock.cpu_seconds().unwrap();
        assert!((0.15..0.3).contains(&used), "two threads of the pool and this one: {used}");
    }
}
