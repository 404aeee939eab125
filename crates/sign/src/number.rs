//! Numbers that every verifier writes again as they are written.

/// Greatest whole number that every reader of JSON holds exactly: 2^53 - 1.
const SAFE: u64 = (1 << 53) - 1;

/// Whether RFC 8785 and Python's `json` both write this JSON number as it is.
pub(crate) fn is_stable(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.parse::<u64>().is_ok_and(|it| it <= SAFE) && text != "-0";
    }
    let Ok(value) = text.parse::<f64>() else { return false };
    value.is_finite()
        && written(value, -7, 21, false) == text
        && written(value, -5, 16, true) == text
}

/// The shortest digits that give the number back, laid out: plain for powers of ten between two
/// bounds, else with an exponent. Python pads it to two digits, and marks whole floats by `.0`.
fn written(value: f64, low: i32, high: i32, python: bool) -> String {
    let text = format!("{:e}", value.abs());
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or_default();
    let digits: String = mantissa.chars().filter(|it| *it != '.').collect();
    let sign = if value.is_sign_negative() && (python || value != 0.0) { "-" } else { "" };
    if power <= low || power >= high {
        let point = if digits.len() > 1 { "." } else { "" };
        let (first, rest) = digits.split_at(1);
        let mark = if power < 0 { "-" } else { "+" };
        let power = power.unsigned_abs();
        let pad = if python && power < 10 { "0" } else { "" };
        return format!("{sign}{first}{point}{rest}e{mark}{pad}{power}");
    }
    if power < 0 {
        let zeros = "0".repeat(usize::try_from(-power - 1).unwrap_or_default());
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = usize::try_from(power).unwrap_or_default() + 1;
    match digits.split_at_checked(whole) {
        Some((whole, "")) => format!("{sign}{whole}{}", if python { ".0" } else { "" }),
        Some((whole, rest)) => format!("{sign}{whole}.{rest}"),
        None => {
            let zeros = "0".repeat(whole - digits.len());
            format!("{sign}{digits}{zeros}{}", if python { ".0" } else { "" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_stable, written};

    #[test]
    fn numbers_that_are_written_alike_everywhere() {
        for text in
            ["0", "-1", "0.5", "1234.5678", "9007199254740991", "1.5e-10", "1e+21", "0.0001"]
        {
            assert!(is_stable(text), "{text}");
        }
        let others = [
            "-0",
            "1.0",
            "1e2",
            "9007199254740993",
            "5e-05",
            "0.00005",
            "1e-7",
            "1e400",
            "-0.0",
            "0.10",
            "1E+21",
            "1e16",
            "18446744073709551616",
            "0.1000000000000000055",
        ];
        for text in others {
            assert!(!is_stable(text), "{text}");
        }
    }

    #[test]
    fn layouts_by_both_rules() {
        let cases = [
            (1e16, "10000000000000000", "1e+16"),
            (5e-5, "0.00005", "5e-05"),
            (1e-7, "1e-7", "1e-07"),
            (1.0, "1", "1.0"),
            (123e20, "1.23e+22", "1.23e+22"),
            (1e20, "100000000000000000000", "1e+20"),
            (1e-6, "0.000001", "1e-06"),
            (333_333_333.333_333_3, "333333333.3333333", "333333333.3333333"),
        ];
        for (value, jcs, python) in cases {
            assert_eq!(written(value, -7, 21, false), jcs);
            assert_eq!(written(value, -5, 16, true), python);
        }
    }
}
