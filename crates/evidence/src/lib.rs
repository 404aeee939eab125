//! Claims that can be checked: digests, schema verdicts, redaction, signatures, receipts.

#![forbid(unsafe_code)]
