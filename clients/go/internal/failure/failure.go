// Package failure tells a test what another test says when it fails.
package failure

import (
	"fmt"
	"runtime"
	"testing"
)

// TB keeps what a failure says.
type TB struct {
	testing.TB
	text string
}

// Helper does nothing.
func (*TB) Helper() {}

// Fatalf ends the test, whose text it keeps.
func (t *TB) Fatalf(format string, values ...any) {
	t.text = fmt.Sprintf(format, values...)
	runtime.Goexit()
}

// Of is what a test says when it fails; empty if it passes.
func Of(t testing.TB, test func(*TB)) string {
	failed := &TB{TB: t}
	over := make(chan struct{})
	go func() {
		defer close(over)
		test(failed)
	}()
	<-over
	return failed.text
}
