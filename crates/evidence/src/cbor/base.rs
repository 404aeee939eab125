//! Large integers between decimal digits and big-endian bytes. Quadratic, so callers bound it.

/// ASCII digits to big-endian bytes without leading zeros.
pub(super) fn to_bytes(digits: &[u8]) -> Vec<u8> {
    let mut limbs: Vec<u32> = Vec::new();
    for chunk in digits.chunks(9) {
        let (scale, add) = chunk.iter().fold((1u64, 0u64), |(scale, add), &digit| {
            (scale * 10, add * 10 + u64::from(digit - b'0'))
        });
        let mut carry = add;
        for limb in &mut limbs {
            let product = u64::from(*limb) * scale + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
    }
    let bytes: Vec<u8> = limbs.iter().rev().flat_map(|limb| limb.to_be_bytes()).collect();
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    bytes[zeros..].to_vec()
}

/// Big-endian bytes to ASCII digits; zero is "0".
pub(super) fn to_digits(bytes: &[u8]) -> String {
    const BILLION: u64 = 1_000_000_000;
    let mut groups: Vec<u64> = vec![0];
    for &byte in bytes {
        let mut carry = u64::from(byte);
        for group in &mut groups {
            let sum = *group * 256 + carry;
            *group = sum % BILLION;
            carry = sum / BILLION;
        }
        if carry > 0 {
            groups.push(carry);
        }
    }
    let mut out = groups.last().map_or_else(String::new, u64::to_string);
    for group in groups.iter().rev().skip(1) {
        out.push_str(&format!("{group:09}"));
    }
    out
}
