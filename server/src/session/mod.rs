//! The console's session: crate `tower-sessions` drives the cookie, rows of soit's own stand behind it.
//!
//! The use cases of `kernel::identity` write those rows (signing in, proof, password change), each in its own batch; here the
//! cookie is only made to follow. Invariant: of a cookie's id nothing but the SHA-256 is ever stored, and nothing a browser
//! brought before it signed in is adopted.

mod cookie;
mod store;

pub(crate) use cookie::{
    Ticket, challenge, challenge_cookie, cookie, cookie_digest, device, device_cookie, drop_cookie, email_cookie,
    expired_cookie, flow_cookie, flow_of, forgotten_flows, hand_over, layer, typed_email,
};
