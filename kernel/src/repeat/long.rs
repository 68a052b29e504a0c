//! Long answers: sealed, they become artifacts.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::artifact::{INLINE, Keeper, Library, Of};
use crate::context::Scope;
use crate::error::Result;
use crate::ledger::{ClaimOutcome, NewArtifact};
use crate::secret::Sealed;

/// Puts the answer of an outcome where a long one belongs. One that the artifact store does not take is not kept.
pub(crate) async fn stowed(
    keeper: &Keeper,
    scope: Scope,
    mut outcome: ClaimOutcome,
    expires_at: DateTime<Utc>,
) -> (ClaimOutcome, Option<Arc<NewArtifact>>) {
    let Some(body) = outcome.body.take_if(|body| body.ciphertext.len() > INLINE) else { return (outcome, None) };
    let of = Of { expires_at: Some(expires_at), ..Of::default() };
    let Ok(artifact) = keeper.keep(scope, body.ciphertext, of).await else { return (outcome, None) };
    outcome.body = Some(Sealed { ciphertext: Vec::new(), ..body });
    outcome.artifact_id = Some(artifact.id);
    (outcome, Some(artifact))
}

/// The sealed answer of an outcome, wherever it lies; none where it was not kept or its time is over.
pub(crate) async fn fetched(library: &Library, scope: Scope, outcome: &ClaimOutcome) -> Result<Option<Sealed>> {
    let Some(body) = outcome.body.clone() else { return Ok(None) };
    let Some(id) = outcome.artifact_id else { return Ok(Some(body)) };
    let ciphertext = library.read(scope, id).await?;
    Ok(ciphertext.map(|ciphertext| Sealed { ciphertext, ..body }))
}
