package mockri

import (
	"encoding/json"
	"time"
)

// CallFilter says which calls. What is left out fits all.
type CallFilter struct {
	// Method is the name of an RPC, such as "StartContainer".
	Method string
	// Code is the name of a gRPC status code, such as "UNAVAILABLE" or "OK".
	Code string
	// Pod and Container are a name, or the beginning of an id.
	Pod, Container string
	// Faulty: true for calls that a rule affected, false for the others.
	Faulty *bool
	// Since fits only calls with a greater Sequence.
	Since int
	// Timeout is how long WaitForCall waits. The default is 10 seconds, the maximum 10 minutes.
	Timeout time.Duration
}

// Call is a finished call.
type Call struct {
	// Sequence counts from 1, in order of completion.
	Sequence int     `json:"sequence"`
	Method   string  `json:"method"`
	Peer     string  `json:"peer"`
	Conn     int     `json:"connection"`
	Subject  Subject `json:"subject"`
	// Image is the one that PullImage names.
	Image   string `json:"image"`
	Code    string `json:"code"`
	Details string `json:"details"`
	// StartedAt is in nanoseconds since 1970.
	StartedAt int64 `json:"startedAt,string"`
	// Duration is in milliseconds.
	Duration float64 `json:"duration"`
	// Messages that were sent: 1 for an answered unary call.
	Messages int `json:"messages"`
	// Faults are the names of the rules that affected the call.
	Faults []string `json:"faults"`
	// Node is the name of a node of mockri node.
	Node string `json:"node"`
	// NewFields has values of fields that only the server's --proto knows, by path.
	NewFields map[string]any `json:"newFields"`
}

// Subject is the pod and container that a call is about.
type Subject struct {
	Pod       *PodNames       `json:"pod"`
	Container *ContainerNames `json:"container"`
}

// PodNames names a pod sandbox.
type PodNames struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// ContainerNames names a container.
type ContainerNames struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Attempt int    `json:"attempt"`
}

// Fault is a rule in the file format, or a part of one, as it stands in JSON.
type Fault map[string]any

// Rule is a fault rule and what it has done.
type Rule struct {
	Name string `json:"name"`
	// Source is "control", a file or a pod.
	Source string `json:"source"`
	// Spec is the rule as written.
	Spec json.RawMessage `json:"spec"`
	// Text is the rule in shorthand.
	Text string `json:"text"`
	// Seen counts what came by: calls, messages or connections.
	Seen int `json:"seen"`
	// Matched counts those that the rule's match fits.
	Matched int `json:"matched"`
	// Applied counts those on which the rule acted.
	Applied int `json:"applied"`
	// Shadowed counts those on which it would have acted without an earlier rule.
	Shadowed int `json:"shadowed"`
	// Left is how often it may still act; nil if without limit.
	Left *int `json:"left"`

	server *Server
}

// State is the runtime's state.
type State struct {
	Conditions []Condition `json:"conditions"`
	Counts     struct {
		Sandboxes  map[string]int `json:"sandboxes"`
		Containers map[string]int `json:"containers"`
	} `json:"counts"`
	Events struct {
		Published    int   `json:"published"`
		Dropped      int   `json:"dropped"`
		Disconnected int   `json:"disconnected"`
		Queues       []int `json:"queues"`
	} `json:"events"`
	Sandboxes []Sandbox `json:"sandboxes"`
}

// Container returns the newest container with this name, or nil.
func (s State) Container(name string) *Container {
	var newest *Container
	for _, sandbox := range s.Sandboxes {
		for _, container := range sandbox.Containers {
			if container.Name == name && (newest == nil || container.CreatedAt > newest.CreatedAt) {
				newest = &container
			}
		}
	}
	return newest
}

// Condition is RuntimeReady or NetworkReady.
type Condition struct {
	Type    string `json:"type"`
	Status  bool   `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Sandbox is a pod sandbox; its times are nanoseconds since 1970.
type Sandbox struct {
	ID             string            `json:"id"`
	Name           string            `json:"name"`
	Namespace      string            `json:"namespace"`
	UID            string            `json:"uid"`
	Attempt        int               `json:"attempt"`
	State          string            `json:"state"`
	RuntimeHandler string            `json:"runtimeHandler"`
	CreatedAt      int64             `json:"createdAt,string"`
	IPs            []string          `json:"ips"`
	Labels         map[string]string `json:"labels"`
	Containers     []Container       `json:"containers"`
	// NewFields has values of fields that only the server's --proto knows, by path.
	NewFields map[string]any `json:"newFields"`
}

// Container is a container of a sandbox; its times are nanoseconds since 1970, 0 for not yet.
type Container struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Attempt    int    `json:"attempt"`
	State      string `json:"state"`
	Image      string `json:"image"`
	CreatedAt  int64  `json:"createdAt,string"`
	StartedAt  int64  `json:"startedAt,string"`
	FinishedAt int64  `json:"finishedAt,string"`
	ExitCode   int    `json:"exitCode"`
	Reason     string `json:"reason"`
	// NewFields has values of fields that only the server's --proto knows, by path.
	NewFields map[string]any `json:"newFields"`
}

// Finding is something that the client did wrong.
type Finding struct {
	Sequence int    `json:"sequence"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
	Method   string `json:"method"`
	ID       string `json:"id"`
	Peer     string `json:"peer"`
	At       int64  `json:"at,string"`
}

// Pod is a pod that AddPod makes.
type Pod struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace,omitempty"`
	UID         string            `json:"uid,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Containers  []PodContainer    `json:"containers,omitempty"`
}

// PodContainer is a container of a pod that AddPod makes.
type PodContainer struct {
	Name        string            `json:"name"`
	Image       string            `json:"image,omitempty"`
	Command     []string          `json:"command,omitempty"`
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Resources   *Resources        `json:"resources,omitempty"`
	// State is "created", "running" (the default) or "exited".
	State string `json:"state,omitempty"`
	// ExitCode of one that has exited.
	ExitCode int `json:"exitCode,omitempty"`
}

// Resources are limits of a container; 0 and "" for none.
type Resources struct {
	CPUShares          int64  `json:"cpuShares,omitempty"`
	CPUQuota           int64  `json:"cpuQuota,omitempty"`
	CPUPeriod          int64  `json:"cpuPeriod,omitempty"`
	CpusetCpus         string `json:"cpusetCpus,omitempty"`
	MemoryLimitInBytes int64  `json:"memoryLimitInBytes,omitempty"`
}

// Plugin is a node resource plugin that is connected.
type Plugin struct {
	Index string `json:"index"`
	Name  string `json:"name"`
	// Events that it wants, such as "CreateContainer".
	Events []string `json:"events"`
}

// Adjusted is a container that plugins or CDI devices have changed.
type Adjusted struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	SandboxID string `json:"sandboxId"`
	// Owners says which plugin has set what: by field, or by entry of a field.
	Owners map[string]any `json:"owners"`
	// Spec is the OCI spec with all changes.
	Spec json.RawMessage `json:"spec"`
}
