//! Work that is shared among threads.
//!
//! All of it goes through one task behind a reference, so that Rayon is compiled once and not for each kind of work.

use rayon::ThreadPool;
use rayon::prelude::*;
use std::iter::repeat_with;
use std::sync::{Mutex, MutexGuard};

/// Most tasks that one piece of work is divided into: enough to keep threads busy though tasks take unequal time.
const MAX_TASKS: usize = 1024;

/// Does the work with each number below `n`, by the threads of the current pool.
fn each(n: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..n).into_par_iter().with_max_len(1).for_each(work);
}

/// Does the work by the threads of this pool.
pub fn within<T: Send>(pool: &ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut result) = (Some(work), None);
    let mut work = || result = work.take().map(|work| work());
    let work: &mut (dyn FnMut() + Send) = &mut work;
    pool.install(work);
    result.expect("a pool does what it is given")
}

/// Results for each number below `n`, in their order, by the threads of the current pool.
pub fn map<T: Send>(n: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let size = n.div_ceil(MAX_TASKS).max(1);
    let tasks: Vec<Mutex<Vec<T>>> = repeat_with(Mutex::default).take(n.div_ceil(size)).collect();
    each(tasks.len(), &|task| {
        let results = (task * size..n.min((task + 1) * size)).map(&of).collect();
        *locked(&tasks[task]) = results;
    });
    tasks.into_iter().flat_map(|task| task.into_inner().expect(WHOLE)).collect()
}

/// [`map`] by the threads of the pool or, without one, by this thread.
pub fn map_on<T: Send>(pool: Option<&ThreadPool>, n: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    match pool {
        None => (0..n).map(of).collect(),
        Some(pool) => within(pool, || map(n, &of)),
    }
}

/// [`map`] with a workspace, of which there are as many as threads at work.
pub fn map_with<W: Send, T: Send>(
    n: usize,
    workspace: impl Fn() -> W + Sync,
    of: impl Fn(&mut W, usize) -> T + Sync,
) -> Vec<T> {
    let free: Mutex<Vec<W>> = Mutex::default();
    map(n, |i| {
        let taken = locked(&free).pop();
        let mut taken = taken.unwrap_or_else(&workspace);
        let result = of(&mut taken, i);
        locked(&free).push(taken);
        result
    })
}

/// Results for each item, in their order, by the threads of the current pool; items may change.
pub fn map_mut<I: Send, T: Send>(items: &mut [I], of: impl Fn(usize, &mut I) -> T + Sync) -> Vec<T> {
    let items: Vec<Mutex<&mut I>> = items.iter_mut().map(Mutex::new).collect();
    map(items.len(), |i| of(i, *locked(&items[i])))
}

const WHOLE: &str = "a panic ends all of the work";

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().expect(WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::thread_pool;

    /// More than tasks, and no multiple of them.
    const N: usize = 3000;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        let squares: Vec<usize> = (0..N).map(|i| i * i).collect();
        assert_eq!(map_on(None, N, |i| i * i), squares);
        for threads in [1, 2, 3] {
            let pool = thread_pool(threads).unwrap();
            assert_eq!(map_on(Some(&pool), N, |i| i * i), squares);
            let with = within(&pool, || {
                map_with(N, Vec::new, |seen: &mut Vec<usize>, i| {
                    seen.push(i);
                    (i * i, seen.len())
                })
            });
            assert_eq!(with.iter().map(|(square, _)| *square).collect::<Vec<_>>(), squares);
            // Each thread has one workspace, in which it sees one number more each time.
            let first = with.iter().filter(|(_, n)| *n == 1).count();
            assert!((1..=threads).contains(&first), "{first} workspaces of {threads} threads");
            let mut items: Vec<usize> = (0..N).collect();
            let before = within(&pool, || {
                map_mut(&mut items, |i, item| {
                    *item *= i;
                    i
                })
            });
            assert_eq!((items, before), (squares.clone(), (0..N).collect()));
        }
    }

    #[test]
    fn work_within_work_ends() {
        let pool = thread_pool(2).unwrap();
        let sums = within(&pool, || map(20, |i| map_with(20, || 0, |_, j| i * j).iter().sum::<usize>()));
        assert_eq!(sums, (0..20).map(|i| i * 190).collect::<Vec<_>>());
    }
}
