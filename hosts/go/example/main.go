package main

import (
	"context"
	"fmt"

	"example.org/gdp"
	"github.com/tetratelabs/wazero"
)

func main() {
	ctx := context.Background()
	g, err := gdp.Open(ctx, wazero.NewRuntimeConfig())
	if err != nil {
		panic(err)
	}
	epsilon, err := g.Epsilon(ctx, gdp.Run{"history": [][]float64{{1.1, 0.01, 1000}}}, 1e-5)
	fmt.Println(epsilon.Lower, epsilon.Upper, err)
	_, err = g.Epsilon(ctx, gdp.Run{"history": [][]float64{{1.1, 2, 1000}}}, 1e-5)
	fmt.Println(err)
}
