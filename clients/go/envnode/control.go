package envnode

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	mockri "mockri.dev/clients/go"
	"mockri.dev/clients/go/internal/api"
)

// Fault adds fault rules on the calls of the kubelets, in the shorthand, and returns the first:
// "StartContainer=1*error(UNKNOWN:no space left on device)". It fails the test if the shorthand is wrong.
func (k *Kubelets) Fault(shorthand string) *mockri.Rule {
	k.t.Helper()
	return k.keep(k.server.Fault(shorthand))
}

// AddFault adds a fault rule in the file format, and returns it. It fails the test if the rule is wrong.
func (k *Kubelets) AddFault(rule mockri.Fault) *mockri.Rule {
	k.t.Helper()
	return k.keep(k.server.AddFault(rule))
}

func (k *Kubelets) keep(rule *mockri.Rule) *mockri.Rule {
	k.added.add("/v1/faults/" + url.PathEscape(rule.Name))
	return rule
}

// Reset removes all rules: fault rules, and what [Kubelets.Pods], [Kubelets.Container] and [Kubelets.Pull] have added.
func (k *Kubelets) Reset() {
	k.t.Helper()
	k.server.Reset()
	k.ask(http.MethodDelete, "/v1/behaviors", nil, nil)
}

// removeRules removes those of this view. One that is gone, or whose nodes are, is fine.
func (k *Kubelets) removeRules() {
	k.added.mutex.Lock()
	defer k.added.mutex.Unlock()
	for _, path := range k.added.paths {
		_ = api.Send(context.Background(), http.DefaultClient, http.MethodDelete, k.Control+path, nil, nil)
	}
}

// Calls returns the finished calls of the kubelets that fit, oldest first.
func (k *Kubelets) Calls(filter mockri.CallFilter) []mockri.Call {
	k.t.Helper()
	return k.server.Calls(filter)
}

// WaitForCall returns the first finished call that fits, and waits for it. It fails the test if there is none within the filter's
// Timeout, and lists the last calls that did come.
func (k *Kubelets) WaitForCall(filter mockri.CallFilter) mockri.Call {
	k.t.Helper()
	return k.server.WaitForCall(filter)
}

// Advance lets this time pass on the nodes at once: it returns when all probes, back-offs, exits and grace periods of it have
// happened. Leases, and the times that the API server shows, stay in real time.
func (k *Kubelets) Advance(duration time.Duration) {
	k.t.Helper()
	k.ask(http.MethodPost, "/v1/clock", map[string]string{"advance": duration.String()}, nil)
}

// Moment is what happened to a container, or an event of a pod as its kubelet recorded it.
type Moment struct {
	// Sequence counts from 1.
	Sequence int `json:"sequence"`
	// At is in nanoseconds since 1970, in the time of the nodes.
	At   int64  `json:"at,string"`
	Node string `json:"node"`
	// Kind is "container" or "event".
	Kind string `json:"kind"`
	// What happened to the container: "created", "started", "ended" or "removed".
	What string `json:"what"`
	// Pod and Container that it is about.
	Pod       *mockri.PodNames       `json:"pod"`
	Container *mockri.ContainerNames `json:"container"`
	// ExitCode of a container that ended.
	ExitCode int `json:"exitCode"`
	// Reason of an event, or of the end of a container.
	Reason string `json:"reason"`
	// Type of an event: "Normal" or "Warning".
	Type string `json:"type"`
	// Message of an event.
	Message string `json:"message"`
}

// HistoryFilter says which moments. What is left out fits all; names are patterns such as "db-*".
type HistoryFilter struct {
	Kind, What, Node, Namespace, Pod, Container, Reason string
	// Attempt of a container, or a later one: 1 is its first restart.
	Attempt int
	// Since fits only moments with a greater Sequence.
	Since int
	// Timeout is how long WaitForMoment waits. The default is 30 seconds, the maximum 10 minutes.
	Timeout time.Duration
}

// History returns what happened to containers, and the events of pods, oldest first.
func (k *Kubelets) History(filter HistoryFilter) []Moment {
	k.t.Helper()
	return k.history(filter, 0)
}

// WaitForMoment returns the first moment that fits, and waits for it. It fails the test after the filter's Timeout.
func (k *Kubelets) WaitForMoment(filter HistoryFilter) Moment {
	k.t.Helper()
	timeout := filter.Timeout
	if timeout == 0 {
		timeout = Patience
	}
	moments := k.history(filter, timeout)
	if len(moments) == 0 {
		k.t.Fatalf("envnode: nothing that fits %+v happened within %v", filter, timeout)
	}
	return moments[0]
}

func (k *Kubelets) history(filter HistoryFilter, wait time.Duration) []Moment {
	k.t.Helper()
	query := url.Values{}
	for name, value := range map[string]string{
		"kind": filter.Kind, "what": filter.What, "node": filter.Node, "namespace": filter.Namespace, "pod": filter.Pod,
		"container": filter.Container, "reason": filter.Reason,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, value := range map[string]int{"attempt": filter.Attempt, "since": filter.Since} {
		if value > 0 {
			query.Set(name, strconv.Itoa(value))
		}
	}
	if wait > 0 {
		query.Set("wait", fmt.Sprintf("%dms", wait.Milliseconds()))
	}
	var list struct {
		Entries []Moment `json:"entries"`
	}
	k.ask(http.MethodGet, "/v1/history?"+query.Encode(), nil, &list)
	return list.Entries
}

// ask sends a request to the control API, and fails the test if it is refused.
func (k *Kubelets) ask(method, path string, body, reply any) {
	k.t.Helper()
	if err := api.Send(context.Background(), http.DefaultClient, method, k.Control+path, body, reply); err != nil {
		k.t.Fatalf("envnode: %s %s: %v", method, path, err)
	}
}
