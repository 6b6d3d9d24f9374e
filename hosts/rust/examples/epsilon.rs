use gdp_kernel::{Error, Gdp};
use serde_json::json;

fn main() -> Result<(), Error> {
    let mut gdp = Gdp::open(&std::fs::read("gdp.wasm")?)?;
    let epsilon = gdp.epsilon(&json!({"history": [[1.1, 0.01, 1000]]}), 1e-5)?;
    println!("{} {}", epsilon.lower, epsilon.upper);
    if let Err(refused) = gdp.epsilon(&json!({"history": [[1.1, 2, 1000]]}), 1e-5) {
        println!("{refused}");
    }
    Ok(())
}
