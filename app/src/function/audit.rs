//! Server functions of the audit.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use types::audit::AuditQuery;
use types::name::Slug;
use types::problem::Code;

use super::ask;
use crate::backend::audit::{AuditDetail, AuditList, ChainView};
use crate::error::AppError;
use crate::query::Range;

/// One page of the audit; the first one where the cursor belongs to another list.
#[server(prefix = "/ui/fn", endpoint = "list_audit", input = Json)]
pub(crate) async fn list_audit(workspace: Slug, range: Range, query: AuditQuery) -> Result<AuditList, AppError> {
    ask(|backend| async move {
        match backend.audit.list_audit(&workspace, range, query.clone()).await {
            Err(problem) if problem.code == Code::InvalidCursor => {
                let first = AuditQuery { cursor: None, ..query };
                let list = backend.audit.list_audit(&workspace, range, first).await?;
                Ok(AuditList { cursor_refused: true, ..list })
            }
            answer => answer,
        }
    })
    .await
}

/// One audit row.
#[server(prefix = "/ui/fn", endpoint = "find_audit")]
pub(crate) async fn find_audit(workspace: Slug, seq: u64) -> Result<AuditDetail, AppError> {
    ask(|backend| async move { backend.audit.find_audit(&workspace, seq).await }).await
}

/// The hash chain, checked where that is asked for.
#[server(prefix = "/ui/fn", endpoint = "find_chain")]
pub(crate) async fn find_chain(workspace: Slug, verify: bool) -> Result<ChainView, AppError> {
    ask(|backend| async move { backend.audit.find_chain(&workspace, verify).await }).await
}
