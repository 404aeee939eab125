//! Session reading: a bundle in, a labelled session out.

pub(crate) mod earlier;
pub(crate) mod entered;
pub(crate) mod glued;
pub(crate) mod label_cache;
pub(crate) mod reading;
pub(crate) mod repeated;
pub(crate) mod split;
pub(crate) mod walk;
