//! Certified differential-privacy accounting by gdp.wasm and wasmtime:
//! `Gdp::open(&wasm)?.epsilon(&json!({"history": [[1.1, 0.01, 1000]]}), 1e-5)`.

use serde_json::{Value, json};
use wasmtime::{Engine, Instance, Memory, Module, Store, TypedFunc};

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Two numbers between which the exact one lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    pub lower: f64,
    pub upper: f64,
}

/// A question that was refused: why, in a sentence.
#[derive(Debug)]
pub struct Refused {
    pub code: i64,
    pub message: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refused {}

/// An accountant. It answers one question at a time; threads that are to work side by side open one each.
pub struct Gdp {
    store: Store<()>,
    memory: Memory,
    handle: i32,
    ask: TypedFunc<(i32, i32), i32>,
    alloc: TypedFunc<i32, i32>,
    length: TypedFunc<i32, i32>,
    free: TypedFunc<i32, ()>,
}

impl Gdp {
    /// Compiles gdp.wasm, which takes seconds, and opens it.
    pub fn open(wasm: &[u8]) -> Result<Self, Error> {
        let engine = Engine::default();
        let module = Module::new(&engine, wasm)?;
        Self::of(&engine, &module)
    }

    /// Opens a module that was compiled or deserialised before, in milliseconds.
    pub fn of(engine: &Engine, module: &Module) -> Result<Self, Error> {
        let mut store = Store::new(engine, ());
        let it = Instance::new(&mut store, module, &[])?;
        it.get_typed_func::<(), ()>(&mut store, "_initialize")?.call(&mut store, ())?;
        let handle = it.get_typed_func::<(), i32>(&mut store, "gdp_open")?.call(&mut store, ())?;
        Ok(Gdp {
            handle,
            memory: it.get_memory(&mut store, "memory").ok_or("gdp.wasm has no memory")?,
            ask: it.get_typed_func(&mut store, "gdp_ask")?,
            alloc: it.get_typed_func(&mut store, "gdp_alloc")?,
            length: it.get_typed_func(&mut store, "gdp_length")?,
            free: it.get_typed_func(&mut store, "gdp_free")?,
            store,
        })
    }

    /// One request of the protocol of `gdp serve` as text, its response as text.
    pub fn ask_text(&mut self, request: &str) -> Result<String, Error> {
        let store = &mut self.store;
        let bytes = [request.as_bytes(), b"\0"].concat();
        let at = self.alloc.call(&mut *store, i32::try_from(bytes.len())?)?;
        self.memory.write(&mut *store, at as u32 as usize, &bytes)?;
        let said = self.ask.call(&mut *store, (self.handle, at))?;
        self.free.call(&mut *store, at)?;
        let (from, length) = (said as u32 as usize, self.length.call(&mut *store, said)? as u32 as usize);
        let text = String::from_utf8(self.memory.data(&*store)[from..from + length].to_vec())?;
        self.free.call(&mut *store, said)?;
        Ok(text)
    }

    /// The answer of any command of `gdp`, with its options as it names them.
    pub fn ask(&mut self, method: &str, params: Value) -> Result<Value, Error> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut response: Value = serde_json::from_str(&self.ask_text(&request.to_string())?)?;
        if let Some(error) = response.get("error") {
            let message = error["message"].as_str().unwrap_or_default().to_owned();
            return Err(Box::new(Refused { code: error["code"].as_i64().unwrap_or(0), message }));
        }
        let result = &mut response["result"];
        Ok(if result.get("answer").is_some() { result["answer"].take() } else { result["text"].take() })
    }

    /// ε of a run, in any form that `gdp` reads, at δ.
    pub fn epsilon(&mut self, run: &Value, delta: f64) -> Result<Bracket, Error> {
        let answer = self.ask("epsilon", json!({"input": run, "delta": delta}))?;
        Ok(bracket(&answer["epsilon"]))
    }

    /// δ of a run at ε.
    pub fn delta(&mut self, run: &Value, epsilon: f64) -> Result<Bracket, Error> {
        let answer = self.ask("delta", json!({"input": run, "epsilon": epsilon}))?;
        Ok(bracket(&answer["delta"]))
    }
}

fn bracket(of: &Value) -> Bracket {
    // JSON has no infinity: it comes as text
    let end = |name: &str| of[name].as_f64().unwrap_or(if of[name] == "Infinity" { f64::INFINITY } else { f64::NAN });
    Bracket { lower: end("lower"), upper: end("upper") }
}
