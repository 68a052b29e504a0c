//! Keys of forms that are shown without the server's help.

use types::id::{FormKey, Uuid};

/// A fresh UUIDv7 that no other form of this person has. It is no secret and proves nothing.
pub(crate) fn form_key() -> FormKey {
    let time = js_sys::Date::now() as u128;
    let random = (0..4).fold(0, |bits: u128, _| bits << 32 | (js_sys::Math::random() * 4_294_967_296.0) as u128);
    let random = random & ((0xFFF << 64) | ((1 << 62) - 1));
    FormKey::from_uuid(Uuid::from_u128(time << 80 | 0x7 << 76 | 0b10 << 62 | random))
}
