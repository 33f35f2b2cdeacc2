package examples

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	mockri "mockri.dev/clients/go"
	"mockri.dev/clients/go/envnode"
)

// The five outcomes of an in-place resize that attune's shared simulator of a kubelet is to have.

// resize asks for other resources of the container app.
func resize(t *testing.T, namespace, name, cpu, memory string) error {
	t.Helper()
	patch := fmt.Sprintf(`{"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": %[1]q, "memory": %[2]q},
		"limits": {"cpu": %[1]q, "memory": %[2]q}}}]}}`, cpu, memory)
	_, err := client.CoreV1().Pods(namespace).Patch(t.Context(), name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "resize")
	return err
}

func mustResize(t *testing.T, namespace, name, cpu, memory string) {
	t.Helper()
	if err := resize(t, namespace, name, cpu, memory); err != nil {
		t.Fatal(err)
	}
}

// has is whether the runtime reports this processor time and memory.
func has(cpu, memory string) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool {
		resources := envnode.StatusOf(pod, "app").Resources
		return resources != nil && resources.Requests.Cpu().String() == cpu && resources.Limits.Memory().String() == memory
	}
}

func TestResizeIsDone(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	db := create(t, space, pod("db", asks("500m", "64Mi")))
	nodes.WaitForRunning(db)
	mustResize(t, space, "db", "250m", "128Mi")
	resized := nodes.WaitForPod(db, has("250m", "128Mi"))
	if status := envnode.StatusOf(resized, "app"); status.RestartCount != 0 || status.AllocatedResources.Cpu().String() != "250m" {
		t.Errorf("given %+v", status)
	}
}

func TestResizeIsDeferred(t *testing.T) {
	// Not parallel: it fills a node of 16 processors.
	nodes, space := nodes.In(t), namespace(t)
	on := func(pod *corev1.Pod) { pod.Spec.NodeName = "mock-0" }
	db := create(t, space, pod("db", asks("1", "64Mi"), on))
	other := create(t, space, pod("other", asks("12", "64Mi"), on))
	nodes.WaitForRunning(db)
	nodes.WaitForRunning(other)
	mustResize(t, space, "db", "8", "64Mi")
	nodes.WaitForPod(db, func(pod *corev1.Pod) bool {
		status, reason := condition(pod, corev1.PodResizePending)
		return status == corev1.ConditionTrue && reason == corev1.PodReasonDeferred
	})
	// It is done when another pod makes room.
	if err := client.CoreV1().Pods(space).Delete(t.Context(), "other", *metav1.NewDeleteOptions(0)); err != nil {
		t.Fatal(err)
	}
	nodes.WaitForPod(db, has("8", "64Mi"))
}

func TestResizeIsMoreThanTheNodeHas(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	db := create(t, space, pod("db", asks("1", "64Mi")))
	nodes.WaitForRunning(db)
	// The API server knows the node's size, and refuses what its kubelet would call infeasible.
	if err := resize(t, space, "db", "100", "64Mi"); !errors.IsForbidden(err) || !strings.Contains(err.Error(), "allocatable") {
		t.Errorf("given %v", err)
	}
}

func TestResizeDoesNotEnd(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	rule := nodes.AddFault(mockri.Fault{
		"match": mockri.Fault{"method": "UpdateContainerResources", "pod": mockri.Fault{"namespace": space}},
		"then":  mockri.Fault{"error": mockri.Fault{"code": "UNAVAILABLE", "message": "the cgroup is busy"}},
	})
	db := create(t, space, pod("db", asks("1", "64Mi")))
	nodes.WaitForRunning(db)
	mustResize(t, space, "db", "2", "64Mi")
	nodes.WaitForPod(db, func(pod *corev1.Pod) bool {
		status, reason := condition(pod, corev1.PodResizeInProgress)
		return status == corev1.ConditionTrue && reason == corev1.PodReasonError
	})
	rule.Remove()
	nodes.WaitForPod(db, has("2", "64Mi"))
}

func TestMemoryIsInUse(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	db := create(t, space, pod("db", asks("1", "64Mi")))
	nodes.WaitForRunning(db)
	// A kubelet sets no limit below what the container uses; processor time changes all the same.
	mustResize(t, space, "db", "500m", "256Ki")
	refused := nodes.WaitForPod(db, func(pod *corev1.Pod) bool {
		status, reason := condition(pod, corev1.PodResizeInProgress)
		return status == corev1.ConditionTrue && reason == corev1.PodReasonError
	})
	for _, each := range refused.Status.Conditions {
		if each.Type == corev1.PodResizeInProgress && !strings.Contains(each.Message, "memory") {
			t.Errorf("given %+v", each)
		}
	}
}
