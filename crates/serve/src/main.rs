//! The program `inkveil-serve`; the command `inkveil serve` starts it.

#![forbid(unsafe_code)]

mod browser;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::{Parser, Subcommand};
use inkveil::detect::Tier;
use inkveil_serve::{Gateway, Mode, Settings, mcp, say, serve, upstream_address};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// Veil requests to a language model, and restore the answers.
///
/// Programs use the gateway's address instead of the provider's. Whatever is not covered is refused.
#[derive(Debug, Parser)]
#[command(
    name = "inkveil serve",
    bin_name = "inkveil serve",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  inkveil serve --upstream https://api.openai.com
  inkveil serve --upstream https://api.openai.com --anthropic https://api.anthropic.com --secret gateway.secret
  inkveil serve --config serve.toml"
)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Offer the tools veil, restore, detect and style_risk to a program that speaks MCP, over standard input and output
    Mcp(ModelArgs),
    /// Print the table of positions of a protocol
    Positions {
        /// The route, for example chat/completions (default: all)
        route: Option<String>,
    },
}

#[derive(Debug, Parser, Default)]
struct ModelArgs {
    /// The model pack (default: en)
    #[arg(long, value_name = "PACK")]
    pack: Option<String>,
    /// The tier of detection: rules, fast or accurate (default: accurate)
    #[arg(long, value_parser = tier)]
    tier: Option<Tier>,
    /// The file with the secret that replacements follow from. It is created if it does not exist (default: a
    /// new secret for each start)
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
}

#[derive(Debug, Parser)]
struct ServeArgs {
    /// The settings file
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The address to listen on (default: 127.0.0.1:8080)
    #[arg(short, long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Where requests go
    #[arg(short, long, value_name = "URL")]
    upstream: Option<String>,
    /// Where requests of Anthropic's protocol go (default: the upstream)
    #[arg(long, value_name = "URL")]
    anthropic: Option<String>,
    /// The environment variable with the key of the upstream (default: the caller's key is passed on)
    #[arg(long, value_name = "VARIABLE")]
    upstream_key: Option<String>,
    /// The environment variable with the key of Anthropic's upstream
    #[arg(long, value_name = "VARIABLE")]
    anthropic_key: Option<String>,
    /// What to do with requests: surrogates, placeholders, stamp, detect or block (default: surrogates)
    #[arg(short, long, value_parser = mode)]
    mode: Option<Mode>,
    /// Charge the ledger in this file
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// The language model that rewrites texts on the page: a name, a folder, or the address of a server on this
    /// machine with #MODEL
    #[arg(long, value_name = "MODEL")]
    rewriter: Option<String>,
    /// Open the page in a browser. The default address is then 127.0.0.1 with a free port
    #[arg(long)]
    open: bool,
    /// Write no line for each request to standard error
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    models: ModelArgs,
}

fn mode(name: &str) -> Result<Mode, String> {
    Mode::named(name).ok_or_else(|| format!("modes are {}", Mode::ALL.map(Mode::name).join(", ")))
}

fn tier(name: &str) -> Result<Tier, String> {
    let tier = Tier::ALL.into_iter().find(|tier| tier.name() == name);
    tier.ok_or_else(|| format!("tiers are {}", Tier::ALL.map(Tier::name).join(", ")))
}

fn main() -> ExitCode {
    inkveil::files::hide_panic_messages();
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match args.command {
        Some(Command::Mcp(models)) => {
            let mut settings = Settings::default();
            apply_models(&mut settings, models);
            let gateway = Arc::new(Gateway::open(settings, false)?);
            runtime.block_on(mcp::over_stdio(gateway))
        }
        Some(Command::Positions { route }) => {
            print_positions(route.as_deref()).context("cannot write to standard output")
        }
        None => runtime.block_on(listen(args.serve)),
    }
}

fn apply_models(settings: &mut Settings, models: ModelArgs) {
    let ModelArgs { pack, tier, secret } = models;
    settings.pack = pack.unwrap_or_else(|| std::mem::take(&mut settings.pack));
    settings.tier = tier.unwrap_or(settings.tier);
    settings.secret = secret.or_else(|| settings.secret.take());
}

fn settings(args: &mut ServeArgs) -> anyhow::Result<Settings> {
    let mut settings = match &args.config {
        Some(path) => Settings::open(path)?,
        None => Settings::default(),
    };
    let free_port = args.open && args.config.is_none();
    if free_port {
        settings.listen.set_port(0);
    }
    settings.listen = args.listen.unwrap_or(settings.listen);
    settings.rewriter = args.rewriter.clone().or(settings.rewriter);
    if let Some(address) = &args.upstream {
        settings.upstream = Some(upstream_address(address)?);
    }
    if let Some(address) = &args.anthropic {
        settings.anthropic = Some(upstream_address(address)?);
    }
    settings.upstream_key = args.upstream_key.clone().or(settings.upstream_key);
    settings.anthropic_key = args.anthropic_key.clone().or(settings.anthropic_key);
    settings.mode = args.mode.unwrap_or(settings.mode);
    settings.ledger = args.ledger.clone().or(settings.ledger);
    let ModelArgs { pack, tier, secret } = &args.models;
    apply_models(&mut settings, ModelArgs { pack: pack.clone(), tier: *tier, secret: secret.clone() });
    settings.check()?;
    for (variable, of) in
        [(&settings.upstream_key, "upstream"), (&settings.anthropic_key, "Anthropic's upstream")]
    {
        if let Some(variable) = variable {
            ensure!(
                std::env::var_os(variable).is_some_and(|key| !key.is_empty()),
                "the environment variable {variable} for the key of {of} is not set"
            );
        }
    }
    Ok(settings)
}

async fn listen(mut args: ServeArgs) -> anyhow::Result<()> {
    let settings = settings(&mut args)?;
    if settings.upstream.is_none() && settings.anthropic.is_none() && !args.open {
        say!(
            "note: no upstream is set, so only the routes of inkveil and Presidio work; name one with --upstream"
        );
    }
    if settings.secret.is_none() && !args.open {
        say!("note: without --secret, replacements change when the gateway is started again");
    }
    let (address, mode, tier) = (settings.listen, settings.mode, settings.tier);
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    let gateway = Arc::new(Gateway::open(settings, !args.quiet)?);
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let local = listener.local_addr()?;
    say!("listening on {scheme}://{local}, mode {mode}, tier {tier}");
    let page = browser::address(scheme, local, &gateway.page().new_key()?);
    say!("the page, once: {page}");
    let _shortcut = if args.open { browser::open(&page) } else { None };
    let reloaded = gateway.clone();
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hang_up.recv().await.is_some() {
            match self::settings(&mut args).and_then(|settings| reloaded.reload(settings)) {
                Ok(()) => say!("note: the settings were read again"),
                Err(error) => say!("warning: the settings stay as they are: {error:#}"),
            }
        }
    });
    let mut terminate = signal(SignalKind::terminate())?;
    let stop = async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        say!("note: stopping; open answers are finished");
    };
    serve(gateway, listener, stop).await
}

fn print_positions(route: Option<&str>) -> anyhow::Result<()> {
    inkveil::files::check_stdout()?;
    let mut out = std::io::stdout().lock();
    for protocol in inkveil_serve::Protocol::ALL {
        if route.is_none_or(|route| route == protocol.name()) {
            writeln!(out, "# POST {}{}", protocol.path(), protocol.lines())?;
        }
    }
    Ok(out.flush()?)
}
