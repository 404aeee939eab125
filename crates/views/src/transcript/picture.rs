//! Pictures that a page can show: their type and size by their own bytes, whatever was declared.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

/// A picture of a type that draws and does nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its media type, by its first bytes.
    pub kind: &'static str,
    /// Width and height in pixels, if its head tells them.
    pub size: Option<(u32, u32)>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The largest picture that is decoded, in bytes of base64 text.
const LARGEST: usize = 16 << 20;

/// Base64 with or without its end, as agents write it.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent),
);

impl Picture {
    /// The picture in a base64 text. `None` if it is of another type; drawings
    /// with elements (SVG) are such a type.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        if text.len() > LARGEST {
            return None;
        }
        let letters = text.iter().filter_map(|byte| match byte {
            b'-' => Some(b'+'),
            b'_' => Some(b'/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => Some(*byte),
            _ => None,
        });
        let letters: Vec<u8> = letters.collect();
        let bytes = LENIENT.decode(letters).ok()?;
        let (kind, size) = head(&bytes)?;
        Some(Self { kind, size: size.filter(|(w, h)| *w > 0 && *h > 0), bytes })
    }
}

type Size = Option<(u32, u32)>;

/// The type and the size of a picture.
fn head(bytes: &[u8]) -> Option<(&'static str, Size)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(("image/png", big(bytes, 16).zip(big(bytes, 20))));
    }
    if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        return Some(("image/gif", little(bytes, 6, 2).zip(little(bytes, 8, 2))));
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        return Some(("image/jpeg", frame(bytes)));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(("image/webp", webp(bytes)));
    }
    None
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn little(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + count)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// The size in the frame of a JPEG.
fn frame(bytes: &[u8]) -> Size {
    let mut at = 2;
    loop {
        let marker = bytes.get(at..at + 4)?;
        let length = usize::from(u16::from_be_bytes([marker[2], marker[3]]));
        match marker {
            [0xff, 0xff, ..] => at += 1,
            [0xff, 0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf, ..] => {
                let side = |at: usize| {
                    let pair = bytes.get(at..at + 2)?;
                    Some(u32::from(u16::from_be_bytes([pair[0], pair[1]])))
                };
                return side(at + 7).zip(side(at + 5));
            }
            [0xff, ..] => at += 2 + length,
            _ => return None,
        }
    }
}

fn webp(bytes: &[u8]) -> Size {
    match bytes.get(12..16)? {
        b"VP8X" => {
            let side = |at: usize| little(bytes, at, 3).map(|less| less + 1);
            side(24).zip(side(27))
        }
        b"VP8L" => {
            let bits = little(bytes, 21, 4)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => {
            let side = |at: usize| little(bytes, at, 2).map(|side| side & 0x3fff);
            side(26).zip(side(28))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_decide_and_the_head_tells_the_size() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03".to_vec();
        assert_eq!(head(&png), Some(("image/png", Some((2, 3)))));
        png.truncate(10);
        assert_eq!(head(&png), Some(("image/png", None)));
        assert_eq!(head(b"GIF89a\x02\0\x03\0"), Some(("image/gif", Some((2, 3)))));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\0\x03\0\x02";
        assert_eq!(head(jpeg), Some(("image/jpeg", Some((2, 3)))));
        assert_eq!(head(b"\xff\xd8\xff\xe0\0\0"), Some(("image/jpeg", None)));
        let webp = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x01\0\0\x02\0\0";
        assert_eq!(head(webp), Some(("image/webp", Some((2, 3)))));
        for other in ["<svg xmlns='http://www.w3.org/2000/svg'/>", "<?xml?><svg/>", "BM", ""] {
            assert_eq!(head(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn base64_is_read_as_agents_write_it() {
        for text in ["R0lGODlhAgADAA==", "R0lGODlhAgADAA", "R0lG\nODlh AgAD/AA=="] {
            let picture = Picture::of(text.as_bytes());
            assert_eq!(picture.map(|picture| picture.kind), Some("image/gif"), "{text}");
        }
        assert_eq!(Picture::of(b"PHN2Zz4="), None);
    }
}
