"""Makes envelopes and receipts from raw bytes, with the verdict that each must get.

usage: all.py RECORD FOLDER; writes FOLDER/NUMBER/record.json, record.json.cose, perhaps
record.json.receipt; FOLDER/cases.json, a list of [NUMBER, name, exit code, line, verdict];
and FOLDER/edwards.pem, curve.pem, log.pem, the keys to trust. Needs Python's `cryptography`.
"""

import made
import envelopes
import receipts

made.write()
