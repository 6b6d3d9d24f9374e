// Package gdp is certified differential-privacy accounting in pure Go, by gdp.wasm and wazero:
// g.Epsilon(ctx, gdp.Run{"history": …}, 1e-5).
package gdp

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

//go:embed gdp.wasm
var wasm []byte

// Run is a run in any form that gdp reads, or the options of a command as it names them.
type Run = map[string]any

// Bracket is two numbers between which the exact one lies.
type Bracket struct{ Lower, Upper float64 }

// UnmarshalJSON reads a bracket of an answer, in which infinity is a text.
func (b *Bracket) UnmarshalJSON(text []byte) error {
	var ends struct{ Lower, Upper any }
	err := json.Unmarshal(text, &ends)
	var failed [2]error
	b.Lower, failed[0] = strconv.ParseFloat(fmt.Sprint(ends.Lower), 64)
	b.Upper, failed[1] = strconv.ParseFloat(fmt.Sprint(ends.Upper), 64)
	return errors.Join(err, failed[0], failed[1])
}

// Refused says in a sentence why a question has no answer.
type Refused struct {
	Code    int
	Message string
}

func (r *Refused) Error() string { return r.Message }

// Gdp is an accountant. Any goroutine may ask; one is answered at a time.
type Gdp struct {
	lock   sync.Mutex
	module api.Module
	handle uint64
}

// Open compiles the module; config.WithCompilationCache keeps that for the next process. A context that ends stops a
// question, and the Gdp with it, if the config has WithCloseOnContextDone(true).
func Open(ctx context.Context, config wazero.RuntimeConfig) (*Gdp, error) {
	start := wazero.NewModuleConfig().WithStartFunctions("_initialize")
	module, err := wazero.NewRuntimeWithConfig(ctx, config).InstantiateWithConfig(ctx, wasm, start)
	if err != nil {
		return nil, err
	}
	g := &Gdp{module: module}
	g.handle, err = g.call(ctx, "gdp_open")
	return g, err
}

func (g *Gdp) call(ctx context.Context, name string, args ...uint64) (uint64, error) {
	out, err := g.module.ExportedFunction(name).Call(ctx, args...)
	return append(out, 0)[0], err
}

// AskText answers one request of the protocol of gdp serve.
func (g *Gdp) AskText(ctx context.Context, request []byte) ([]byte, error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	at, err := g.call(ctx, "gdp_alloc", uint64(len(request)+1))
	if err != nil {
		return nil, err
	}
	g.module.Memory().Write(uint32(at), append(append([]byte{}, request...), 0))
	said, err := g.call(ctx, "gdp_ask", g.handle, at)
	if err != nil {
		return nil, err
	}
	defer g.call(ctx, "gdp_free", said)
	defer g.call(ctx, "gdp_free", at)
	length, err := g.call(ctx, "gdp_length", said)
	text, _ := g.module.Memory().Read(uint32(said), uint32(length))
	return append([]byte{}, text...), err
}

// Ask puts any command of gdp and reads its answer into `into`. What is refused is a *Refused.
func (g *Gdp) Ask(ctx context.Context, method string, params Run, into any) error {
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	said, err := g.AskText(ctx, request)
	if err != nil {
		return err
	}
	var response struct {
		Error  *Refused
		Result struct{ Answer json.RawMessage }
	}
	if err := json.Unmarshal(said, &response); err != nil {
		return err
	}
	if response.Error != nil {
		return response.Error
	}
	return json.Unmarshal(response.Result.Answer, into)
}

// Epsilon brackets ε of a run at δ.
func (g *Gdp) Epsilon(ctx context.Context, run Run, delta float64) (Bracket, error) {
	var answer struct{ Epsilon Bracket }
	err := g.Ask(ctx, "epsilon", Run{"input": run, "delta": delta}, &answer)
	return answer.Epsilon, err
}

// Delta brackets δ of a run at ε.
func (g *Gdp) Delta(ctx context.Context, run Run, epsilon float64) (Bracket, error) {
	var answer struct{ Delta Bracket }
	err := g.Ask(ctx, "delta", Run{"input": run, "epsilon": epsilon}, &answer)
	return answer.Delta, err
}
