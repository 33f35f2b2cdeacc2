package criproxy

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

// Names of the two rules that hold what injectors look at.
const (
	callsRule    = "criproxy"
	messagesRule = "criproxy-messages"
)

// control is what the proxy asks of Mockri.
type control struct{ base string }

// held is something that a rule holds.
type held struct {
	ID      int    `json:"id"`
	Rule    string `json:"rule"`
	On      string `json:"on"`
	Method  string `json:"method"`
	Subject struct {
		Pod *struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"pod"`
		Container *struct {
			Name string `json:"name"`
		} `json:"container"`
	} `json:"subject"`
}

func (h held) call() Call {
	call := Call{Name: h.Method}
	if h.On == "message" {
		call.Name += "Send"
	}
	if pod := h.Subject.Pod; pod != nil {
		call.Namespace, call.Pod = pod.Namespace, pod.Name
	}
	if container := h.Subject.Container; container != nil {
		call.Container = container.Name
	}
	return call
}

// newControl takes host:port, as MOCKRI_CONTROL has it, or a URL.
func newControl(address string) *control {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	return &control{base: address}
}

// hold makes rules hold every call, and every message of the streams whose messages have names here.
func (c *control) hold() {
	rules := map[string]any{
		callsRule: map[string]any{"then": map[string]any{"hold": map[string]any{}}, "on": "call"},
		messagesRule: map[string]any{
			"match": map[string]any{"method": []string{StreamPodSandboxes, StreamContainers, StreamImages}},
			"then":  map[string]any{"hold": map[string]any{}}, "on": "message",
		},
	}
	for name, rule := range rules {
		if err := c.ask(context.Background(), http.MethodPut, "/v1/faults/"+name, rule, nil); err != nil {
			panic(fmt.Sprintf("mockri's criproxy: %v; is MOCKRI_CONTROL the control API of mockri serve?", err))
		}
	}
}

// release removes the rules. What they hold continues.
func (c *control) release() {
	for _, name := range []string{callsRule, messagesRule} {
		_ = c.ask(context.Background(), http.MethodDelete, "/v1/faults/"+name, nil, nil)
	}
}

// next returns what the rules hold after the id, and waits for it.
func (c *control) next(ctx context.Context, since int) ([]held, error) {
	var answer struct {
		Holds []held `json:"holds"`
	}
	query := url.Values{"since": {strconv.Itoa(since)}, "wait": {"1m"}}
	if err := c.ask(ctx, http.MethodGet, "/v1/holds?"+query.Encode(), nil, &answer); err != nil {
		return nil, err
	}
	return answer.Holds, nil
}

// decide lets something go: with an error, if there is one. It may be gone by then, with its client or its rule.
func (c *control) decide(ctx context.Context, one held, problem error) {
	body := map[string]any{}
	if problem != nil {
		body["then"] = outcome(problem, one)
	}
	_ = c.ask(ctx, http.MethodPost, "/v1/holds/"+strconv.Itoa(one.ID), body, nil)
}

// pause waits before Mockri is asked again: it may be about to restart.
func (c *control) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Millisecond):
	}
}

// client keeps enough connections for all that is decided at once.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

func (c *control) ask(ctx context.Context, method, path string, body, reply any) error {
	if err := api.Send(ctx, client, method, c.base+path, body, reply); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}
