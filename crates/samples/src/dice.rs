//! Random choices for tests: by a seed, or by the bytes of a fuzzer. The same source gives the
//! same choices.

use std::time::{Duration, Instant};

/// Duration of a deep run (`CI_DEEP=1`).
const DEEP: Duration = Duration::from_secs(600);

/// A source of choices.
#[derive(Debug)]
pub struct Dice<'b>(Source<'b>);

#[derive(Debug)]
enum Source<'b> {
    /// The state of SplitMix64.
    Seed(u64),
    /// Bytes of a fuzzer. After their end each choice is the first.
    Bytes(&'b [u8]),
}

impl<'b> Dice<'b> {
    /// Choices by a seed.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(Source::Seed(seed))
    }

    /// Choices by a fuzzer's bytes.
    #[must_use]
    pub const fn of_bytes(bytes: &'b [u8]) -> Self {
        Self(Source::Bytes(bytes))
    }

    /// A number below `sides`; 0 if there are no sides.
    pub fn roll(&mut self, sides: usize) -> usize {
        let number = match &mut self.0 {
            Source::Seed(state) => split_mix(state),
            Source::Bytes(bytes) => take(bytes, sides),
        };
        (number % sides.max(1) as u64) as usize
    }

    /// One of several values.
    ///
    /// # Panics
    /// If `all` is empty.
    pub fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.roll(all.len())]
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The number in the next byte, or in the next four if one byte has fewer values than `sides`.
fn take(bytes: &mut &[u8], sides: usize) -> u64 {
    let count = if sides <= 256 { 1 } else { 4 }.min(bytes.len());
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Runs `count` rounds, each by a seed of its own. `SEED=n` runs that round alone; `CI_DEEP=1`
/// continues with new seeds for ten minutes. The seed of a round that panics is printed.
pub fn rounds(count: u64, round: impl Fn(&mut Dice<'_>)) {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let run = |seed: u64| {
        let guard = Unfinished(seed);
        round(&mut Dice::seeded(seed));
        std::mem::forget(guard);
    };
    if let Some(seed) = number("SEED") {
        return run(seed);
    }
    (0..count).for_each(run);
    if number("CI_DEEP").is_some() {
        let (end, base) = (Instant::now() + DEEP, u64::from(std::process::id()) << 32);
        (base..).take_while(|_| Instant::now() < end).for_each(run);
    }
}

/// An unfinished round. If it is dropped, it prints its seed.
struct Unfinished(u64);

impl Drop for Unfinished {
    #[allow(clippy::print_stderr)]
    fn drop(&mut self) {
        eprintln!("failed with SEED={}", self.0);
    }
}
