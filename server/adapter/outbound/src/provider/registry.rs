//! Which provider takes a call.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::policy::Permit;
use kernel::port::{Answer, ModelCall, ModelProvider, UpstreamError, UpstreamKind};
use types::modelhub::ProviderKind;

use super::openai_compatible::OpenaiCompatible;
use super::test::TestProvider;
use crate::http::Http;
use crate::secret::Keyring;

/// Every provider of a deployment.
#[derive(Debug)]
pub struct Providers {
    openai_compatible: OpenaiCompatible,
    /// None in production.
    test: Option<Arc<TestProvider>>,
}

impl Providers {
    /// Providers that dial with this client and open credentials with these keys.
    pub fn new(http: Http, keyring: Arc<Keyring>, test: Option<Arc<TestProvider>>) -> Self {
        Self { openai_compatible: OpenaiCompatible::new(http, keyring), test }
    }
}

#[async_trait]
impl ModelProvider for Providers {
    async fn call(&self, permit: Permit<ModelCall>) -> Result<Answer, UpstreamError> {
        let call = permit.into_call();
        match (call.kind, &self.test) {
            (ProviderKind::OpenaiCompatible, _) => self.openai_compatible.call(call).await,
            (ProviderKind::Test, Some(test)) => test.call(call).await,
            (ProviderKind::Test, None) => Err(UpstreamError {
                kind: UpstreamKind::Connect,
                message: "the test provider is not in this deployment".to_owned(),
                retry_after: None,
                request_id: None,
            }),
        }
    }
}
