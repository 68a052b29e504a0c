//! The SDK's requests over an HTTP client of ours.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;

/// Requests over this client; timeouts of whole requests are the SDK's own.
#[derive(Clone, Debug)]
pub(super) struct Over(reqwest::Client);

impl Over {
    pub(super) fn new(client: reqwest::Client) -> Self {
        Self(client)
    }
}

impl HttpClient for Over {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Over {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let client = self.0.clone();
        HttpConnectorFuture::new(async move { exchange(client, request).await })
    }
}

async fn exchange(client: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
    let request = request.try_into_http1x().map_err(|error| ConnectorError::user(error.into()))?;
    let request = reqwest::Request::try_from(request.map(reqwest::Body::wrap));
    let request = request.map_err(|error| ConnectorError::user(error.into()))?;
    let response = client.execute(request).await.map_err(failed)?;
    let response = http::Response::from(response).map(SdkBody::from_body_1_x);
    HttpResponse::try_from(response).map_err(|error| ConnectorError::other(error.into(), None))
}

fn failed(error: reqwest::Error) -> ConnectorError {
    if error.is_timeout() { ConnectorError::timeout(error.into()) } else { ConnectorError::io(error.into()) }
}
