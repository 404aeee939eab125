//! Validation of values without children, by their kind.

use super::Schema;
use super::atom::{
    Atom, BYTES, FALSE, FLOAT16, FLOAT32, FLOAT64, NINT, NULL, TEXT, TRUE, TypeSet, UINT, UNDEFINED,
};
use super::check;
use crate::value::number::{Decimal, nearest_f64};
use crate::value::{Document, Encoding, Limits, Value, ValueKind};

/// Greatest nesting of CBOR in byte strings of CBOR.
pub(super) const EMBEDDED_DEPTH: usize = 16;

/// The atoms of `wanted` that a value without children matches.
pub(super) fn judge(schema: &Schema, value: Value<'_>, wanted: TypeSet, depth: usize) -> TypeSet {
    let basic = |atom| wanted & TypeSet::of(atom);
    match value.kind() {
        ValueKind::Null => basic(NULL),
        ValueKind::False => basic(FALSE),
        ValueKind::True => basic(TRUE),
        ValueKind::Undefined => basic(UNDEFINED),
        ValueKind::Uint => integer(schema, wanted, false, value.argument()),
        ValueKind::Nint => integer(schema, wanted, true, value.argument()),
        ValueKind::Number => number(schema, value, wanted),
        ValueKind::Float => basic(match value.raw().len() {
            3 => FLOAT16,
            5 => FLOAT32,
            _ => FLOAT64,
        }),
        ValueKind::Text => text(schema, value, wanted),
        ValueKind::Bytes => bytes(schema, value, wanted, depth),
        ValueKind::Simple | ValueKind::Array | ValueKind::Map | ValueKind::Tag => TypeSet::EMPTY,
    }
}

/// An integer by its sign and CBOR argument.
fn integer(schema: &Schema, wanted: TypeSet, negative: bool, argument: u64) -> TypeSet {
    let mut met = wanted & TypeSet::of(if negative { NINT } else { UINT });
    let value = if negative { -1 - i128::from(argument) } else { argument.into() };
    for atom in wanted.atoms() {
        if matches!(schema.atoms[atom], Atom::Integer(n) if n == value) {
            met |= TypeSet::of(atom);
        }
    }
    met
}

/// A JSON number is an integer if its value is one, whatever its spelling. It is a float if it is
/// within that float's range (RFC 8610, appendix E).
fn number(schema: &Schema, value: Value<'_>, wanted: TypeSet) -> TypeSet {
    let literal = value.literal().unwrap_or_default();
    let decimal = Decimal::of(literal);
    let magnitude = decimal.magnitude();
    let argument = match magnitude {
        Some(n) if n > 0 && decimal.negative => u64::try_from(n - 1).ok(),
        n => n.and_then(|n| u64::try_from(n).ok()),
    };
    let negative = decimal.negative && magnitude != Some(0);
    let mut met =
        argument.map_or(TypeSet::EMPTY, |argument| integer(schema, wanted, negative, argument));
    if let Some(float) = nearest_f64(literal) {
        met |= wanted & TypeSet::of(FLOAT64);
        if f64::from(float as f32) == float {
            met |= wanted & TypeSet::of(FLOAT32);
        }
        if crate::cbor::float::fits_half(float) {
            met |= wanted & TypeSet::of(FLOAT16);
        }
    }
    met
}

fn text(schema: &Schema, value: Value<'_>, wanted: TypeSet) -> TypeSet {
    let met = wanted & TypeSet::of(TEXT);
    let special = wanted.without(TypeSet::of(TEXT));
    if special.is_empty() {
        return met;
    }
    let text = value.text().unwrap_or_default();
    let matches = |atom: &usize| match &schema.atoms[*atom] {
        Atom::Text(literal) => *literal == text,
        Atom::Regexp(regexp) => regexp.is_match(&text),
        _ => false,
    };
    special.atoms().filter(matches).fold(met, |met, atom| met | TypeSet::of(atom))
}

/// Checks all candidate types of the content together, so that nesting stays linear.
fn bytes(schema: &Schema, value: Value<'_>, wanted: TypeSet, depth: usize) -> TypeSet {
    let met = wanted & TypeSet::of(BYTES);
    let embedded = |atom: usize| match schema.atoms[atom] {
        Atom::Embedded(inside) => Some((TypeSet::of(atom), inside)),
        _ => None,
    };
    let all = || wanted.atoms().filter_map(embedded);
    let inside = all().fold(TypeSet::EMPTY, |set, (_, inside)| set | inside);
    if inside.is_empty() || depth >= EMBEDDED_DEPTH {
        return met;
    }
    let content = value.bytes().unwrap_or_default();
    match Document::read(&content, Encoding::Cbor, Limits::default()) {
        Ok(doc) => {
            let found = check::met(schema, &doc, inside, depth + 1);
            let right = all().filter(|(_, inside)| found.meets(*inside));
            right.fold(met, |met, (atom, _)| met | atom)
        }
        Err(_) => met,
    }
}
