//! The pages of who has no session: a forgotten password, a new one by a link, an address confirmed, an account made.
//!
//! Plain forms like the one that signs in. `boot.js` fills in what stands behind the `#` of a link, which no server sees;
//! without scripts it is pasted.

mod confirm;
mod forgot;
mod gate;
mod register;
mod reset;

pub(crate) use confirm::ConfirmEmail;
pub(crate) use forgot::ForgotPassword;
pub(crate) use register::Register;
pub(crate) use reset::ResetPassword;
