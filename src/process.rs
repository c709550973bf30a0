//! What this process has used, where the system tells.

/// Seconds of the processor that this thread has used, where Linux tells (in nanoseconds, `schedstat`).
pub fn thread_cpu_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

/// Starts the peak anew, where Linux lets us; elsewhere the peak is that since the start of the process.
pub fn reset_peak_rss() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that the process has held, in bytes, mapped files included, where Linux tells. (`getrusage` would not
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
}
