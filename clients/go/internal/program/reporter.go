package program

import "fmt"

// TB is what the test kits use of a test: testing.TB and Ginkgo's GinkgoT() have it.
type TB interface {
	Helper()
	Fatalf(format string, values ...any)
	Logf(format string, values ...any)
	Failed() bool
	Cleanup(func())
}

// Reporter is a test whose failures name the program's end, if that is why it does not answer.
type Reporter struct {
	TB
	Process *Process
}

// Fatalf fails the test.
func (r Reporter) Fatalf(format string, values ...any) {
	r.Helper()
	if ended := r.Process.Ended(); ended != "" {
		format, values = "mockri: %s", []any{ended}
	}
	if r.TB == nil {
		panic(fmt.Sprintf(format, values...))
	}
	r.TB.Fatalf(format, values...)
}

// Helper marks the caller as one whose line does not matter.
func (r Reporter) Helper() {
	if r.TB != nil {
		r.TB.Helper()
	}
}
