//! Downloads that fail, stop and resume.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use inkveil_pack::{ErrorKind, Monitor, ProgressEvent};

use crate::server::{Reply, file};
use crate::site::{Client, correct_index, index_serving, wheel};

const SOURCE: &str = "pypi:tiny-model";
const SIZE: usize = 600_000;

fn succeeds(client: &Client) {
    client.pull(SOURCE).unwrap().pack.verify(&mut Monitor::silent()).unwrap();
    assert!(client.partials().is_empty());
}

#[test]
fn resumes_after_an_interrupted_connection() {
    let server = index_serving(wheel(SIZE), |time, request, bytes| {
        let mut reply = file(request, bytes, "1");
        reply.cut_after = (time < 2).then_some(200_000);
        reply
    });
    succeeds(&Client::of(&server));
    let asked = server.asked(".whl");
    let ranges: Vec<Option<&str>> = asked.iter().map(|r| r.header("range")).collect();
    assert_eq!(ranges, [None, Some("bytes=200000-"), Some("bytes=400000-")]);
    assert_eq!(asked[1].header("if-range"), Some("\"1\""));
}

#[test]
fn resumes_a_cancelled_pull() {
    let server = correct_index(wheel(SIZE));
    let client = Client::of(&server);
    let cancel = AtomicBool::new(false);
    let mut listener = |event: ProgressEvent<'_>| {
        if matches!(event, ProgressEvent::Position { bytes } if bytes > 100_000) {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let error = client.pull_watched(SOURCE, &mut Monitor::new(&mut listener, &cancel)).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Cancelled);
    assert!(client.packs().is_empty() && client.partials().len() == 1);
    succeeds(&client);
    let asked = server.asked(".whl");
    let start: usize =
        asked[1].header("range").unwrap()["bytes=".len()..].trim_end_matches('-').parse().unwrap();
    assert!(start > 100_000 && start < SIZE, "{start}");
}

#[test]
fn discards_wrong_bytes() {
    let server = index_serving(wheel(SIZE), |_, request, bytes| {
        let mut wrong = bytes.to_vec();
        wrong[1000] ^= 1;
        file(request, &wrong, "1")
    });
    let client = Client::of(&server);
    assert!(matches!(client.failure(SOURCE), ErrorKind::WrongHash { .. }));
    assert!(client.partials().is_empty());
    assert_eq!(server.asked(".whl").len(), 1, "a retry would not help");
}

#[test]
fn downloads_again_if_the_partial_file_is_damaged() {
    let server = correct_index(wheel(SIZE));
    let client = Client::of(&server);
    let sum = inkveil_pack::Sha256Sum::of(&wheel(SIZE));
    let folder = client.home().join("cache/partial/tiny-model");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{sum}.part")), vec![0; 1000]).unwrap();
    succeeds(&client);
    let ranges: Vec<bool> = server.asked(".whl").iter().map(|r| r.header("range").is_some()).collect();
    assert_eq!(ranges, [true, false]);
}

#[test]
fn does_not_repeat_a_complete_download() {
    let (server, bytes) = (correct_index(wheel(SIZE)), wheel(SIZE));
    let client = Client::of(&server);
    let folder = client.home().join("cache/partial/tiny-model");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{}.part", inkveil_pack::Sha256Sum::of(&bytes))), &bytes).unwrap();
    succeeds(&client);
    assert!(server.asked(".whl").is_empty());
}

#[test]
fn starts_again_if_the_server_ignores_ranges() {
    let server = index_serving(wheel(SIZE), |time, _, bytes| {
        let mut reply = Reply::new(200, bytes);
        reply.cut_after = (time == 0).then_some(200_000);
        reply
    });
    succeeds(&Client::of(&server));
    assert_eq!(server.asked(".whl").len(), 2);
}

#[test]
fn starts_again_if_the_file_changed() {
    // The first response has another file and another tag.
    let server = index_serving(wheel(SIZE), |time, request, bytes| match time {
        0 => {
            let mut other = file(request, &vec![7; bytes.len()], "old");
            other.cut_after = Some(200_000);
            other
        }
        _ => file(request, bytes, "new"),
    });
    succeeds(&Client::of(&server));
    let asked = server.asked(".whl");
    assert_eq!((asked.len(), asked[1].header("if-range")), (2, Some("\"old\"")));
}

#[test]
fn refuses_a_range_from_the_wrong_position() {
    let server = index_serving(wheel(SIZE), |time, request, bytes| {
        let mut reply = file(request, bytes, "1");
        reply.cut_after = (time == 0).then_some(200_000);
        if time == 1 {
            // Continues, but from the wrong position.
            reply.headers.retain(|(name, _)| *name != "content-range");
            reply.headers.push(("content-range", "bytes 0-1/2".to_owned()));
        }
        reply
    });
    succeeds(&Client::of(&server));
    assert_eq!(server.asked(".whl").len(), 3);
}

#[test]
fn retries_temporary_failures() {
    let server = index_serving(wheel(SIZE), |time, request, bytes| match time {
        0 | 1 => Reply::new(500, "try later"),
        _ => file(request, bytes, "1"),
    });
    let client = Client::of(&server);
    let (result, notes) = client.pull_with_notes(SOURCE);
    result.unwrap();
    assert_eq!(notes.len(), 2);
    assert!(notes[0].contains("status 500; trying again"), "{notes:?}");
}

#[test]
fn gives_up_after_permanent_failures() {
    let server = index_serving(wheel(SIZE), |_, _, _| Reply::new(503, ""));
    assert_eq!(Client::of(&server).failure(SOURCE), ErrorKind::Status { status: 503 });
    assert_eq!(server.asked(".whl").len(), 3);
    let gone = index_serving(wheel(SIZE), |_, _, _| Reply::new(404, ""));
    assert_eq!(Client::of(&gone).failure(SOURCE), ErrorKind::Status { status: 404 });
    assert_eq!(gone.asked(".whl").len(), 1);
}

#[test]
fn gives_up_on_a_slow_server() {
    let server = index_serving(wheel(SIZE), |_, request, bytes| {
        let mut reply = file(request, bytes, "1");
        reply.drip = Some(Duration::from_millis(20));
        reply
    });
    let client = Client::of(&server).with_timeout(Duration::from_millis(300));
    assert_eq!(client.failure(SOURCE), ErrorKind::TimedOut { seconds: 1 });
    assert_eq!(client.partials().len(), 1, "the partial download is kept");
}

#[test]
fn gives_up_on_a_silent_server() {
    let server = index_serving(wheel(SIZE), |_, request, bytes| {
        std::thread::sleep(Duration::from_secs(2));
        file(request, bytes, "1")
    });
    let client = Client::of(&server).with_timeout(Duration::from_millis(200));
    assert_eq!(client.failure(SOURCE), ErrorKind::TimedOut { seconds: 1 });
}

#[test]
fn a_silent_server_does_not_delay_cancellation() {
    let server = index_serving(wheel(SIZE), |_, request, bytes| {
        std::thread::sleep(Duration::from_secs(4));
        file(request, bytes, "1")
    });
    let client = Client::of(&server);
    let cancel = AtomicBool::new(false);
    let started = std::time::Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            cancel.store(true, Ordering::Relaxed);
        });
        let mut silent = |_: ProgressEvent<'_>| {};
        let error = client.pull_watched(SOURCE, &mut Monitor::new(&mut silent, &cancel)).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Cancelled);
    });
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn refuses_wrong_sizes() {
    let longer = index_serving(wheel(SIZE), |_, request, bytes| {
        let mut reply = file(request, bytes, "1");
        reply.announced = Some(bytes.len() + 1);
        reply
    });
    assert!(matches!(Client::of(&longer).failure(SOURCE), ErrorKind::WrongSize { .. }));
    let shorter = index_serving(wheel(SIZE), |_, _, bytes| Reply::new(200, &bytes[..1000]));
    let client = Client::of(&shorter);
    assert!(matches!(client.failure(SOURCE), ErrorKind::WrongSize { .. }));
    assert!(client.partials().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn reports_a_full_disk() {
    let (server, bytes) = (correct_index(wheel(SIZE)), wheel(SIZE));
    let client = Client::of(&server);
    let folder = client.home().join("cache/partial/tiny-model");
    std::fs::create_dir_all(&folder).unwrap();
    let part = folder.join(format!("{}.part", inkveil_pack::Sha256Sum::of(&bytes)));
    std::os::unix::fs::symlink("/dev/full", part).unwrap();
    assert_eq!(client.failure(SOURCE), ErrorKind::DiskFull { needed: None, free: None });
}

#[test]
fn concurrent_pulls_download_once() {
    let server = correct_index(wheel(SIZE));
    let client = Client::of(&server);
    let new: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| client.pull(SOURCE).unwrap().is_new)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(new.iter().filter(|new| **new).count(), 1);
    assert_eq!(server.asked(".whl").len(), 1);
}
