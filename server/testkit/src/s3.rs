//! Buckets for tests, on the S3 server that `TEST_S3_URL` names, and a server that answers as it is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The server of the tests takes every signature, and gives nothing to who has none.
const WHO: &str =
    "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00";

/// A bucket of its own, gone with the server.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// Its name.
    pub name: String,
    /// Where the server is.
    pub endpoint: String,
}

impl Bucket {
    /// A new, empty bucket.
    pub async fn new() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        #[expect(clippy::disallowed_methods, reason = "the test kit is told by the environment where the services are")]
        let endpoint = std::env::var("TEST_S3_URL");
        let endpoint = endpoint.expect("TEST_S3_URL must name an S3 server: run the tests with `make test`");
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let bucket = Self { name: format!("soit-{}-{number}", std::process::id()), endpoint };
        bucket.ask(Method::PUT, "").await;
        bucket
    }

    /// The setting that names it, with a prefix.
    pub fn url(&self, prefix: &str) -> String {
        format!("s3://{}/{prefix}?endpoint={}&path_style=true", self.name, self.endpoint)
    }

    /// The names of all objects.
    pub async fn names(&self) -> Vec<String> {
        let listed = self.ask(Method::GET, "?list-type=2").await;
        let listed = String::from_utf8(listed).expect("XML");
        let names = listed.split("<Key>").skip(1).filter_map(|rest| rest.split("</Key>").next());
        names.map(str::to_owned).collect()
    }

    /// The bytes of an object.
    pub async fn read(&self, name: &str) -> Vec<u8> {
        self.ask(Method::GET, &format!("/{name}")).await
    }

    /// Deletes an object.
    pub async fn delete(&self, name: &str) {
        self.ask(Method::DELETE, &format!("/{name}")).await;
    }

    async fn ask(&self, method: Method, rest: &str) -> Vec<u8> {
        let uri: Uri = format!("{}/{}{rest}", self.endpoint, self.name).parse().expect("an address");
        let host = uri.authority().expect("a host").to_string();
        let stream = TcpStream::connect(&host).await.expect("the S3 server");
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("the S3 server speaks HTTP");
        let request = Request::builder()
            .method(method)
            .uri(uri.path_and_query().map_or("/", |path| path.as_str()))
            .header("host", host)
            .header("authorization", WHO)
            .header("content-length", "0")
            .body(Empty::<Bytes>::new())
            .expect("a request");
        let answered = async move {
            let answer = sender.send_request(request).await.expect("an answer");
            assert!(answer.status().is_success(), "the S3 server answers {}", answer.status());
            answer.into_body().collect().await.expect("a body").to_bytes().to_vec()
        };
        let (answered, _) = tokio::join!(answered, connection);
        answered
    }
}

/// How a scripted server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum S3Answer {
    /// With a status, and a code in the body.
    Refusal(u16, &'static str),
    /// Never.
    Nothing,
}

/// An S3 server that answers every request the same way.
#[derive(Debug)]
pub struct ScriptedS3 {
    /// Where it is.
    pub endpoint: String,
    answer: Arc<watch::Sender<S3Answer>>,
}

impl ScriptedS3 {
    /// A server that answers like that.
    pub async fn new(answer: S3Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let answer = Arc::new(watch::Sender::new(answer));
        let told = Arc::clone(&answer);
        let router = Router::new().fallback(move || {
            let answer = told.borrow().clone();
            async move { answered(answer).await }
        });
        #[expect(clippy::disallowed_methods, reason = "ends with the test")]
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { endpoint, answer }
    }

    /// Answers like that from now on.
    pub fn set(&self, answer: S3Answer) {
        self.answer.send_replace(answer);
    }
}

async fn answered(answer: S3Answer) -> Response {
    match answer {
        S3Answer::Nothing => std::future::pending().await,
        S3Answer::Refusal(status, code) => {
            let status = StatusCode::from_u16(status).expect("a status");
            let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>as told</Message></Error>");
            (status, [("content-type", "application/xml")], body).into_response()
        }
    }
}
