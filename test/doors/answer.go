// hosts/go as a door (ask.py).
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"

	"example.org/gdp"
	"github.com/tetratelabs/wazero"
)

func main() {
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir("cache")
	if err != nil {
		panic(err)
	}
	g, err := gdp.Open(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))
	if err != nil {
		panic(err)
	}
	in := bufio.NewReader(os.Stdin)
	for line, err := in.ReadBytes('\n'); err == nil; line, err = in.ReadBytes('\n') {
		said, err := g.AskText(ctx, bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", said)
	}
}
