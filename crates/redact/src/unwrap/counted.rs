//! Strings among bytes behind their length, as binary forms write them (pickle, MessagePack, CBOR,
//! protocol buffers): where the length is a letter too, the first word of the string is another.

/// The least length of such a string.
const LEAST: usize = 8;

/// Bytes of a text, and behind them its strings without their lengths.
pub(crate) fn with(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut found = Vec::new();
    strings(&bytes, &mut found);
    bytes.extend_from_slice(&found);
    bytes
}

/// Adds each string without its length, on a line of its own.
pub(crate) fn strings(bytes: &[u8], out: &mut Vec<u8>) {
    let is_letter = |byte: &u8| matches!(byte, 0x20..=0x7e);
    let mut end = 0;
    for run in bytes.split(|byte| !is_letter(byte)) {
        end += run.len() + 1;
        if run.len() <= LEAST {
            continue;
        }
        // A byte before the length may say what follows.
        let string = (0..2).find_map(|at| {
            let string = &run[at + 1..];
            (usize::from(run[at]) == string.len()).then_some(string)
        });
        // A byte that begins no character of UTF-8 ends a string, and is no letter of it.
        let is_end = matches!(bytes.get(end - 1), Some(0x80..=0xc1 | 0xf5..));
        let string = string.or(is_end.then_some(run));
        if let Some(string) = string {
            out.extend_from_slice(b"\n\n");
            out.extend_from_slice(string);
            out.extend_from_slice(b"\n\n");
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_string_is_read_without_its_length() {
        let mut out = Vec::new();
        super::strings(b"\x80\x8c0MISTRAL_API_KEY=pLIix6MEOLeMa61\x94x\x08abcdefgh", &mut out);
        assert_eq!(out, b"\n\n0MISTRAL_API_KEY=pLIix6MEOLeMa61\n\n");
        out.clear();
        super::strings(b"\x80\x8c(MISTRAL_API_KEY=pLIix6MEOLeMa61EqJomTEI1\x94", &mut out);
        super::strings(b"\x01x(MISTRAL_API_KEY=pLIix6MEOLeMa61EqJomTEI2\0\x01", &mut out);
        let words: Vec<&[u8]> =
            out.split(|&byte| byte == b'\n').filter(|of| !of.is_empty()).collect();
        assert_eq!(words.len(), 2);
        assert!(words.iter().all(|word| word.starts_with(b"MISTRAL")), "{words:?}");
    }
}
