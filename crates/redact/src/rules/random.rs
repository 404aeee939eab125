//! Is a value made by chance, or by somebody who writes words?

/// The entropy of bytes, in bits a byte.
pub(crate) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for &byte in value {
        counts[usize::from(byte)] += 1;
    }
    let all = value.len() as f64;
    let bits = |&count: &u32| {
        let share = f64::from(count) / all;
        -share * share.log2()
    };
    counts.iter().filter(|&&count| count > 0).map(bits).sum()
}

/// The most frequent pairs of letters in English words and names of programs.
const PAIRS: &[u8] = b"\
    thheinerantireatonetngseedtastourioiststrndenhaasouleveomerohisieacateshorilalchmadi\
    coridelelnecetitpalipeonsssuctioproaiabaccuunmmutigeowagplinttaexponfigrlsclcoefrosm\
    edepppresrgeolabemiivveblockeuslmpevimodalfotofafiidtylyerviwsptdadbbucaypisofarulse\
    ouplouthigegikeliqukiobjeckonumagoubjfunameboctaodelteoptarlbrcrdrtrpryptryst";

/// Whether a value looks as if it was made by chance: enough kinds of characters, and few of the
/// pairs of letters that words have.
pub(crate) fn is_random(value: &[u8]) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let changes = value.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    let (all, common) = pairs(value);
    let is_mixed = letters > 0 && (digits > 0 || takes_turns(value));
    // Of pairs by chance, every fourth is among the frequent ones.
    let words = all >= 4 && common * 2 > all;
    match value.len() {
        0..10 => false,
        10..20 => is_mixed && !words && changes >= 2,
        _ => is_mixed && !words && changes * 8 >= value.len(),
    }
}

/// Whether small letters and capitals take turns as they do by chance. In words that are put
/// together, no capitals follow each other, or few small letters follow capitals.
pub(super) fn takes_turns(value: &[u8]) -> bool {
    let letters = || value.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic));
    let is_turn = |pair: &&[u8]| pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase();
    let are_capitals = |pair: &&[u8]| pair.iter().all(u8::is_ascii_uppercase);
    letters().filter(is_turn).count() * 3 >= value.len()
        && letters().filter(are_capitals).count() * 10 >= value.len()
}

/// Whether letters of both kinds are mixed as no words are that are put together: half of them have
/// a capital beside them, and half of their pairs are none that words have.
pub(super) fn is_jumble(value: &[u8]) -> bool {
    let beside = value.windows(2).filter(|pair| {
        pair.iter().all(u8::is_ascii_alphabetic) && pair.iter().any(u8::is_ascii_uppercase)
    });
    let (all, common) = pairs(value);
    let has_small = value.iter().any(u8::is_ascii_lowercase);
    value.len() >= 12 && has_small && beside.count() * 2 >= value.len() && common * 2 <= all
}

/// The number of pairs of letters, and of those that words have.
pub(super) fn pairs(value: &[u8]) -> (usize, usize) {
    let (mut all, mut common) = (0usize, 0usize);
    for pair in value.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic)) {
        all += 1;
        let lower = [pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()];
        common += usize::from(PAIRS.chunks_exact(2).any(|known| known == lower));
    }
    (all, common)
}

/// Whether small letters, capitals and digits take turns as they do by chance: every third byte is
/// of another kind than the one before.
pub(super) fn takes_turns_with_digits(value: &[u8]) -> bool {
    value.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count() * 3 >= value.len()
}

const fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}
