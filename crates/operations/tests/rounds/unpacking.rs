//! Damaged compressed files: each is refused, or read within the budget.

use std::fs;

use samples::Dice;

fn packed(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// A frame of run-length blocks: four bytes become 128 KiB.
pub fn runs(blocks: usize) -> Vec<u8> {
    let block = |last: u32| (((128 << 10) << 3) | 2 | last).to_le_bytes();
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3];
    for at in 1..=blocks {
        frame.extend_from_slice(&block(u32::from(at == blocks))[..3]);
        frame.push(b' ');
    }
    frame
}

/// A skippable frame.
pub fn skipped(length: u32) -> Vec<u8> {
    let mut frame = vec![0x50, 0x2a, 0x4d, 0x18];
    frame.extend(length.to_le_bytes());
    frame.resize(frame.len() + length as usize, 0);
    frame
}

/// Damages a compressed file, and reads it.
pub fn round(dice: &mut Dice<'_>) {
    let line = "{\"id\":\"one\",\"said\":\"paint it blue\"}\n";
    let text = packed(line.repeat(500).as_bytes());
    let mut bytes = [skipped(5), text, runs(3), packed(&[7; 300])].concat();
    for _ in 0..1 + dice.roll(6) {
        let at = dice.roll(bytes.len());
        match dice.roll(4) {
            0 => bytes[at] ^= 1 << dice.roll(8),
            1 => bytes[at] = dice.roll(256) as u8,
            2 => bytes.truncate(at.max(1)),
            _ => drop(bytes.splice(at..at, [dice.roll(256) as u8])),
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.tiny.zst");
    fs::write(&path, &bytes).unwrap();
    let length = catalog::whole(&path).map(|bytes| bytes.len()).unwrap_or_default();
    assert!(length <= formats::budget::room(bytes.len()), "{length}");
}
