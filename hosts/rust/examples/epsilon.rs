//! `cargo run --release --example epsilon gdp.wasm`. With a file of requests it answers each of its lines.
use gdp_kernel::{Error, Gdp};
use serde_json::json;

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().collect();
    let mut gdp = Gdp::open(&std::fs::read(&words[1])?)?;
    if let Some(path) = words.get(2) {
        for line in std::fs::read_to_string(path)?.lines() {
            println!("{}", gdp.ask_text(line)?);
        }
        return Ok(());
    }
    println!("{:?}", gdp.epsilon(&json!({"history": [[1.1, 0.01, 1000]]}), 1e-5)?);
    if let Err(refused) = gdp.epsilon(&json!({"history": [[1.1, 2, 1000]]}), 1e-5) {
        println!("{refused}");
    }
    Ok(())
}
