//! The use cases' ports, and what provider accounts lack to be called.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use types::egress::EgressOffer;
use types::modelhub::Provider;

use crate::change::Editor;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::egress::{Deployment, Target, offer, reaches_soit};
use crate::policy::guard;
use crate::port::{BuiltinModel, BuiltinModels, Clock, Resolver, Sealer};

/// How long an answer waits for the names of base URLs to resolve.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the use cases need from the world.
#[derive(Clone)]
pub struct Ports {
    /// Reads and changes what workspaces have set up.
    pub editor: Editor,
    /// Seals credentials.
    pub sealer: Arc<dyn Sealer>,
    /// Names to addresses, for offers.
    pub resolver: Arc<dyn Resolver>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Models that need no account; none in production.
    pub builtin: Option<Arc<dyn BuiltinModels>>,
    /// The deployment's egress layer.
    pub deployment: Arc<Deployment>,
}

/// Provider accounts, models and prices.
#[derive(Clone)]
pub struct ModelHub {
    pub(super) ports: Ports,
}

impl ModelHub {
    /// The use cases on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }

    /// The models that are there without being set up, by example; none where the deployment has none.
    pub fn list_builtin_models(&self, ctx: &OpContext) -> Result<Vec<BuiltinModel>> {
        guard::authorize(ctx, "model.list")?;
        Ok(self.ports.builtin.as_ref().map(|builtin| builtin.list()).unwrap_or_default())
    }

    /// Refuses a base URL that is known to lead to soit itself: no rule could ever let such calls out. What cannot be said in
    /// time is judged when it is called.
    pub(super) async fn refuse_soit(&self, base_url: Option<&str>) -> Result<()> {
        let Some(target) = base_url.and_then(|base_url| Target::parse(base_url).ok()) else { return Ok(()) };
        let reaches = reaches_soit(&self.ports.deployment, &target, &*self.ports.resolver);
        match select(Box::pin(reaches), self.ports.clock.sleep(PATIENCE)).await {
            Either::Left((true, _)) => Err(Error::invalid(
                "base_url",
                "leads to soit, which cannot call itself; give the provider's own address",
            )),
            Either::Left((false, _)) | Either::Right(_) => Ok(()),
        }
    }

    /// The egress rule that fits an account's base URL and whether it is there already; none where that cannot be said
    /// in time.
    pub async fn find_egress_offer(&self, ctx: &OpContext, provider: &Provider) -> Result<Option<EgressOffer>> {
        guard::authorize(ctx, "egress.read")?;
        let snapshot = self.ports.editor.read(ctx).await?;
        let Ok(target) = Target::parse(&provider.base_url) else { return Ok(None) };
        let offer = offer(&self.ports.deployment, snapshot.egress.as_ref(), &target, &*self.ports.resolver);
        match select(Box::pin(offer), self.ports.clock.sleep(PATIENCE)).await {
            Either::Left((offer, _)) => Ok(Some(offer)),
            Either::Right(_) => Ok(None),
        }
    }
}
