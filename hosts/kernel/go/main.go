// kernel.wasm in Go, by wazero: ε of a run of two phases of DP-SGD, and a rate that is refused.
package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

//go:embed kernel.wasm
var wasm []byte

// phase is so many steps with that noise on samples of that rate.
type phase struct{ noise, rate, steps float64 }

// epsilon brackets ε at δ. How it ends is a number of docs/host-kernel.md: 0 with an answer, 3 where a number is none of a run.
func epsilon(ctx context.Context, kernel api.Module, run []phase, delta float64) (lower, upper float64, end int, err error) {
	room, err := kernel.ExportedFunction("gdp_run").Call(ctx, uint64(len(run)))
	if err != nil || room[0] == 0 {
		return 0, 0, 1, err
	}
	at, memory := uint32(room[0]), kernel.Memory()
	for i, each := range run {
		for k, number := range []float64{each.noise, each.rate, each.steps} {
			memory.WriteFloat64Le(at+uint32(64+24*i+8*k), number)
		}
	}
	ended, err := kernel.ExportedFunction("gdp_run_epsilon").Call(ctx, api.EncodeF64(delta), api.EncodeF64(1e-6), api.EncodeF64(1e9))
	if err != nil {
		return 0, 0, 1, err
	}
	lower, _ = memory.ReadFloat64Le(at)
	upper, _ = memory.ReadFloat64Le(at + 8)
	return lower, upper, int(api.DecodeF64(ended[0])), nil
}

func main() {
	ctx := context.Background()
	kernel, err := wazero.NewRuntime(ctx).Instantiate(ctx, wasm)
	if err != nil {
		panic(err)
	}
	run := []phase{{1.1, 0.01, 1000}, {1.3, 0.02, 500}}
	if lower, upper, end, err := epsilon(ctx, kernel, run, 1e-5); err == nil && end == 0 {
		fmt.Printf("epsilon is in [%.17g, %.17g]\n", lower, upper)
	}
	run[1].rate = 2
	if _, _, end, _ := epsilon(ctx, kernel, run, 1e-5); end == 3 {
		fmt.Println("a rate of 2 is refused")
	}
}
