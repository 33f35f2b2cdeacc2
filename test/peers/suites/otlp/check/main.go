// Reads OTLP JSON lines with the parser of the OpenTelemetry collector, which Jaeger's receiver uses, too. Prints the
// number of spans; exits with 1 for what it can't read.
package main

import (
	"bufio"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	spans := 0
	for number := 1; lines.Scan(); number++ {
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(lines.Bytes())
		if err != nil {
			fail(number, err.Error())
		}
		for _, resource := range traces.ResourceSpans().All() {
			if _, named := resource.Resource().Attributes().Get("service.name"); !named {
				fail(number, "a resource without service.name")
			}
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					check(number, span)
					spans++
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		fail(0, err.Error())
	}
	fmt.Println(spans)
}

func check(number int, span ptrace.Span) {
	switch {
	case span.TraceID().IsEmpty() || span.SpanID().IsEmpty():
		fail(number, span.Name()+": no id")
	case span.Name() == "":
		fail(number, "a span without a name")
	case span.StartTimestamp() == 0 || span.EndTimestamp() < span.StartTimestamp():
		fail(number, span.Name()+": it ends before it starts")
	}
}

func fail(line int, why string) {
	fmt.Fprintf(os.Stderr, "line %d: %s\n", line, why)
	os.Exit(1)
}
