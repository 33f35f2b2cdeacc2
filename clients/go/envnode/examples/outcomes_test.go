package examples

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"mockri.dev/clients/go/envnode"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// The outcomes of a pod that KubeVirt's PodSimulator has as hooks: the pod is left alone, it fails, it is not ready.

func TestThePodIsNotScheduled(t *testing.T) {
	// Not parallel: no pod is bound meanwhile.
	nodes := nodes.In(t)
	for _, name := range []string{"mock-0", "mock-1"} {
		nodes.Node(name).Cordon()
		t.Cleanup(nodes.Node(name).Uncordon)
	}
	launcher := create(t, namespace(t), pod("virt-launcher", never))
	nodes.WaitForPod(launcher, func(pod *corev1.Pod) bool {
		status, reason := condition(pod, corev1.PodScheduled)
		return status == corev1.ConditionFalse && reason == corev1.PodReasonUnschedulable && pod.Status.Phase == corev1.PodPending
	})
}

func TestThePodStartsWhenTheTestBindsIt(t *testing.T) {
	t.Parallel()
	nodes := nodes.In(t)
	launcher := create(t, namespace(t), pod("virt-launcher", func(pod *corev1.Pod) { pod.Spec.SchedulerName = "the-test" }))
	nodes.Node("mock-1").Bind(launcher)
	if running := nodes.WaitForRunning(launcher); running.Spec.NodeName != "mock-1" {
		t.Errorf("given %s", running.Spec.NodeName)
	}
}

func TestThePodFails(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	nodes.Pods(envnode.Namespace(space), envnode.Name("virt-launcher*")).Exit(1)
	failed := nodes.WaitForPhase(create(t, space, pod("virt-launcher", never)), corev1.PodFailed)
	if ended := envnode.StatusOf(failed, "app").State.Terminated; ended.ExitCode != 1 || ended.Reason != "Error" {
		t.Errorf("given %+v", ended)
	}
}

func TestThePodIsNotReady(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	// Without it, a container that is not restarted ends by itself.
	nodes.Pods(envnode.Namespace(space)).Behave("run")
	sick := nodes.Pods(envnode.Namespace(space)).NeverReady()
	launcher := create(t, space, pod("virt-launcher", never))
	running := nodes.WaitForPhase(launcher, corev1.PodRunning)
	if status, reason := condition(running, corev1.PodReady); status != corev1.ConditionFalse || reason != "ContainersNotReady" {
		t.Errorf("given %s %s", status, reason)
	}
	sick.Remove()
	nodes.WaitForRunning(launcher)
}

// In Ginkgo's AfterSuite and in a deferred call, the API server is stopped before the nodes.
func TestTheServerStopsFirst(t *testing.T) {
	t.Parallel()
	environment := &envtest.Environment{}
	cfg, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	envnode.Start(t, cfg)
	if err := environment.Stop(); err != nil {
		t.Error(err)
	}
}
