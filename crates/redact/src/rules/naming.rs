//! Names of values: whether a name says that its value gives access, and whether a value is plain,
//! so that it gives none behind a name that says nothing of the kind.

use super::random::is_random;
use super::words::is_made;

/// Last words of names whose values give access.
const SECRETS: &str = "\
    password passwd pwd pass passphrase passcode pw secret token apikey credential \
    credentials creds pat otp pin psk bindpw rootpw requirepass masterauth passwort kennwort \
    wachtwoord senha bearer";

/// Ends of words that are written as one, such as `dbpassword`.
const ENDS: &str = "\
    password passwd passphrase secret apikey secretkey accesskey privatekey authtoken \
    accesstoken refreshtoken apitoken bottoken idtoken authkey";

/// Words before `key` with which it is one that gives access.
const KEYS: &str = "\
    api secret access private auth encryption signing master account accounts shared service \
    license subscription deploy webhook jwt session app application storage ssh hmac aes \
    admin server root secrets signature write read integration ingestion rest function";

/// Words before `token` with which it is a place in a list, or a part of a text.
const PLACES: &str = "\
    next continuation page sync pagination start eos bos pad unk stop special max per \
    cancellation mask sep cls resume";

/// Words behind the one that says what a value is.
const BEHIND: &str = "\
    value raw plain plaintext text string base64 b64 base prod production dev development \
    test staging stage local new old current primary secondary default latest content hex";

/// Parts of names whose values are no plain words, in files of settings.
const SECRETISH: &str = "\
    pass pwd secret token key auth cred salt private webhook cookie license otp hash seed \
    mnemonic dsn psk bearer signature";

/// Last words of names whose values are public, whatever is before.
const PUBLIC: &str = "\
    name path file host hostname port url uri endpoint user username mode env environment \
    region zone type level count limit ttl timeout expires expiry in dir directory enabled \
    disabled algorithm issuer audience domain email length size version driver provider \
    method header db database prefix rounds bucket scope";

/// The words of a name, in lower case: `dbPassword`, `DB_PASSWORD` and `db.password` have the same.
pub(crate) fn words(name: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut before, mut is_open) = (b' ', false);
    for (at, &byte) in name.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            is_open = false;
            continue;
        }
        let next_is_small = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let is_turn = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || (before.is_ascii_uppercase() && next_is_small));
        if !is_open || is_turn {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
        (before, is_open) = (byte, true);
    }
    words
}

/// Whether a list has a word.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|of| of == word)
}

/// Whether a name says that its value gives access.
pub(crate) fn is_secret(name: &[u8]) -> bool {
    let words = words(name);
    let is_behind = |word: &&String| {
        let is_number = word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        has(BEHIND, word) || is_number
    };
    let behind = words.iter().rev().take_while(is_behind).count();
    let Some((last, before)) = words[..words.len() - behind].split_last() else { return false };
    let one_before = before.last().map_or("", String::as_str);
    match last.as_str() {
        "key" | "keys" => has(KEYS, one_before),
        "token" => !has(PLACES, one_before),
        word => has(SECRETS, word) || ENDS.split(' ').any(|end| word.ends_with(end)),
    }
}

/// Whether a name in a file of settings says nothing of a secret, so that its value may be plain.
pub(crate) fn is_public(name: &[u8]) -> bool {
    let words = words(name);
    let is_public = words.last().is_some_and(|last| has(PUBLIC, last));
    let has_part = |word: &String| SECRETISH.split(' ').any(|part| word.contains(part));
    is_public || !words.iter().any(has_part)
}

/// Whether a value is of plain words, a number, an address or a path: nothing in it was made by
/// chance, and no word mixes letters and digits.
pub(crate) fn is_plain(value: &[u8]) -> bool {
    if let Some(at) = memchr::memmem::find(value, b"://") {
        return is_address(&value[at + 3..]);
    }
    value.split(|byte| b" \t.,:;/|@+\\~*".contains(byte)).all(is_plain_word)
}

/// Whether the rest of an address, behind its scheme, has no user and nothing made by chance.
fn is_address(rest: &[u8]) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+=".contains(byte);
    let is_made = |part: &[u8]| part.len() >= 10 && is_random(part);
    memchr::memchr(b'@', rest).is_none() && !rest.split(|byte| !is_token(byte)).any(is_made)
}

/// Letters that are no mixture, or a number with perhaps a unit, with dashes between them.
fn is_plain_word(word: &[u8]) -> bool {
    let is_part = |part: &[u8]| {
        let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
        let letters = part.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let is_number = part.iter().take(digits).all(u8::is_ascii_digit) && letters < 3;
        let is_version = matches!(part, [b'v', rest @ ..] if rest.len() == digits);
        match digits {
            0 => part.len() < 10 || !is_made(part),
            _ => (is_number && digits + letters == part.len()) || is_version,
        }
    };
    word.split(|byte| matches!(byte, b'-' | b'_')).all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_however_they_are_written() {
        for name in [
            "DB_PASSWORD",
            "dbPassword",
            "db.password",
            "dbpassword",
            "API_KEY",
            "stripeApiKey",
            "SECRET_KEY_BASE",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "accessToken",
            "PGPASS",
            "/run/secrets/db_password",
            "smtp-pass",
            "REDIS_PASSWORD_1",
            "client_secret",
        ] {
            assert!(is_secret(name.as_bytes()) != (name == "PGPASS"), "{name}");
        }
        for name in [
            "HOME",
            "PORT",
            "NODE_ENV",
            "nextPageToken",
            "max_tokens",
            "primary_key",
            "publicKey",
            "password_length",
            "secret_name",
            "token_type",
            "key",
            "tokenizer",
            "compass",
            "",
        ] {
            assert!(!is_secret(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn plain_values_are_words_numbers_addresses_and_paths() {
        for value in [
            "development",
            "garden-shop",
            "http://localhost:8080",
            "shop.example.org",
            "5432",
            "/srv/data/shop",
            "us-east-1",
            "30s",
            "v1.2.3",
            "Garden Shop",
            "form-tick size-four",
        ] {
            assert!(is_plain(value.as_bytes()), "{value}");
        }
        for value in ["delft88xy", "greenDoor17", "https://a:b@c/d", "Vw7kQ2mZt9RbXe"] {
            assert!(!is_plain(value.as_bytes()), "{value}");
        }
        assert!(is_public(b"NODE_ENV") && is_public(b"AUTH_MODE") && is_public(b"className"));
        assert!(!is_public(b"SMTP_PASS") && !is_public(b"APP_KEY") && !is_public(b"DSN"));
    }
}
