package criproxy

import (
	"errors"
	"regexp"
	"strings"
)

// lost is an error that the client gets although the work is done.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// Lost makes the runtime do the work of a call, and the client get the error, as when a reply is lost. It is for calls that are
// no streams.
func Lost(err error) error { return lost{err} }

// status is how an error of google.golang.org/grpc/status reads.
var status = regexp.MustCompile(`(?s)^rpc error: code = (\w+) desc = (.*)$`)

// outcome is what a rule does that ends something with an error.
func outcome(problem error, one held) map[string]any {
	code, message := codeOf(problem)
	if one.On == "message" {
		return map[string]any{"close": map[string]any{"code": code, "message": message}}
	}
	ending := map[string]any{"code": code, "message": message}
	if errors.As(problem, &lost{}) && !isStream(one.Method) {
		ending["effect"] = "after"
	}
	return map[string]any{"error": ending}
}

// isStream tells whether an RPC answers with a stream, which has no single reply to lose.
func isStream(method string) bool {
	return strings.HasPrefix(method, "Stream") || method == GetContainerEvents
}

// codeOf is the gRPC status of an error: an error without one is UNKNOWN, as a gRPC server has it.
func codeOf(problem error) (code, message string) {
	parts := status.FindStringSubmatch(problem.Error())
	if parts == nil || parts[1] == "OK" {
		return "UNKNOWN", problem.Error()
	}
	return constantName(parts[1]), parts[2]
}

// constantName makes DEADLINE_EXCEEDED of DeadlineExceeded. Go writes CANCELLED with one l.
func constantName(name string) string {
	if name == "Canceled" {
		return "CANCELLED"
	}
	return strings.ToUpper(words.ReplaceAllString(name, "${1}_$2"))
}

var words = regexp.MustCompile(`([a-z])([A-Z])`)
