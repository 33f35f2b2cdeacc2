//go:build peers

package examples

import (
	"fmt"
	"os"
	"testing"
	"time"

	"mockri.dev/clients/go/envnode"
)

// TestEndsBadly ends as no test should; the peer looks for what it leaves behind.
func TestEndsBadly(t *testing.T) {
	end := os.Getenv("END")
	if end == "" {
		t.Skip("END says how")
	}
	node := envnode.Start(t, cfg, envnode.Names("other-{n}"))
	fmt.Println("started", node.PID)
	switch end {
	case "panic":
		go panic("the test panics")
	case "crash":
		process, _ := os.FindProcess(node.PID)
		_ = process.Kill()
		node.Fault("StartContainer=error")
	}
	time.Sleep(time.Hour)
}
