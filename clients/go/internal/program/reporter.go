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
	// Not a method of this type: the test takes its caller for the helper.
	r.TB.Helper()
	if ended := r.Process.Ended(); ended != "" {
		format, values = "mockri: %s", []any{ended}
	}
	r.TB.Fatalf(format, values...)
}

// NoTest stands for a test where there is none, as in TestMain.
type NoTest struct{ TB }

// Helper does nothing.
func (NoTest) Helper() {}

// Fatalf panics.
func (NoTest) Fatalf(format string, values ...any) { panic(fmt.Sprintf(format, values...)) }
