//! What the PostgreSQL server itself can do: pgbench, one synced insert a transaction.

use std::process::Command;

/// Transactions a second at so many clients.
pub(crate) fn measure(pgbench: &str, clients: usize) -> Result<f64, String> {
    #[expect(clippy::disallowed_methods, reason = "tests and measurements are told by the environment where it is")]
    let server = std::env::var("TEST_POSTGRES_URL").map_err(|error| format!("TEST_POSTGRES_URL: {error}"))?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).map(|()| path).map_err(|error| error.to_string())
    };
    let table = "CREATE TABLE IF NOT EXISTS floor (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT now(), \
                 words text NOT NULL);\n";
    let once = file("table.sql", table)?;
    let insert =
        file("insert.sql", "INSERT INTO floor (words) VALUES ('what one row of a few words costs at least');\n")?;
    let run = |script: &std::path::Path, arguments: &[&str]| {
        let asked = Command::new(pgbench).arg("-n").args(arguments).arg("-f").arg(script).arg(&server).output();
        let told = asked.map_err(|error| format!("{pgbench}: {error}"))?;
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        if !told.status.success() {
            return Err(format!("{pgbench}: {}", String::from_utf8_lossy(&told.stderr)));
        }
        Ok(text)
    };
    run(&once, &["-t", "1"])?;
    let text = run(&insert, &["-c", &clients.to_string(), "-j", "2", "-T", "5"])?;
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")).and_then(|rest| rest.split(' ').next());
    rate.and_then(|rate| rate.parse().ok()).ok_or_else(|| format!("pgbench told no rate: {text}"))
}
