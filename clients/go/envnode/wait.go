package envnode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Patience is how long the functions wait for what the API server shows.
const Patience = 30 * time.Second

// WaitForPod returns the pod "namespace/name" once it fits, and waits for it. It fails the test, with what the pod looks like,
// after [Patience].
func (k *Kubelets) WaitForPod(pod string, fits func(*corev1.Pod) bool) *corev1.Pod {
	k.t.Helper()
	namespace, name := k.split(pod)
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	open := func(options metav1.ListOptions) (watch.Interface, error) {
		return k.client.Pods(namespace).Watch(ctx, options)
	}
	found, last, err := await(ctx, name, open, fits)
	if err != nil {
		k.t.Fatalf("envnode: pod %s within %v: %v; %s", pod, Patience, err, describe(last))
	}
	return found
}

// WaitForRunning returns the pod "namespace/name" once it is Ready.
func (k *Kubelets) WaitForRunning(pod string) *corev1.Pod {
	k.t.Helper()
	return k.WaitForPod(pod, func(pod *corev1.Pod) bool {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady {
				return condition.Status == corev1.ConditionTrue
			}
		}
		return false
	})
}

// WaitForPhase returns the pod "namespace/name" once its phase is this one.
func (k *Kubelets) WaitForPhase(pod string, phase corev1.PodPhase) *corev1.Pod {
	k.t.Helper()
	return k.WaitForPod(pod, func(pod *corev1.Pod) bool { return pod.Status.Phase == phase })
}

// WaitForRestart returns the status of a container of the pod "namespace/name" once it has been restarted this often.
func (k *Kubelets) WaitForRestart(pod, container string, times int32) corev1.ContainerStatus {
	k.t.Helper()
	var status corev1.ContainerStatus
	k.WaitForPod(pod, func(pod *corev1.Pod) bool {
		status = StatusOf(pod, container)
		return status.RestartCount >= times
	})
	return status
}

// StatusOf is the status of a container of any kind; without a name if the pod has none yet.
func StatusOf(pod *corev1.Pod, container string) corev1.ContainerStatus {
	status := pod.Status
	for _, statuses := range [][]corev1.ContainerStatus{
		status.ContainerStatuses, status.InitContainerStatuses, status.EphemeralContainerStatuses,
	} {
		for _, each := range statuses {
			if each.Name == container {
				return each
			}
		}
	}
	return corev1.ContainerStatus{}
}

// WaitForNode returns the node once it fits. It fails the test after [Patience].
func (k *Kubelets) WaitForNode(node string, fits func(*corev1.Node) bool) *corev1.Node {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	found, err := k.awaitNode(ctx, node, fits)
	if err != nil {
		k.t.Fatalf("envnode: node %s within %v: %v; without the option Collect nobody marks a silent node", node, Patience, err)
	}
	return found
}

// Events returns the events of the pod "namespace/name", such as those that the kubelet posts.
func (k *Kubelets) Events(pod string) []corev1.Event {
	k.t.Helper()
	namespace, name := k.split(pod)
	selector := "involvedObject.kind=Pod,involvedObject.name=" + name
	list, err := k.client.Events(namespace).List(context.Background(), metav1.ListOptions{FieldSelector: selector})
	if err != nil {
		k.t.Fatalf("envnode: events of pod %s: %v", pod, err)
	}
	return list.Items
}

// WaitForEvent returns the first event of the pod "namespace/name" with this reason, such as "BackOff". It fails the test, with
// the reasons that there are, after [Patience].
func (k *Kubelets) WaitForEvent(pod, reason string) corev1.Event {
	k.t.Helper()
	namespace, name := k.split(pod)
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	open := func(options metav1.ListOptions) (watch.Interface, error) {
		options.FieldSelector = "involvedObject.kind=Pod,involvedObject.name=" + name
		return k.client.Events(namespace).Watch(ctx, options)
	}
	found, _, err := await(ctx, "", open, func(event *corev1.Event) bool { return event.Reason == reason })
	if err != nil {
		var reasons []string
		for _, event := range k.Events(pod) {
			reasons = append(reasons, event.Reason)
		}
		k.t.Fatalf("envnode: no event %s of pod %s within %v; there are: %s", reason, pod, Patience, strings.Join(reasons, ", "))
	}
	return *found
}

func (k *Kubelets) awaitNode(ctx context.Context, name string, fits func(*corev1.Node) bool) (*corev1.Node, error) {
	open := func(options metav1.ListOptions) (watch.Interface, error) { return k.client.Nodes().Watch(ctx, options) }
	found, _, err := await(ctx, name, open, fits)
	return found, err
}

// split is namespace and name of a pod.
func (k *Kubelets) split(pod string) (string, string) {
	k.t.Helper()
	namespace, name, found := strings.Cut(pod, "/")
	if !found || namespace == "" || name == "" {
		k.t.Fatalf("envnode: %q is not a pod: expected namespace/name, such as default/db-0", pod)
	}
	return namespace, name
}

// await returns the object once it fits, and the last that it saw.
func await[T runtime.Object](
	ctx context.Context, name string, open func(metav1.ListOptions) (watch.Interface, error), fits func(T) bool,
) (found, last T, err error) {
	options := metav1.ListOptions{}
	if name != "" {
		options.FieldSelector = "metadata.name=" + name
	}
	// A watch without a version begins with the object as it is. The API server ends watches.
	for ctx.Err() == nil {
		events, err := open(options)
		if err != nil {
			return found, last, err
		}
		for event := range events.ResultChan() {
			object, isObject := event.Object.(T)
			if !isObject || event.Type == watch.Deleted {
				continue
			}
			if last = object; fits(object) {
				events.Stop()
				return object, last, nil
			}
		}
		events.Stop()
	}
	return found, last, errors.New("it does not come to that")
}

// describe says in one line how a pod is.
func describe(pod *corev1.Pod) string {
	if pod == nil {
		return "there is none"
	}
	parts := []string{fmt.Sprintf("it is %s on node %q", pod.Status.Phase, pod.Spec.NodeName)}
	if pod.Status.Reason != "" {
		parts = append(parts, pod.Status.Reason+": "+pod.Status.Message)
	}
	for _, status := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		state := "running"
		switch {
		case status.State.Waiting != nil:
			state = strings.TrimSuffix(status.State.Waiting.Reason+" "+status.State.Waiting.Message, " ")
		case status.State.Terminated != nil:
			state = fmt.Sprintf("ended with %d (%s)", status.State.Terminated.ExitCode, status.State.Terminated.Reason)
		}
		parts = append(parts, fmt.Sprintf("%s: %s, %d restarts, ready: %t", status.Name, state, status.RestartCount, status.Ready))
	}
	return strings.Join(parts, "; ")
}
