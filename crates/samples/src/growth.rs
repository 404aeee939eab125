//! Growth of work with its size: a ratio of two durations of one run. A limit in seconds fails on a
//! busy machine, and passes on a fast one whatever the growth is.

use std::time::{Duration, Instant};

/// The larger size, in terms of the smaller one. Linear work takes 8 times as long, quadratic work
/// 64 times.
const FACTOR: usize = 8;
/// The largest ratio that still counts as linear: the geometric mean of 8 and 64.
const MOST: f64 = 22.6;
/// Rounds until one is accepted: another program may take the processor in any of them.
const ROUNDS: usize = 6;

/// Asserts that work on eight times the size takes about eight times as long.
///
/// # Panics
/// If it takes much longer in every round.
pub fn assert_linear(size: usize, work: impl FnMut(usize)) {
    let ratio = growth(size, work);
    assert!(ratio < MOST, "{FACTOR} times the size takes {ratio:.1} times as long");
}

/// The ratio of the least durations for the larger and the smaller size. It ends as soon as the
/// ratio is that of linear work.
fn growth(size: usize, mut work: impl FnMut(usize)) -> f64 {
    let mut least = [Duration::MAX; 2];
    let mut ratio = f64::INFINITY;
    for _ in 0..ROUNDS {
        for (least, size) in least.iter_mut().zip([size, size * FACTOR]) {
            let (begin, computed) = (Instant::now(), computed_so_far());
            work(size);
            let computed = computed_so_far().zip(computed).map(|(end, begin)| end - begin);
            let passed = begin.elapsed();
            // Other programs make the time that passes too long, other threads of this one the
            // time that it computes.
            *least = computed.map_or(passed, |computed| computed.min(passed)).min(*least);
        }
        let [small, large] = least.map(|time| time.as_secs_f64());
        ratio = large / small.max(f64::MIN_POSITIVE);
        if ratio < MOST {
            break;
        }
    }
    ratio
}

/// The time that this program has computed, where the system tells it.
#[cfg(unix)]
fn computed_so_far() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn computed_so_far() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn linear_work_is_accepted_and_quadratic_work_is_not() {
        let linear = |size: usize| {
            (0..size * 100).for_each(|n| {
                black_box(n);
            })
        };
        assert_linear(5_000, linear);
        let quadratic = |size: usize| {
            (0..size * size).for_each(|n| {
                black_box(n);
            })
        };
        assert!(growth(300, quadratic) > MOST);
    }
}
