//! What who runs the instance does with its accounts: finds them, disables them, lets them act again.
//!
//! Invariant: nothing of what is in a tenant is read here but who belongs to it, and no tenant or workspace is left without an
//! owner who can act.

mod disable;
mod read;

use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::guard::authorize;

/// Whether the caller may do this to one thing of the instance. To others there is no such thing, whether there is one or not.
pub(super) fn authorize_one(ctx: &OpContext, action: &'static str) -> Result<()> {
    authorize(ctx, action).map_err(|error| match error.code() {
        Code::RoleRequired => Error::not_found(),
        _ => error,
    })
}
