package mockri

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// AddPod makes a pod with its containers in given states, as a client would, and returns it. Fault rules do not act on it.
// It fails the test if the runtime refuses it.
func (s *Server) AddPod(pod Pod) Sandbox {
	s.t.Helper()
	var added struct {
		Pod Sandbox `json:"pod"`
	}
	s.ask(http.MethodPost, "/v1/pods", pod, &added)
	return added.Pod
}

// Plugins returns the node resource plugins that are connected, in the order in which they get requests. The server must
// run with [Plugins], as for the other functions about plugins.
func (s *Server) Plugins() []Plugin {
	s.t.Helper()
	return s.plugins(nil).Plugins
}

// WaitForPlugin returns the plugin of a name such as "10-logger" once it is connected and synchronized. It fails the test
// if it is not within the timeout, and names those that are.
func (s *Server) WaitForPlugin(name string, timeout time.Duration) Plugin {
	s.t.Helper()
	query := url.Values{"plugin": {name}, "wait": {fmt.Sprintf("%dms", timeout.Milliseconds())}}
	found := s.plugins(query).Plugins
	names := make([]string, 0, len(found))
	for _, plugin := range found {
		if plugin.Index+"-"+plugin.Name == name {
			return plugin
		}
		names = append(names, plugin.Index+"-"+plugin.Name)
	}
	s.t.Fatalf("mockri: no plugin %s within %v; connected: %s. Does it connect to %s?", name, timeout, either(names), s.NRI)
	return Plugin{}
}

// Adjusted returns what plugins and CDI devices have made of the newest container with this name, or nil if they have changed
// nothing.
func (s *Server) Adjusted(container string) *Adjusted {
	s.t.Helper()
	var newest *Adjusted
	for _, adjusted := range s.plugins(nil).Adjusted {
		if adjusted.Name == container {
			newest = &adjusted
		}
	}
	return newest
}

type pluginState struct {
	Plugins  []Plugin   `json:"plugins"`
	Adjusted []Adjusted `json:"adjusted"`
}

func (s *Server) plugins(query url.Values) pluginState {
	s.t.Helper()
	var state pluginState
	s.ask(http.MethodGet, "/v1/plugins?"+query.Encode(), nil, &state)
	return state
}

func either(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
