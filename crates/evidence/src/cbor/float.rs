//! Floating-point numbers of 16, 32 and 64 bits, converted only without loss.

use super::head::{SIMPLE, head};

/// The value of a float item, whatever its width.
pub(crate) fn float(item: &[u8]) -> f64 {
    match head(item) {
        Ok(head) if head.info == 25 => widen(head.argument as u16),
        Ok(head) if head.info == 26 => f32::from_bits(head.argument as u32).into(),
        Ok(head) => f64::from_bits(head.argument),
        Err(_) => f64::NAN,
    }
}

/// Writes a float in the shortest form that keeps its value; any NaN is 0x7e00 (RFC 8949,
/// sections 4.1 and 4.2.2).
pub(super) fn put_float(out: &mut Vec<u8>, value: f64) {
    let single = value as f32;
    if value.is_nan() {
        out.extend([SIMPLE << 5 | 25, 0x7E, 0]);
    } else if let Some(half) = narrow(value) {
        out.push(SIMPLE << 5 | 25);
        out.extend(half.to_be_bytes());
    } else if f64::from(single) == value {
        out.push(SIMPLE << 5 | 26);
        out.extend(single.to_bits().to_be_bytes());
    } else {
        out.push(SIMPLE << 5 | 27);
        out.extend(value.to_bits().to_be_bytes());
    }
}

/// Whether a binary16 can hold this value.
pub(crate) fn fits_half(value: f64) -> bool {
    narrow(value).is_some()
}

/// A binary16 as a binary64.
fn widen(half: u16) -> f64 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(half & 0x3FF);
    sign * match i32::from(half >> 10 & 0x1F) {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (fraction + 1024.0) * 2f64.powi(exponent - 25),
    }
}

/// The binary16 that has this value, if there is one.
fn narrow(value: f64) -> Option<u16> {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
    let half = if magnitude == 0.0 {
        0
    } else if magnitude.is_infinite() {
        0x7C00
    } else if exponent >= -14 {
        let fraction = (magnitude.to_bits() >> 42 & 0x3FF) as u16;
        ((exponent.min(16) + 15) as u16) << 10 | fraction
    } else {
        (magnitude * 2f64.powi(24)) as u16
    };
    (widen(half | sign) == value).then_some(half | sign)
}
