//! Checks of a rule that a pattern can't make.

use std::ops::Range;

use super::{random, words};

/// A check of a value in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleCheck {
    /// The value was made by chance.
    Random,
    /// The value can be a password: no word of a program, reference or placeholder.
    Password,
    /// The digits of a payment card: a known issuer and its length, and the sum of ISO/IEC 7812-1.
    Card,
    /// A social security number that can be given out.
    Ssn,
    /// The value of a header: a credential, not the name of one.
    Header,
    /// Letters only, by chance; or a phrase of words.
    Letters,
    /// A password in a sentence: more than a word for one.
    Prose,
    /// Digits among letters, or letters of both kinds without words: not a name of a program.
    Secret,
    /// The user and password of HTTP's Basic scheme in Base64, or a token.
    Login,
    /// A token that was made: a digit, or letters by chance.
    Made,
    /// An account number with its check digits (ISO 13616).
    Iban,
    /// Behind the last sign, letters of both kinds and digits by chance; before it, words.
    Tail,
    /// The token goes no further: the text ends, or somebody cut it there.
    Cut,
    /// Behind the words, digits and letters of one kind that take turns by chance.
    Digits,
}

impl RuleCheck {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "random" => Self::Random,
            "password" => Self::Password,
            "card" => Self::Card,
            "ssn" => Self::Ssn,
            "header" => Self::Header,
            "cut" => Self::Cut,
            "letters" => Self::Letters,
            "prose" => Self::Prose,
            "secret" => Self::Secret,
            "login" => Self::Login,
            "made" => Self::Made,
            "iban" => Self::Iban,
            "tail" => Self::Tail,
            "digits" => Self::Digits,
            _ => return None,
        })
    }

    pub(super) fn holds(self, text: &[u8], range: &Range<usize>) -> bool {
        let value = &text[range.clone()];
        match self {
            Self::Random => random::is_random(value) && !is_uuid(value) && !is_path(value),
            Self::Password => words::is_password(value),
            Self::Card => is_card(text, range),
            Self::Ssn => is_ssn(value),
            Self::Header => is_header(value),
            Self::Cut => is_cut(&text[range.end..]),
            Self::Letters => words::is_letters(value),
            Self::Prose => words::is_prose(value),
            Self::Secret => words::is_secret(value) && !is_item(value),
            Self::Login => words::is_login(value),
            Self::Made => words::is_made(value),
            Self::Iban => words::is_iban(value),
            Self::Tail => is_tail(value),
            Self::Digits => has_digits(value),
        }
    }
}

/// Whether a value contains one of the words, in any case.
pub(super) fn has_stop_word(value: &[u8], words: &[String]) -> bool {
    if words.is_empty() {
        return false;
    }
    let value = value.to_ascii_lowercase();
    words.iter().any(|word| memchr::memmem::find(&value, word.as_bytes()).is_some())
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A path, a name of a program's item, or a place in a file of a program.
fn is_path(value: &[u8]) -> bool {
    let opens = matches!(value, [b'/' | b':' | b'.', ..]);
    if opens || memchr::memmem::find(value, b"::").is_some() {
        return true;
    }
    let parts = value.split(|&byte| byte == b'/').filter(|part| part.len() > 2);
    let words =
        parts.clone().filter(|part| part.iter().all(|b| b.is_ascii_lowercase() || *b == b'-'));
    let count = parts.clone().count();
    count >= 4 || (count >= 3 && words.count() >= 2)
}

/// Whether a header's value is a credential.
fn is_header(value: &[u8]) -> bool {
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let long = value.len() >= 12 && random::entropy(value) >= 3.0;
    let refers = matches!(value, [b'$' | b'<' | b'{' | b'%' | b'(', ..]);
    let is_made =
        has_digit || (value.len() >= 20 && (words::is_made(value) || words::is_login(value)));
    is_made && long && !refers && !is_item(value) && memchr::memchr(b'(', value).is_none()
}

/// Whether a value is the name of a program's item, such as `settings.apiKey`: none of its parts
/// was made by chance.
fn is_item(value: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let is_name = |part: &[u8]| {
        let begins = part.first().is_some_and(|first| !first.is_ascii_digit());
        begins && part.iter().all(is_part) && !random::is_random(part)
    };
    memchr::memchr(b'.', value).is_some() && value.split(|&byte| byte == b'.').all(is_name)
}

/// Whether a value is words with signs between, and behind them letters and digits by chance.
fn is_tail(value: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'_' | b'-');
    let Some(sign) = value.iter().rposition(is_sign) else { return false };
    let (head, tail) = (&value[..sign], &value[sign + 1..]);
    let kinds = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    let counts = kinds.map(|kind| tail.iter().filter(|byte| kind(byte)).count());
    let (_, common) = random::pairs(tail);
    let is_mixed = counts.iter().all(|&count| count >= 2) && common * 3 <= tail.len();
    let is_word = |part: &[u8]| part.iter().filter(|byte| byte.is_ascii_digit()).count() <= 2;
    is_mixed
        && random::is_random(tail)
        && random::takes_turns_with_digits(tail)
        && random::entropy(tail) >= 3.7
        && head.split(is_sign).all(is_word)
}

/// Whether letters of one kind and digits by chance end a value: enough of them are digits, as in
/// hexadecimal and in Base36, and they take turns with the letters.
fn has_digits(value: &[u8]) -> bool {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let length = value.iter().rev().take_while(is_part).count();
    let tail = &value[value.len() - length..];
    let is_uuid = tail.len() > 36 && is_uuid(&tail[tail.len() - 36..]);
    let last = tail.iter().rposition(|byte| *byte == b'-').map_or(0, |at| at + 1);
    let tail = &tail[if is_uuid { tail.len() - 36 } else { last }..];
    let digits = tail.iter().filter(|byte| byte.is_ascii_digit()).count();
    let changes = tail.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit());
    let most = tail.iter().map(|byte| tail.iter().filter(|of| *of == byte).count()).max();
    let (_, common) = random::pairs(tail);
    digits * 7 >= tail.len()
        && digits < tail.len()
        && changes.count() * 5 >= tail.len()
        && most.is_some_and(|most| most * 4 <= tail.len())
        && common * 3 <= tail.len()
}

/// Whether a token ends where a text was cut.
fn is_cut(behind: &[u8]) -> bool {
    let rest = behind.trim_ascii_start();
    let marks =
        [&b"..."[..], b"\xe2\x80\xa6", b"[truncated", b"[...", b"<truncated", b"(truncated"];
    rest.is_empty()
        || marks.iter().any(|mark| behind.starts_with(mark) || rest.starts_with(mark))
        || rest.starts_with(b"\"") && rest.len() == 1
}

fn is_ssn(value: &[u8]) -> bool {
    let part = |range: Range<usize>| -> Option<u32> {
        std::str::from_utf8(value.get(range)?).ok()?.parse().ok()
    };
    let (Some(area), Some(group), Some(serial)) = (part(0..3), part(4..6), part(7..11)) else {
        return false;
    };
    !matches!(area, 0 | 666 | 900..) && group != 0 && serial != 0
}

/// Words beside the number of a card, in lower case.
const CARD_WORDS: &[&str] =
    &["card", "visa", "mastercard", "amex", "credit", "debit", "karte", "pan:", "cvv", "cvc"];

fn is_card(text: &[u8], range: &Range<usize>) -> bool {
    let value = &text[range.clone()];
    let digits: Vec<u32> = value.iter().filter_map(|&byte| char::from(byte).to_digit(10)).collect();
    let number = |count: usize| digits.iter().take(count).fold(0, |sum, digit| sum * 10 + digit);
    let (two, four) = (number(2), number(4));
    let issued = match digits.len() {
        13 | 16 | 19 if digits[0] == 4 => true,
        16 => matches!(two, 51..=55) || matches!(four, 2221..=2720 | 6011) || two == 65,
        15 => matches!(two, 34 | 37),
        14 => matches!(two, 36 | 38) || matches!(number(3), 300..=305),
        _ => false,
    };
    let doubled = |(at, &digit): (usize, &u32)| match at % 2 {
        1 if digit > 4 => digit * 2 - 9,
        1 => digit * 2,
        _ => digit,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    let separated = value.iter().any(|byte| matches!(byte, b' ' | b'-'));
    let near = &text[range.start.saturating_sub(40)..(range.end + 40).min(text.len())];
    let near = near.to_ascii_lowercase();
    let named =
        || CARD_WORDS.iter().any(|word| memchr::memmem::find(&near, word.as_bytes()).is_some());
    let equal = digits.iter().all(|digit| *digit == digits[0]);
    issued && sum.is_multiple_of(10) && !equal && (separated || named())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(check: RuleCheck, text: &str, value: &str) -> bool {
        let at = text.find(value).expect("there");
        check.holds(text.as_bytes(), &(at..at + value.len()))
    }

    #[test]
    fn cards_and_numbers_are_checked() {
        for (text, card, is_one) in [
            ("pay with 4111 1111 1111 1111 now", "4111 1111 1111 1111", true),
            ("card: 4111111111111111", "4111111111111111", true),
            ("at 4111111111111111", "4111111111111111", false),
            ("pay with 4111 1111 1111 1112 now", "4111 1111 1111 1112", false),
            ("visa 1700000000000000", "1700000000000000", false),
        ] {
            assert_eq!(holds(RuleCheck::Card, text, card), is_one, "{text}");
        }
        assert!(holds(RuleCheck::Ssn, "is 123-45-6789", "123-45-6789"));
        assert!(!holds(RuleCheck::Ssn, "is 000-45-6789", "000-45-6789"));
        assert!(!holds(RuleCheck::Ssn, "is 923-45-6789", "923-45-6789"));
    }

    #[test]
    fn the_name_of_an_item_is_no_header() {
        for value in ["import.meta.env.VITE_SHOP_API_KEY", "shopToken.toUpperCaseLetters"] {
            assert!(!holds(RuleCheck::Header, value, value), "{value}");
        }
        let made = ["q7Wn2Rk9", "Lx4Tz8Vb3Mc6", "Yd1Hf5Gj"].join(".");
        assert!(holds(RuleCheck::Header, &made, &made));
    }

    #[test]
    fn passwords_are_not_words_of_programs() {
        for value in ["hunter2", "Tr0ub4dor&3", "correct-horse7", "abc!defg"] {
            assert!(holds(RuleCheck::Password, value, value), "{value}");
        }
        for value in
            ["password1", "$DB_PASS", "opts->password", "getpass()", "utf8", "1.2.3", "null"]
        {
            assert!(!holds(RuleCheck::Password, value, value), "{value}");
        }
    }
}
