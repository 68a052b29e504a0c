//! What is measured: the upstream itself, soit, and other gateways started from their own packages.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use serde_json::json;
use tokio::process::{Child, Command};

use crate::load::Shape;

/// Something that answers chat completions on a loopback port.
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) port: u16,
    /// Whether it answers streams, as the warm-up found out.
    pub(crate) streams: bool,
    /// Path of the call for an upstream delay.
    path: fn(u64) -> String,
    /// Name of the model for an upstream delay.
    model: fn(u64) -> String,
    /// Further headers; the second part may name the upstream delay as `{delay}`.
    headers: Vec<(&'static str, String)>,
    /// Kept so that it is stopped at the end; killed when dropped.
    child: Option<Child>,
}

fn plain_path(_: u64) -> String {
    "/v1/chat/completions".to_owned()
}

impl Target {
    /// The upstream itself.
    pub(crate) fn direct(port: u16) -> Self {
        Self {
            name: "direct".to_owned(),
            port,
            streams: false,
            path: |delay| format!("/{delay}/v1/chat/completions"),
            model: |_| "bench".to_owned(),
            headers: Vec::new(),
            child: None,
        }
    }

    /// A soit process with a key.
    pub(crate) fn soit(durability: &str, port: u16, key: &str, child: Child) -> Self {
        Self {
            name: format!("soit ({durability})"),
            port,
            streams: false,
            path: plain_path,
            model: |delay| format!("model:delay-{delay}:bench"),
            headers: vec![("authorization", format!("Bearer {key}"))],
            child: Some(child),
        }
    }

    /// The same process, called with another key.
    pub(crate) fn by_another(&self, key: &str) -> Self {
        Self {
            name: format!("{}, other key", self.name),
            port: self.port,
            streams: self.streams,
            path: self.path,
            model: self.model,
            headers: vec![("authorization", format!("Bearer {key}"))],
            child: None,
        }
    }

    /// One call.
    pub(crate) fn request(&self, shape: Shape) -> Result<Request<Full<Bytes>>, String> {
        let body = json!({"model": (self.model)(shape.delay_ms), "stream": shape.stream, "max_tokens": 64,
            "messages": [{"role": "user", "content": "What does one more hop cost, all in all?"}]});
        let mut request = Request::post((self.path)(shape.delay_ms))
            .header("host", "127.0.0.1")
            .header("content-type", "application/json");
        for (name, value) in &self.headers {
            request = request.header(*name, value.replace("{delay}", &shape.delay_ms.to_string()));
        }
        request.body(Full::from(body.to_string())).map_err(|error| error.to_string())
    }

    /// The credential it is called with.
    pub(crate) fn credential(&self) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(name, _)| *name == "authorization").map(|(_, credential)| credential.as_str())
    }

    /// Resident memory of the process and its children.
    pub(crate) fn resident_kib(&self) -> Option<u64> {
        tree_resident(self.child.as_ref()?.id()?)
    }
}

fn tree_resident(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let own: u64 = line.trim().trim_end_matches(" kB").trim().parse().ok()?;
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let below: u64 = children.split_whitespace().filter_map(|child| tree_resident(child.parse().ok()?)).sum();
    Some(own + below)
}

/// Waits until something accepts connections.
pub(crate) async fn wait_for(port: u16, name: &str) -> Result<(), String> {
    for _ in 0..1_200 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(format!("{name} did not start within a minute"))
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> Result<u16, String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    Ok(listener.local_addr().map_err(|error| error.to_string())?.port())
}

fn start(command: &mut Command, name: &str) -> Result<Child, String> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command.spawn().map_err(|error| format!("{name}: {error}"))
}

/// Portkey's gateway: `--portkey` names its `build/start-server.js`.
pub(crate) async fn portkey(script: &Path, upstream: u16) -> Result<Target, String> {
    let port = free_port()?;
    // `node` may be a script that starts another process, which would outlive it.
    let node = Command::new("node").args(["-p", "process.execPath"]).output().await;
    let node = node.map_err(|error| format!("node: {error}"))?.stdout;
    let node = String::from_utf8_lossy(&node);
    let child =
        start(Command::new(node.trim()).arg(script).arg("--headless").arg(format!("--port={port}")), "portkey")?;
    wait_for(port, "portkey").await?;
    Ok(Target {
        name: "Portkey".to_owned(),
        port,
        streams: false,
        path: plain_path,
        model: |_| "bench".to_owned(),
        headers: vec![
            ("x-portkey-provider", "openai".to_owned()),
            ("x-portkey-custom-host", format!("http://127.0.0.1:{upstream}/{{delay}}/v1")),
            ("authorization", "Bearer upstream".to_owned()),
        ],
        child: Some(child),
    })
}

/// LiteLLM's proxy: `--litellm` names its `litellm` command.
pub(crate) async fn litellm(command: &Path, upstream: u16) -> Result<Target, String> {
    let port = free_port()?;
    let models: Vec<_> = [0, 20]
        .map(|delay| {
            json!({"model_name": format!("bench-{delay}"), "litellm_params": {"model": "openai/bench",
                "api_base": format!("http://127.0.0.1:{upstream}/{delay}/v1"), "api_key": "upstream"}})
        })
        .into();
    let key = "sk-a-master-key-for-one-measurement-0123456789";
    let config = std::env::temp_dir().join(format!("soit-bench-litellm-{port}.yaml"));
    let text = json!({"model_list": models, "general_settings": {"master_key": key}}).to_string();
    std::fs::write(&config, text).map_err(|error| error.to_string())?;
    let mut process = Command::new(command);
    process.arg("--config").arg(&config).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
    process.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").env("LITELLM_TELEMETRY", "False");
    let child = start(&mut process, "litellm")?;
    wait_for(port, "litellm").await?;
    Ok(Target {
        name: "LiteLLM".to_owned(),
        port,
        streams: false,
        path: plain_path,
        model: |delay| format!("bench-{delay}"),
        headers: vec![("authorization", format!("Bearer {key}"))],
        child: Some(child),
    })
}
