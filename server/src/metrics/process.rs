//! What the system says about this process, read when somebody asks.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::catalog::Catalog;

const CPU: &str = "process_cpu_seconds_total";
const MEMORY: &str = "process_resident_memory_bytes";
const FILES: &str = "process_open_fds";
/// Linux counts processor time in hundredths of a second for every program.
const TICKS_A_SECOND: f64 = 100.0;

pub(super) fn register(catalog: &mut Catalog) {
    catalog.describe(CPU, &[], "Processor time used");
    catalog.describe(MEMORY, &[], "Memory in use");
    catalog.describe(FILES, &[], "Open files and connections");
    catalog.registry.register_collector(Box::new(Process));
}

#[derive(Debug)]
struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let mut gauge = |name, help, value| {
            let gauge = ConstGauge::new(value);
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
        };
        gauge(MEMORY, "Memory in use.", resident_bytes().unwrap_or_default())?;
        gauge(FILES, "Open files and connections.", open_files().unwrap_or_default())?;
        let cpu = ConstCounter::new(cpu_seconds().unwrap_or_default());
        let name = CPU.trim_end_matches("_total");
        cpu.encode(encoder.encode_descriptor(name, "Processor time used.", None, cpu.metric_type())?)
    }
}

fn resident_bytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<i64>().ok()?.checked_mul(1024)
}

fn open_files() -> Option<i64> {
    i64::try_from(std::fs::read_dir("/proc/self/fd").ok()?.count()).ok()
}

fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may hold anything, stand the state and then numbers; the 12th and 13th are user and system time.
    let mut numbers = stat.rsplit_once(") ")?.1.split_whitespace().skip(11).map(str::parse::<u32>);
    let (user, system) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((f64::from(user) + f64::from(system)) / TICKS_A_SECOND)
}
