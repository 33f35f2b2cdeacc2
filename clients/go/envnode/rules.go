package envnode

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Selector says which containers a rule is for. Several must all fit. Names are patterns such as "db-*".
type Selector func(match fields)

// Label selects pods by labels: "app=db,tier=back".
func Label(labels string) Selector {
	pairs := fields{}
	for _, pair := range strings.Split(labels, ",") {
		name, value, _ := strings.Cut(pair, "=")
		pairs[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return within("pod", "labels", pairs)
}

// Owner selects pods by their owner, "Kind/name": "StatefulSet/db". A Deployment owns the pods of its ReplicaSets.
func Owner(owner string) Selector { return within("pod", "owner", owner) }

// Name selects pods by name.
func Name(pod string) Selector { return within("pod", "name", pod) }

// Namespace selects pods by namespace.
func Namespace(namespace string) Selector { return within("pod", "namespace", namespace) }

// Container selects containers by name.
func Container(container string) Selector { return within("container", "name", container) }

// Image selects containers by image.
func Image(image string) Selector { return within("container", "image", image) }

// Node selects what runs on nodes of this name.
func Node(node string) Selector { return func(match fields) { match["node"] = node } }

func within(part, field string, value any) Selector {
	return func(match fields) {
		inner, isThere := match[part].(fields)
		if !isThere {
			inner = fields{}
			match[part] = inner
		}
		inner[field] = value
	}
}

// Containers are those that a rule is for: that run now, and that come later. The newest rule that fits a container counts, and
// counts more than annotations of its pod.
type Containers struct {
	kubelets *Kubelets
	match    fields
}

// Rule is a rule in force.
type Rule struct {
	Name string `json:"name"`
	// Applied counts the runs of containers, probes, hooks and pulls that it has decided.
	Applied int `json:"applied"`

	kubelets *Kubelets
}

// Pods selects containers of the pods that all selectors fit; without any, all containers.
func (k *Kubelets) Pods(selectors ...Selector) *Containers {
	match := fields{}
	for _, selector := range selectors {
		selector(match)
	}
	return &Containers{kubelets: k, match: match}
}

// Container selects one container of the pod "namespace/name".
func (k *Kubelets) Container(pod, container string) *Containers {
	k.t.Helper()
	namespace, name := k.split(pod)
	return k.Pods(Namespace(namespace), Name(name), Container(container))
}

// Behave lets the containers do what a behavior says, such as "exit=1;run": docs/containers.md has all.
func (c *Containers) Behave(behavior string) *Rule {
	c.kubelets.t.Helper()
	return c.rule(fields{"behavior": behavior})
}

// ExitAfter ends each run after this time, with this code: a crash loop, or the end of a pod that is not restarted.
func (c *Containers) ExitAfter(after time.Duration, code int) *Rule {
	c.kubelets.t.Helper()
	return c.Behave(fmt.Sprintf("exit=%d,after=%v", code, after))
}

// Exit ends each container once, now or with its start.
func (c *Containers) Exit(code int) *Rule {
	c.kubelets.t.Helper()
	return c.rule(fields{"behavior": fmt.Sprintf("exit=%d", code), "times": 1})
}

// OOMKill ends each container once, now or with its start, as the kernel does when its memory is used up.
func (c *Containers) OOMKill() *Rule {
	c.kubelets.t.Helper()
	return c.rule(fields{"behavior": "oom", "times": 1})
}

// NeverReady lets readiness probes fail. A container without one is not ready either.
func (c *Containers) NeverReady() *Rule {
	c.kubelets.t.Helper()
	return c.rule(fields{"probes": fields{"readiness": "fail"}})
}

// Unhealthy lets liveness probes fail, so that the kubelet restarts the container.
func (c *Containers) Unhealthy() *Rule {
	c.kubelets.t.Helper()
	return c.rule(fields{"probes": fields{"liveness": "fail"}})
}

// NeverStarted lets startup probes fail.
func (c *Containers) NeverStarted() *Rule {
	c.kubelets.t.Helper()
	return c.rule(fields{"probes": fields{"startup": "fail"}})
}

// FailStart lets the runtime refuse each start, with this text.
func (c *Containers) FailStart(message string) *Rule {
	c.kubelets.t.Helper()
	return c.Behave("start-fails=" + message)
}

// FailHook lets the hook "postStart" or "preStop" fail.
func (c *Containers) FailHook(hook string) *Rule {
	c.kubelets.t.Helper()
	return c.rule(fields{"hooks": fields{hook: "fail"}})
}

// IgnoreTerm lets a stop take the whole grace period, from the next start on.
func (c *Containers) IgnoreTerm() *Rule {
	c.kubelets.t.Helper()
	return c.Behave("ignore=TERM")
}

func (c *Containers) rule(what fields) *Rule {
	k := c.kubelets
	k.t.Helper()
	what["match"] = c.match
	rule := &Rule{kubelets: k}
	k.ask(http.MethodPost, "/v1/behaviors", what, rule)
	k.added.add("/v1/behaviors/" + url.PathEscape(rule.Name))
	return rule
}

// Now returns the rule with what it has done by now.
func (r *Rule) Now() Rule {
	r.kubelets.t.Helper()
	now := Rule{kubelets: r.kubelets}
	r.kubelets.ask(http.MethodGet, "/v1/behaviors/"+url.PathEscape(r.Name), nil, &now)
	return now
}

// Remove ends the rule: containers continue as without it.
func (r *Rule) Remove() {
	r.kubelets.t.Helper()
	r.kubelets.ask(http.MethodDelete, "/v1/behaviors/"+url.PathEscape(r.Name), nil, nil)
}

// Images are those whose pulls a rule is for.
type Images struct{ containers *Containers }

// Pull selects pulls by image: "registry.example/*".
func (k *Kubelets) Pull(image string) *Images { return &Images{k.Pods(Image(image))} }

// Fail lets pulls fail as a registry does: "unavailable", "absent", "unauthorized", "too-many-requests" and others of
// docs/containers.md.
func (i *Images) Fail(how string) *Rule {
	i.containers.kubelets.t.Helper()
	return i.containers.rule(fields{"pull": fields{"fail": how}})
}

// Take lets pulls take this long.
func (i *Images) Take(duration time.Duration) *Rule {
	i.containers.kubelets.t.Helper()
	return i.containers.rule(fields{"pull": fields{"latency": duration.String()}})
}

// NodeControl is what a test does to one node, or to those of a pattern.
type NodeControl struct {
	kubelets *Kubelets
	name     string
}

// Node is a node of this name, or nodes of a pattern such as "mock-*".
func (k *Kubelets) Node(name string) *NodeControl { return &NodeControl{k, name} }

// Down takes the nodes' power: no heartbeats, and containers are lost. Pods stay in the API server, and the nodes become NotReady
// if there is somebody who looks after nodes: the option [Collect], or a controller manager.
func (n *NodeControl) Down() {
	n.kubelets.t.Helper()
	n.happen("NodeDown", 24*time.Hour)
}

// Up ends what happened to the nodes: they start again, and their pods with them.
func (n *NodeControl) Up() {
	n.kubelets.t.Helper()
	n.kubelets.ask(http.MethodDelete, "/v1/node-faults/"+url.PathEscape(n.name), nil, nil)
}

// RestartKubelet kills the kubelet, and starts it again after this time. Containers keep running.
func (n *NodeControl) RestartKubelet(after time.Duration) {
	n.kubelets.t.Helper()
	n.happen("KubeletRestart", after)
}

// RestartRuntime lets the runtime refuse all calls for this time.
func (n *NodeControl) RestartRuntime(after time.Duration) {
	n.kubelets.t.Helper()
	n.happen("RuntimeRestart", after)
}

func (n *NodeControl) happen(kind string, duration time.Duration) {
	n.kubelets.t.Helper()
	body := fields{"kind": kind, "node": n.name, "for": duration.String()}
	n.kubelets.ask(http.MethodPost, "/v1/node-faults", body, nil)
}

// Cordon keeps pods without a node away from the node: they stay Pending, with the reason Unschedulable.
func (n *NodeControl) Cordon() {
	n.kubelets.t.Helper()
	n.schedule(true)
}

// Uncordon ends [NodeControl.Cordon].
func (n *NodeControl) Uncordon() {
	n.kubelets.t.Helper()
	n.schedule(false)
}

// Bind assigns the pod "namespace/name" to the node, as a scheduler does: with the option [NoBinding], a test decides when a pod
// starts.
func (n *NodeControl) Bind(pod string) {
	n.kubelets.t.Helper()
	namespace, name := n.kubelets.split(pod)
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: name}, Target: corev1.ObjectReference{Kind: "Node", Name: n.name}}
	if err := n.kubelets.client.Pods(namespace).Bind(context.Background(), binding, metav1.CreateOptions{}); err != nil {
		n.kubelets.t.Fatalf("envnode: pod %s can't be bound to node %s: %v", pod, n.name, err)
	}
}

func (n *NodeControl) schedule(never bool) {
	n.kubelets.t.Helper()
	patch := fmt.Sprintf(`{"spec": {"unschedulable": %t}}`, never)
	_, err := n.kubelets.client.Nodes().Patch(context.Background(), n.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		n.kubelets.t.Fatalf("envnode: node %s: %v", n.name, err)
	}
}
