package envnode

import (
	"strconv"
	"time"
)

// Option changes how the nodes are started.
type Option func(*settings)

type settings struct {
	command []string
	args    []string
	timeout time.Duration
	binds   bool
}

// Args adds flags of `mockri node`, such as "--capacity", "cpu=4,memory=8Gi".
func Args(args ...string) Option {
	return func(s *settings) { s.args = append(s.args, args...) }
}

// Nodes sets how many nodes there are; the default is one. They are called mock-0, mock-1, …
func Nodes(number int) Option { return Args("--nodes", strconv.Itoa(number)) }

// Names sets the names of the nodes, in which {n} is the number: "east-{n}". Suites that share an API server need different ones.
func Names(pattern string) Option { return Args("--name", pattern) }

// Labels sets the nodes' labels: "topology.kubernetes.io/zone=a,disk=ssd".
func Labels(labels string) Option { return Args("--labels", labels) }

// Taints sets the nodes' taints: "dedicated=db:NoSchedule".
func Taints(taints string) Option { return Args("--taints", taints) }

// Fast lets the time of the nodes pass N times as fast as real time: back-offs, probes, grace periods, behaviors of containers.
func Fast(times int) Option { return Args("--clock", "fast:"+strconv.Itoa(times)) }

// NoBinding leaves pods without a node to a scheduler of the test.
func NoBinding() Option {
	return func(s *settings) { s.binds = false }
}

// Collect does what controllers would do when a node or the owner of a pod goes: pods are deleted, and owners of pods whose own
// owners are gone. Other objects stay; Kubernetes' garbage-collector-controller deletes those too.
func Collect() Option { return Args("--collect") }

// Command sets the program and its first arguments, such as "npx", "mockri".
func Command(command ...string) Option {
	return func(s *settings) { s.command = command }
}

// StartTimeout sets how long it may take until all nodes are Ready. The default is 30 seconds.
func StartTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.timeout = timeout }
}
