// Programs of the Go implementation for the NRI peer:
//
//	nri-peer record SOCKET INDEX NAME    a plugin that prints each request, and adjusts as annotations say
//	nri-peer serve SOCKET                a ttrpc server
//	nri-peer call SOCKET                 calls a ttrpc server, and checks its answers
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 3 {
		fail(fmt.Errorf("expected record, serve or call, and a socket"))
	}
	ctx, socket := context.Background(), os.Args[2]
	switch os.Args[1] {
	case "record":
		fail(record(ctx, socket, os.Args[3], os.Args[4]))
	case "serve":
		fail(serve(ctx, socket))
	case "call":
		fail(call(ctx, socket))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
