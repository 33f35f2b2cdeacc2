//go:build orphan

package testing

import (
	"fmt"
	"os"
	"testing"
	"time"

	mockri "mockri.dev/clients/go"
)

// TestEndsBadly ends as no test should: run.sh looks for what it leaves behind.
func TestEndsBadly(t *testing.T) {
	server := mockri.Start(t)
	fmt.Println("started", server.PID)
	if os.Getenv("END") == "panic" {
		go panic("the test panics")
	}
	time.Sleep(time.Hour)
}
