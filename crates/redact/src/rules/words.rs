//! Is a value a word, a name of a program, or a secret?

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::random;

/// Words that people and programs write in place of a password.
const PLACEHOLDERS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "changeme",
    "change_me",
    "changeit",
    "example",
    "placeholder",
    "redacted",
    "xxxx",
    "****",
    "....",
    "your",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "string",
    "required",
    "optional",
    "default",
    "empty",
    "hidden",
    "prompt",
    "input",
    "dummy",
    "sample",
    "test",
    "todo",
    "value",
    "unknown",
    "invalid",
    "missing",
    "expired",
    "process",
    "environ",
    "getenv",
    "config",
    "self.",
    "this.",
    "args",
    "opts",
    "params",
    "request",
    "field",
    "_key",
    "apikey",
    "api_key",
    "error",
    "auth",
    "user",
    "login",
];

/// Whether a value is a word in place of a password, with little beside it.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| {
        memchr::memmem::find(&lower, word.as_bytes()).is_some() && lower.len() < word.len() + 8
    })
}

/// Letters and digits or marks, and no word, reference, number or name of a program.
pub(super) fn is_password(value: &[u8]) -> bool {
    let is_word = is_placeholder(value);
    let digit = value.iter().any(u8::is_ascii_digit);
    let upper = value.iter().any(u8::is_ascii_uppercase);
    let small = value.iter().any(u8::is_ascii_lowercase);
    let mark = value.iter().any(|byte| b"!@#$%^&*+=?~".contains(byte));
    let letter = upper || small;
    let by_chance = is_by_turns(value) || (upper && small && is_mixture(value));
    let mixed = letter && (digit || mark || by_chance);
    let is_number = value.iter().all(|byte| byte.is_ascii_digit() || b".,-".contains(byte));
    let refers =
        matches!(value, [b'$' | b'%' | b'<' | b'{' | b'@' | b'&' | b'*' | b'/' | b'.', ..])
            || value.ends_with(b")")
            || memchr::memmem::find(value, b"::").is_some()
            || (memchr::memchr(b'/', value).is_some() && memchr::memchr(b'.', value).is_some())
            || memchr::memmem::find(value, b"->").is_some()
            || memchr::memchr2(b'(', b'[', value).is_some();
    // `a.b.c` and `a_b` are names of a program.
    // `!is_done`, `#name`: what a program says of another name.
    let bare = value.strip_prefix(b"!").filter(|rest| rest.contains(&b'_'));
    let bare = bare.or_else(|| value.strip_prefix(b"#")).unwrap_or(value);
    let is_name = !by_chance
        && bare.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'.' | b'_' | b'-'))
        || is_version(value);
    mixed && !is_word && !refers && !is_number && !is_name
}

/// `v1.2.3`, `1.0.0-rc1`, `utf8`, `sha256`.
fn is_version(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let known =
        [&b"sha"[..], b"utf", b"md5", b"hs", b"rs", b"es", b"aes", b"base64", b"int", b"u8"];
    let lower = value.to_ascii_lowercase();
    let is_known = value.len() < 8 && known.iter().any(|head| lower.starts_with(head));
    let dots = value.iter().filter(|&&byte| byte == b'.').count();
    is_known || (dots >= 2 && digits >= dots)
}

/// Letters only, by chance; or at least three words with signs between.
pub(super) fn is_letters(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let has = |word: &&str| memchr::memmem::find(&lower, word.as_bytes()).is_some();
    let parts = value.split(|byte| matches!(byte, b'-' | b'_' | b'.'));
    let words = parts.clone().filter(|part| part.len() >= 3).count();
    let is_phrase = words >= 3 && words == parts.count() && value.len() >= 14;
    // Letters that may be a word, but are enough for a password.
    let is_small = value.len() >= 12 && value.iter().all(u8::is_ascii_lowercase);
    let capitals = || value.windows(2).any(|two| two.iter().all(u8::is_ascii_uppercase));
    let is_mixed = value.len() >= 14
        && value.iter().all(u8::is_ascii_alphabetic)
        && value.iter().any(u8::is_ascii_lowercase)
        && capitals();
    let is_made = is_phrase || is_small || is_mixed || is_mixture(value) || is_by_turns(value);
    is_made && !PLACEHOLDERS.iter().any(has)
}

/// Whether letters take turns by chance, and are enough to say so.
fn is_by_turns(value: &[u8]) -> bool {
    value.len() >= 10 && (random::takes_turns(value) || random::is_jumble(value))
}

/// Whether a token was made: it has a digit, or its letters are by chance.
pub(crate) fn is_made(value: &[u8]) -> bool {
    let is_long = value.len() >= 20 && value.iter().any(u8::is_ascii_uppercase);
    value.iter().any(u8::is_ascii_digit)
        || random::takes_turns(value)
        || (is_long && value.iter().any(u8::is_ascii_lowercase) && is_mixture(value))
}

/// Whether letters are by chance: most of their pairs are none that words have.
fn is_mixture(value: &[u8]) -> bool {
    let (all, common) = random::pairs(value);
    value.len() >= 8 && all >= 6 && common * 3 <= all && value.iter().all(u8::is_ascii_alphabetic)
}

/// A password in a sentence: letters and digits, but not a placeholder with a digit or two.
pub(super) fn is_prose(value: &[u8]) -> bool {
    let value = value.strip_suffix(b".").unwrap_or(value);
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let has_mark = value.iter().any(|byte| b"!@#$%^&*+=?~".contains(byte));
    let word: Vec<u8> = value.iter().filter(|byte| byte.is_ascii_alphabetic()).copied().collect();
    let word = word.to_ascii_lowercase();
    let is_known = digits < 3 && PLACEHOLDERS.iter().any(|known| known.as_bytes() == word);
    let refers =
        matches!(value, [b'$' | b'%' | b'<' | b'{' | b'@' | b'&' | b'*' | b'/' | b'.', ..])
            || value.ends_with(b")")
            || memchr::memchr3(b'/', b'_', b'[', value).is_some();
    has_letter && (digits > 0 || has_mark) && !is_known && !refers
}

/// Whether a value looks like a secret and not like a name of a program, with its digits: the
/// digits are many, or the letters are none of words.
pub(super) fn is_secret(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let (all, common) = random::pairs(value);
    let dots = value.iter().filter(|&&byte| byte == b'.').count();
    let is_made = digits * 6 >= value.len() || common * 2 < all || all < 4;
    // The longer it is, the less it is a word by chance.
    let is_long = value.len() >= 24 && digits > 0 && all >= 12 && common * 5 < all * 2;
    let is_plain = value.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"_+=".contains(&byte));
    let is_loose = is_plain && (is_long || (is_by_turns(value) && common * 2 < all));
    ((digits >= 3 && is_made) || is_loose) && dots < 3
}

/// Base64 of `user:password`; or a long token by chance.
pub(super) fn is_login(value: &[u8]) -> bool {
    let decoded = STANDARD.decode(value).ok();
    let is_text = |bytes: &Vec<u8>| {
        bytes.contains(&b':') && bytes.iter().all(|byte| (0x20..0x7f).contains(byte))
    };
    decoded.as_ref().is_some_and(is_text) || (value.len() >= 20 && random::is_random(value))
}

/// The check digits of ISO 13616: the remainder of 97 is 1.
pub(super) fn is_iban(value: &[u8]) -> bool {
    let plain: Vec<u8> = value.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
    let plain = plain.to_ascii_uppercase();
    let Some((head, rest)) = plain.split_at_checked(4) else { return false };
    let digits = rest.iter().chain(head).filter_map(|&byte| char::from(byte).to_digit(36));
    let rest = digits.fold(0, |rest, digit| (rest * if digit > 9 { 100 } else { 10 } + digit) % 97);
    (15..=34).contains(&plain.len()) && rest == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_both_kinds_are_by_chance() {
        for value in ["kkDkLmopYptr", "TAaCufEplEpvxE", "EhMppHatNebLls", "lPdhiCVxAtctEg"] {
            assert!(is_password(value.as_bytes()), "{value}");
        }
        for value in ["ReadMcpResourceTool", "GetCurrentBranchName", "newTextHandler"] {
            assert!(!is_password(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn words_and_names_are_no_secrets() {
        for value in ["JwUyQxHraEXkCzH", "wqlkzxcvbnm", "blue-horse-staple-lamp"] {
            assert!(is_letters(value.as_bytes()), "{value}");
        }
        for value in ["developer", "created-at", "production", "your-secret-goes-here"] {
            assert!(!is_letters(value.as_bytes()), "{value}");
        }
        assert!(is_prose(b"Winter4711") && is_prose(b"Usertest12") && !is_prose(b"password1"));
        assert!(!is_prose(b"required") && !is_prose(b"<your1>"));
        assert!(is_secret(b"q8Zk2LmPw91x") && !is_secret(b"FooTokenBuilderFactory2"));
        assert!(is_login(b"YW5hOnE4WmsyTG0=") && !is_login(b"1.7.0-rc.5"));
        assert!(is_iban(b"GB82 WEST 1234 5698 7654 32") && !is_iban(b"GB82WEST12345698765433"));
    }
}
