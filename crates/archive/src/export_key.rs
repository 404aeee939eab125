//! The key by which the receipts of a redacted twin name what they are of.
//!
//! The digest of a file that has a short secret lets anybody confirm a guess of it who has the rest
//! of the file, as a twin has. So a receipt names digests of the source by an HMAC of them. The key
//! stays with the archive, and whoever has the archive can check them.

use std::io::Write as _;

use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use store::unnamed::Unnamed;

use crate::error::Error;
use crate::place::ArchiveFolder;

/// The name of its file.
const NAME: &str = "export.key";

/// A key of an archive.
#[derive(Clone)]
pub struct ExportKey(String);

impl std::fmt::Debug for ExportKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExportKey")
    }
}

impl ArchiveFolder {
    /// The key of this archive, which is made of these random bytes if it has none.
    ///
    /// # Errors
    /// The file can't be read or written, or it is damaged.
    pub fn export_key(&self, random: &[u8; 32]) -> Result<ExportKey, Error> {
        let path = self.folder.join(NAME);
        if !path.is_file() {
            let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
            let mut file = Unnamed::create(&self.folder).map_err(Error::io(&self.folder))?;
            writeln!(file, "{digits}").map_err(Error::io(&path))?;
            file.finish(NAME).map_err(Error::io(&path))?;
        }
        // Another run may have been faster: its key counts.
        let text = catalog::bounded(&path, 4096).map_err(Error::io(&path))?;
        let digits = String::from_utf8_lossy(&text).trim().to_owned();
        let is_key = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let what = "it is no key of 64 hexadecimal digits".to_owned();
        is_key.then_some(ExportKey(digits)).ok_or(Error::Damaged { path, what })
    }
}

impl ExportKey {
    /// The HMAC-SHA-256 of a text, as 64 hexadecimal digits.
    #[must_use]
    pub fn of(&self, text: &str) -> String {
        let pairs = self.0.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
        let key: Vec<u8> = pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect();
        // Any length of key is one of HMAC (RFC 2104).
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else { return String::new() };
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_gives_the_hmac_that_others_compute() {
        let temp = tempfile::tempdir().unwrap();
        let place = ArchiveFolder { folder: temp.path().to_path_buf() };
        // RFC 4231, test case 1, has 20 bytes: HMAC fills a key with zeros.
        let mut random = [0; 32];
        random[..20].fill(0x0b);
        let key = place.export_key(&random).unwrap();
        let digest = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        assert_eq!(key.of("Hi There"), digest);
        assert_eq!(place.export_key(&[7; 32]).unwrap().of("Hi There"), digest);
        std::fs::write(temp.path().join(NAME), "short").unwrap();
        assert!(place.export_key(&random).is_err());
    }
}
