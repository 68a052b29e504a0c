//! `signing_keys`

use entity::signing_key::{ActiveModel, Model};
use kernel::chain::SealedKey;
use kernel::secret::Sealed;
use sea_orm::ActiveValue::{NotSet, Set};

use super::{count, number};

pub(crate) fn active(key: &SealedKey) -> ActiveModel {
    ActiveModel {
        number: Set(number(key.number)),
        key_id: Set(key.key_id.clone()),
        sealed_key_id: Set(key.sealed.key_id.clone()),
        nonce: Set(key.sealed.nonce.clone()),
        ciphertext: Set(key.sealed.ciphertext.clone()),
        created_at: NotSet,
        rotation: Set(key.rotation.clone()),
    }
}

pub(crate) fn record(row: Model) -> SealedKey {
    let sealed = Sealed { key_id: row.sealed_key_id, nonce: row.nonce, ciphertext: row.ciphertext };
    SealedKey { number: count(row.number), key_id: row.key_id, sealed, rotation: row.rotation }
}
