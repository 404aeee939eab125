//! Exact conversion of JSON numbers to CBOR and back.

use super::head::{ARRAY, BYTES, MAJOR_TAG, NINT, UINT, put};
use super::{base, float};
use crate::value::number::{Decimal, exact_f64, shortest};
use crate::value::{Value, ValueKind};

/// Largest number of digits of a number that becomes a bignum, since the conversion is quadratic.
pub const DIGITS: usize = 4300;

const TOO_LONG: &str = "a number of more than 4300 digits";
const BIGNUM: u64 = 2;
const NEGATIVE_BIGNUM: u64 = 3;
const DECIMAL_FRACTION: u64 = 4;

/// Writes a JSON number as CBOR.
pub(super) fn put_number(out: &mut Vec<u8>, literal: &str) -> Result<(), &'static str> {
    if !literal.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return match literal.strip_prefix('-') {
            Some("0") => {
                float::put_float(out, -0.0);
                Ok(())
            }
            Some(digits) => put_integer(out, true, digits.as_bytes()),
            None => put_integer(out, false, literal.as_bytes()),
        };
    }
    if let Some(value) = exact_f64(literal) {
        float::put_float(out, value);
        return Ok(());
    }
    let decimal = Decimal::of(literal);
    let exponent = decimal.exponent.ok_or("a number whose exponent exceeds 64 bits")?;
    put(out, MAJOR_TAG, DECIMAL_FRACTION);
    put(out, ARRAY, 2);
    match u64::try_from(exponent) {
        Ok(exponent) => put(out, UINT, exponent),
        Err(_) => put(out, NINT, !exponent as u64),
    }
    put_integer(out, decimal.negative, &decimal.digits)
}

fn put_integer(out: &mut Vec<u8>, negative: bool, digits: &[u8]) -> Result<(), &'static str> {
    if digits.len() > DIGITS {
        return Err(TOO_LONG);
    }
    put_magnitude(out, negative, base::to_bytes(digits));
    Ok(())
}

/// Writes the integer with this absolute value in big-endian bytes.
fn put_magnitude(out: &mut Vec<u8>, negative: bool, mut bytes: Vec<u8>) {
    if negative {
        // CBOR stores a negative n as -1 - n.
        for byte in bytes.iter_mut().rev() {
            let (lower, borrow) = byte.overflowing_sub(1);
            *byte = lower;
            if !borrow {
                break;
            }
        }
    }
    put_argument(out, negative, &bytes);
}

/// Writes an integer by its argument: an integer if 64 bits suffice, else a bignum (RFC 8949,
/// section 3.4.3).
pub(super) fn put_argument(out: &mut Vec<u8>, negative: bool, bytes: &[u8]) {
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    let bytes = &bytes[zeros..];
    if bytes.len() <= 8 {
        let argument = bytes.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
        return put(out, if negative { NINT } else { UINT }, argument);
    }
    put(out, MAJOR_TAG, if negative { NEGATIVE_BIGNUM } else { BIGNUM });
    put(out, BYTES, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// The sign (true if negative) and content of a bignum; `None` if the value is not one.
pub(super) fn bignum(value: Value<'_>) -> Option<(bool, Value<'_>)> {
    let negative = match (value.kind(), value.argument()) {
        (ValueKind::Tag, BIGNUM) => false,
        (ValueKind::Tag, NEGATIVE_BIGNUM) => true,
        _ => return None,
    };
    let content = value.children().next()?;
    (content.kind() == ValueKind::Bytes).then_some((negative, content))
}

/// The JSON number of a CBOR number.
pub(super) fn json_number(value: Value<'_>) -> Result<String, &'static str> {
    match value.kind() {
        ValueKind::Number => Ok(value.literal().unwrap_or_default().to_owned()),
        ValueKind::Float => match value.float() {
            Some(float) if float.is_finite() => Ok(shortest(float)),
            _ => Err("JSON has no NaN and no infinities"),
        },
        ValueKind::Tag if value.argument() == DECIMAL_FRACTION => {
            let content = value.children().next();
            let mut parts = content.into_iter().flat_map(Value::children);
            match (parts.next(), parts.next(), parts.next()) {
                (Some(exponent), Some(mantissa), None) if exponent.kind() != ValueKind::Tag => {
                    Ok(format!("{}e{}", integer(mantissa)?, integer(exponent)?))
                }
                _ => Err("a decimal fraction (tag 4) that is not [exponent, mantissa]"),
            }
        }
        _ => integer(value),
    }
}

fn integer(value: Value<'_>) -> Result<String, &'static str> {
    match (value.kind(), bignum(value)) {
        (ValueKind::Uint, _) => Ok(value.argument().to_string()),
        (ValueKind::Nint, _) => Ok((-1 - i128::from(value.argument())).to_string()),
        (_, Some((negative, content))) => {
            let mut bytes = content.bytes().unwrap_or_default().into_owned();
            if bytes.len() > DIGITS / 2 {
                return Err(TOO_LONG);
            }
            if negative {
                bytes.insert(0, 0);
                for byte in bytes.iter_mut().rev() {
                    let (higher, carry) = byte.overflowing_add(1);
                    *byte = higher;
                    if !carry {
                        break;
                    }
                }
            }
            let sign = if negative { "-" } else { "" };
            Ok(format!("{sign}{}", base::to_digits(&bytes)))
        }
        _ => Err("JSON has no such value"),
    }
}
