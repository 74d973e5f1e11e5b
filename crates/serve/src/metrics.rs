//! Counters for Prometheus, and one line in the log for each request. Neither holds text.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::broadcast;

use crate::json::Json;

/// The number of requests that the page shows when it is opened.
const MOST_EVENTS: usize = 500;

/// The upper ends of the histogram, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0];

/// What happened to one request.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The route.
    pub route: &'static str,
    /// The mode.
    pub mode: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// The name of the caller's key, if there is one.
    pub key: Option<String>,
    /// How many sensitive spans of each kind were found.
    pub kinds: BTreeMap<String, u64>,
    /// The time it took to veil the request.
    pub veiling: Option<Duration>,
    /// The time until the answer began.
    pub total: Duration,
    /// The id of the receipt.
    pub receipt: Option<String>,
    /// Why the gateway refused it.
    pub refused: Option<&'static str>,
}

#[derive(Default)]
struct Counters {
    requests: BTreeMap<(&'static str, &'static str, u16), u64>,
    refused: BTreeMap<&'static str, u64>,
    spans: BTreeMap<String, u64>,
    veiling: [u64; BUCKETS.len() + 1],
    veiling_sum: f64,
}

/// The counters of the gateway.
pub struct Metrics {
    counters: Mutex<Counters>,
    /// The last requests, without text, and those who wait for the next one.
    events: Mutex<VecDeque<String>>,
    next: broadcast::Sender<String>,
    logs: bool,
}

impl Metrics {
    /// Starts at zero. `logs` says whether each request is logged to standard error.
    pub fn new(logs: bool) -> Self {
        Self { counters: Mutex::default(), events: Mutex::default(), next: broadcast::Sender::new(256), logs }
    }

    /// Counts a request.
    pub fn count(&self, record: &Record) {
        {
            let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
            *counters.requests.entry((record.route, record.mode, record.status)).or_default() += 1;
            if let Some(code) = record.refused {
                *counters.refused.entry(code).or_default() += 1;
            }
            for (kind, count) in &record.kinds {
                *counters.spans.entry(kind.clone()).or_default() += count;
            }
            if let Some(veiling) = record.veiling {
                let seconds = veiling.as_secs_f64();
                let bucket = BUCKETS.iter().position(|end| seconds <= *end).unwrap_or(BUCKETS.len());
                counters.veiling[bucket] += 1;
                counters.veiling_sum += seconds;
            }
        }
        let line = line(record);
        if self.logs {
            say!("{}", line.write());
        }
        self.announce(record, line);
    }

    /// Tells the page about a request.
    fn announce(&self, record: &Record, mut event: Json) {
        let kinds = record.kinds.iter().map(|(kind, count)| (kind.clone(), Json::count(*count)));
        event.set("kinds", Json::Object(kinds.collect()));
        let event = event.write();
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() == MOST_EVENTS {
            events.pop_front();
        }
        events.push_back(event.clone());
        // Nobody may be waiting.
        let _ = self.next.send(event);
    }

    /// The last requests, oldest first, and a receiver of all later ones. They hold no text.
    pub fn events(&self) -> (Vec<String>, broadcast::Receiver<String>) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        (events.iter().cloned().collect(), self.next.subscribe())
    }

    /// The text for Prometheus.
    pub fn text(&self) -> String {
        let counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = String::new();
        // Writing to a string does not fail.
        let mut add = |text: std::fmt::Arguments<'_>| {
            let _ = out.write_fmt(text);
            out.push('\n');
        };
        add(format_args!("# TYPE inkveil_requests_total counter"));
        for ((route, mode, status), count) in &counters.requests {
            add(format_args!(
                "inkveil_requests_total{{route=\"{route}\",mode=\"{mode}\",status=\"{status}\"}} {count}"
            ));
        }
        add(format_args!("# TYPE inkveil_refused_total counter"));
        for (code, count) in &counters.refused {
            add(format_args!("inkveil_refused_total{{code=\"{code}\"}} {count}"));
        }
        add(format_args!("# TYPE inkveil_spans_total counter"));
        for (kind, count) in &counters.spans {
            let kind: String =
                kind.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
            add(format_args!("inkveil_spans_total{{kind=\"{kind}\"}} {count}"));
        }
        add(format_args!("# TYPE inkveil_veiling_seconds histogram"));
        let mut sum = 0;
        for (end, count) in BUCKETS.iter().zip(counters.veiling) {
            sum += count;
            add(format_args!("inkveil_veiling_seconds_bucket{{le=\"{end}\"}} {sum}"));
        }
        let all: u64 = counters.veiling.iter().sum();
        add(format_args!("inkveil_veiling_seconds_bucket{{le=\"+Inf\"}} {all}"));
        add(format_args!("inkveil_veiling_seconds_sum {}", counters.veiling_sum));
        add(format_args!("inkveil_veiling_seconds_count {all}"));
        out
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Metrics")
    }
}

fn line(record: &Record) -> Json {
    let millis = |duration: Duration| Json::Number(format!("{:.3}", duration.as_secs_f64() * 1e3));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut line = Json::object([
        ("time", Json::Number(format!("{:.3}", now.as_secs_f64()))),
        ("route", Json::text(record.route)),
        ("status", Json::count(record.status)),
    ]);
    if !record.mode.is_empty() {
        line.set("mode", Json::text(record.mode));
    }
    if let Some(key) = &record.key {
        line.set("key", Json::text(key.clone()));
    }
    line.set("found", Json::count(record.kinds.values().sum::<u64>()));
    if let Some(veiling) = record.veiling {
        line.set("veiling_ms", millis(veiling));
    }
    line.set("ms", millis(record.total));
    if let Some(receipt) = &record.receipt {
        line.set("receipt", Json::text(receipt.clone()));
    }
    if let Some(code) = record.refused {
        line.set("refused", Json::text(code));
    }
    line
}
