//! `memlens serve`.

mod install;
mod unit;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memlens_engine::tool_server::lasting;
use memlens_engine::{
    Engine, Event, Home, Library, Ranking, Watching, folders_of_library, known_agent,
    part_of_agent, saved_ranking,
};
use memlens_params::ParameterSet as _;
use memlens_serve::{HttpServer, Serving, Stop, Token, serve_stdio};

use crate::arguments::{ServeAct, ServeArgs};
use crate::error::CliError;
use crate::output::{notify, print_line, print_text};
use crate::settings::{library_dir, on_stop, open, ranking, source, without_hook};

/// Serves agents until they are done or the user stops it, or changes an agent's config.
pub fn run(library: Option<PathBuf>, arguments: &ServeArgs) -> Result<(), CliError> {
    match &arguments.act {
        None => serve(library, arguments),
        Some(ServeAct::Install(arguments)) => install::install(library, arguments),
        Some(ServeAct::Uninstall { agent }) => install::uninstall(agent),
        Some(ServeAct::Token { new, agent }) => token(library, *new, agent.as_deref()),
    }
}

fn serve(library: Option<PathBuf>, arguments: &ServeArgs) -> Result<(), CliError> {
    let dir = library_dir(library)?;
    if let Some(address) = arguments.http {
        check(address, arguments)?;
    }
    let given = ranking(&arguments.ranking)?;
    let stop = Stop::default();
    let stopping = stop.clone();
    on_stop(move || stopping.stop())?;
    // It is served until the process ends.
    let library = Box::leak(Box::new(open(Some(dir.clone()))?));
    let ranking = served_ranking(library, given, arguments)?;
    if let Some(agent) = &arguments.agent {
        part_of_agent(library, agent)?;
    }
    let rankings_of = rankings_of(library, arguments)?;
    // A unit whose command is refused would start again and again.
    if arguments.systemd {
        return print_unit();
    }
    let serving = Serving {
        library,
        ranking,
        rankings_of,
        agent: arguments.agent.clone(),
        member: arguments.member.clone(),
    };
    match arguments.http {
        None => Ok(serve_stdio(serving, &stop)?),
        Some(address) => {
            let server = listen(&dir, address)?;
            // It is closed after the server has ended.
            let _watcher = arguments.watch.then(|| watcher(&dir)).transpose()?;
            print_text(format!("serving MCP at {}", server.url()))?;
            if serving.reranks() {
                notify(format_args!(
                    "other programs can rerank by POST {}",
                    server.rerank_url()
                ));
            }
            notify(
                "clients need the token that `memlens serve token` prints; Ctrl+C stops the server",
            );
            Ok(server.serve(serving, &stop)?)
        }
    }
}

/// The ranking to serve: that of the saved preset, if one is named, with the settings applied.
fn served_ranking(
    library: &Library,
    given: Ranking,
    arguments: &ServeArgs,
) -> Result<Ranking, CliError> {
    let Some(name) = &arguments.saved_preset else {
        let mut ranking = given;
        keep_hook_off(&mut ranking, arguments)?;
        return Ok(ranking);
    };
    saved(library, name, arguments)
}

/// The rankings of clients with the token of an agent.
fn rankings_of(
    library: &Library,
    arguments: &ServeArgs,
) -> Result<BTreeMap<&'static str, Ranking>, CliError> {
    let mut rankings = BTreeMap::new();
    for (agent, name) in &arguments.preset_of {
        let agent = known_agent(agent)?;
        let ranking = saved(library, name, arguments)?;
        if rankings.insert(agent.id, ranking).is_some() {
            return Err(CliError::TwoPresets { agent: agent.id });
        }
    }
    Ok(rankings)
}

/// The ranking of a saved preset with the settings applied.
fn saved(library: &Library, name: &str, arguments: &ServeArgs) -> Result<Ranking, CliError> {
    let mut ranking = saved_ranking(library, name)?;
    let settings = arguments.ranking.settings.settings.iter();
    ranking.values.assign_all(settings.map(String::as_str))?;
    keep_hook_off(&mut ranking, arguments)?;
    Ok(ranking)
}

/// Switches the user's command off unless an argument names it.
fn keep_hook_off(ranking: &mut Ranking, arguments: &ServeArgs) -> Result<(), CliError> {
    let mut settings = arguments.ranking.settings.settings.iter();
    let names_hook = settings.any(|setting| {
        setting
            .split_once('=')
            .is_some_and(|(id, _)| id.trim() == "hook")
    });
    if names_hook {
        return Ok(());
    }
    without_hook(ranking)
}

/// Checks that the user wants this address.
fn check(address: SocketAddr, arguments: &ServeArgs) -> Result<(), CliError> {
    if !address.ip().is_loopback() && !arguments.allow_network {
        return Err(CliError::NotThisMachine { address });
    }
    if arguments.systemd && address.port() == 0 {
        return Err(CliError::NoPort);
    }
    Ok(())
}

/// Prints the unit that runs this command.
fn print_unit() -> Result<(), CliError> {
    let failed = |attempt| {
        move |source| CliError::File {
            attempt,
            path: PathBuf::from("memlens"),
            source,
        }
    };
    let program = std::env::current_exe().map_err(failed("find"))?;
    let folder = std::env::current_dir().map_err(failed("find the folder of"))?;
    let unit = unit::unit(&lasting(program), std::env::args_os().skip(1), &folder)?;
    print_line(unit.trim_end())
}

/// Indexes notes that change, unless another process does.
fn watcher(dir: &Path) -> Result<Engine, CliError> {
    let engine = Engine::open_to_watch(
        dir,
        source(dir),
        Watching::default(),
        Home::of_process(),
        Arc::new(|event| match event {
            // The server's own copy of the library follows by itself.
            Event::State(_) | Event::Activity(_) | Event::Job(_) | Event::Lost(_) => {}
        }),
    )?;
    if let Some(why) = engine.state().read_only {
        notify(format_args!(
            "{why}; this server only reads until that process ends, and then indexes itself"
        ));
    }
    Ok(engine)
}

/// Takes the address for the server.
fn listen(dir: &Path, address: SocketAddr) -> Result<HttpServer, CliError> {
    let token = Token::of_library(dir).map_err(memlens_serve::ServeError::from)?;
    let server = HttpServer::bind(address, token)?;
    if !address.ip().is_loopback() {
        notify(format_args!(
            "other machines can reach {address}; the token and all texts cross the network in the clear"
        ));
    }
    Ok(server)
}

/// Prints the token of the library, or that of an agent.
fn token(library: Option<PathBuf>, is_new: bool, agent: Option<&str>) -> Result<(), CliError> {
    let dir = library_dir(library)?;
    let agent = agent.map(known_agent).transpose()?;
    let folders = folders_of_library(&dir)?;
    let token = if is_new {
        Token::replace(&dir)
    } else {
        Token::of_library(&dir)
    };
    let token = token.map_err(memlens_serve::ServeError::from)?;
    if is_new {
        notify("a server that runs accepts the old token until it is started again");
    }
    let Some(agent) = agent else {
        return print_line(token.text());
    };
    let mut of_agents = folders.iter().filter_map(|folder| folder.agent.as_deref());
    if !of_agents.any(|id| id == agent.id) {
        notify(format_args!(
            "no watched folder belongs to {}, so a client with this token gets no notes; `memlens agents add {}` watches its folders",
            agent.name, agent.id
        ));
    }
    print_line(token.of_agent(agent.id).text())
}
