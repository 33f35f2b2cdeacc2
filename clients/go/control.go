package mockri

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mockri.dev/clients/go/internal/api"
)

// Fault adds rules in the shorthand, such as "StartContainer=2*error(UNAVAILABLE)", and returns the first. It fails the
// test if the shorthand is wrong.
func (s *Server) Fault(shorthand string) *Rule {
	s.t.Helper()
	return s.AddFault(Fault{"shorthand": shorthand})
}

// AddFault adds a rule in the file format, and returns it. It fails the test if the rule is wrong.
func (s *Server) AddFault(rule Fault) *Rule {
	s.t.Helper()
	var added struct {
		Faults []Rule   `json:"faults"`
		Notes  []string `json:"notes"`
	}
	s.ask(http.MethodPost, "/v1/faults", rule, &added)
	if len(added.Faults) == 0 {
		s.t.Fatalf("mockri: %v made no rule", rule)
	}
	added.Faults[0].server = s
	return &added.Faults[0]
}

// Faults returns the rules in force, in order, and what they have done.
func (s *Server) Faults() []Rule {
	s.t.Helper()
	var list struct {
		Faults []Rule `json:"faults"`
	}
	s.ask(http.MethodGet, "/v1/faults", nil, &list)
	return list.Faults
}

// Reset removes all rules.
func (s *Server) Reset() {
	s.t.Helper()
	s.ask(http.MethodPost, "/v1/reset", nil, nil)
}

// Now returns the rule with what it has done by now.
func (r *Rule) Now() Rule {
	r.server.t.Helper()
	var rule Rule
	r.server.ask(http.MethodGet, "/v1/faults/"+url.PathEscape(r.Name), nil, &rule)
	return rule
}

// Remove removes the rule. Calls that it delays continue.
func (r *Rule) Remove() {
	r.server.t.Helper()
	r.server.ask(http.MethodDelete, "/v1/faults/"+url.PathEscape(r.Name), nil, nil)
}

// Calls returns the finished calls that fit, oldest first.
func (s *Server) Calls(filter CallFilter) []Call {
	s.t.Helper()
	return s.calls(filter, 0)
}

// WaitForCall returns the first finished call that fits, and waits for it. It fails the test if there is none within
// the filter's Timeout, and lists the last calls that did come.
func (s *Server) WaitForCall(filter CallFilter) Call {
	s.t.Helper()
	timeout := filter.Timeout
	if timeout == 0 {
		timeout = 10 * time.Second
	}
	calls := s.calls(filter, timeout)
	if len(calls) == 0 {
		s.t.Fatalf("mockri: no call that fits %+v within %v; %s", filter, timeout, lastCalls(s.calls(CallFilter{}, 0)))
	}
	return calls[0]
}

func (s *Server) calls(filter CallFilter, wait time.Duration) []Call {
	s.t.Helper()
	query := url.Values{}
	for name, value := range map[string]string{
		"method": filter.Method, "code": filter.Code, "pod": filter.Pod, "container": filter.Container,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if filter.Since > 0 {
		query.Set("since", strconv.Itoa(filter.Since))
	}
	if filter.Faulty != nil {
		query.Set("faulty", strconv.FormatBool(*filter.Faulty))
	}
	query.Set("limit", "10000")
	if wait > 0 {
		query.Set("wait", fmt.Sprintf("%dms", wait.Milliseconds()))
	}
	var list struct {
		Calls []Call `json:"calls"`
	}
	s.ask(http.MethodGet, "/v1/calls?"+query.Encode(), nil, &list)
	return list.Calls
}

// mostListed is how many calls an error lists.
const mostListed = 10

// lastCalls says what came instead, for an error.
func lastCalls(calls []Call) string {
	if len(calls) == 0 {
		return "no call has ended yet"
	}
	lines := []string{"the last calls:"}
	for _, call := range calls[max(0, len(calls)-mostListed):] {
		line := fmt.Sprintf("  %d %s %s", call.Sequence, call.Method, call.Code)
		if pod := call.Subject.Pod; pod != nil {
			line += fmt.Sprintf(" %s/%s", pod.Namespace, pod.Name)
		}
		if container := call.Subject.Container; container != nil {
			line += " " + container.Name
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// State returns the sandboxes and containers as the runtime knows them.
func (s *Server) State() State {
	s.t.Helper()
	var state State
	s.ask(http.MethodGet, "/v1/state", nil, &state)
	return state
}

// Exit ends a container as if it ended by itself. The id may be the beginning of one.
func (s *Server) Exit(containerID string, exitCode int) {
	s.t.Helper()
	s.ask(http.MethodPost, "/v1/containers/"+url.PathEscape(containerID)+"/exit", map[string]int{"exitCode": exitCode}, nil)
}

// OOM ends a container as the kernel does when the container's memory is used up.
func (s *Server) OOM(containerID string) {
	s.t.Helper()
	body := map[string]any{"exitCode": 137, "reason": "OOMKilled"}
	s.ask(http.MethodPost, "/v1/containers/"+url.PathEscape(containerID)+"/exit", body, nil)
}

// Findings returns what the client did wrong, oldest first. The server must run with Args("--referee", "warn").
func (s *Server) Findings() []Finding {
	s.t.Helper()
	var referee struct {
		Findings []Finding `json:"findings"`
	}
	s.ask(http.MethodGet, "/v1/referee", nil, &referee)
	return referee.Findings
}

// ask sends a request to the control API, and fails the test if it is refused.
func (s *Server) ask(method, path string, body, reply any) {
	s.t.Helper()
	if err := s.send(method, path, body, reply); err != nil {
		s.t.Fatalf("mockri: %s %s: %v", method, path, err)
	}
}

func (s *Server) send(method, path string, body, reply any) error {
	return api.Send(context.Background(), http.DefaultClient, method, s.Control+path, body, reply)
}
