package gdp

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
)

func open(t *testing.T) *Gdp {
	g, err := Open(context.Background(), wazero.NewRuntimeConfig())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestEpsilon(t *testing.T) {
	g, ctx := open(t), context.Background()
	want, err := g.Epsilon(ctx, Run{"history": [][]float64{{1.1, 0.01, 1000}}}, 1e-5)
	if err != nil || !(want.Lower < want.Upper && want.Upper-1.5153619166647 < 1e-9 && 1.5153619166647-want.Lower < 1e-9) {
		t.Fatal(want, err)
	}
	_, err = g.Epsilon(ctx, Run{"history": [][]float64{{1.1, 2, 1000}}}, 1e-5)
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "rate") {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got, err := g.Epsilon(ctx, Run{"history": [][]float64{{1.1, 0.01, 1000}}}, 1e-5); got != want || err != nil {
				t.Error(got, err)
			}
		})
	}
	all.Wait()
}

func TestInfinity(t *testing.T) {
	found, err := open(t).Epsilon(context.Background(), Run{"kind": "gaussian", "noiseMultiplier": 0}, 1e-5)
	if err != nil || !math.IsInf(found.Upper, 1) {
		t.Fatal(found, err)
	}
}
