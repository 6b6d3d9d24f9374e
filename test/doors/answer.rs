//! hosts/rust as a door (ask.py). It keeps what it compiled.
use gdp_kernel::{Error, Gdp};
use wasmtime::{Engine, Module};

fn main() -> Result<(), Error> {
    let (engine, kept) = (Engine::default(), std::path::Path::new("gdp.cwasm"));
    if !kept.exists() {
        std::fs::write(kept, Module::new(&engine, std::fs::read("gdp.wasm")?)?.serialize()?)?;
    }
    // SAFETY: this program wrote the file
    let mut gdp = Gdp::of(&engine, &unsafe { Module::deserialize_file(&engine, kept)? })?;
    for line in std::io::stdin().lines() {
        println!("{}", gdp.ask_text(&line?)?);
    }
    Ok(())
}
