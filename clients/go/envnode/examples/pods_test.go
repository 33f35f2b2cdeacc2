package examples

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	mockri "mockri.dev/clients/go"
	"mockri.dev/clients/go/envnode"
)

// The shortest: an existing suite needs these lines.
func TestAPodRuns(t *testing.T) {
	t.Parallel()
	nodes := nodes.In(t)
	db := create(t, namespace(t), pod("db"))
	running := nodes.WaitForRunning(db)
	if running.Status.PodIP == "" || running.Spec.NodeName == "" {
		t.Errorf("given %+v", running.Status)
	}
}

func TestCrashLoop(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	// Labels, owners, images and nodes select as well; pods of all namespaces have this label.
	crash := nodes.Pods(envnode.Namespace(space), envnode.Label("app=db")).ExitAfter(100*time.Millisecond, 3)
	db := create(t, space, pod("db"))
	ended := nodes.WaitForRestart(db, "app", 1)
	if last := ended.LastTerminationState.Terminated; last == nil || last.ExitCode != 3 {
		t.Errorf("given %+v", ended)
	}
	nodes.WaitForEvent(db, "BackOff")
	// Five minutes of back-off pass at once, and the pod recovers.
	crash.Remove()
	nodes.Advance(5 * time.Minute)
	nodes.WaitForRunning(db)
	moments := nodes.History(envnode.HistoryFilter{Namespace: space, Kind: "container", What: "ended"})
	if len(moments) < 2 || moments[0].ExitCode != 3 {
		t.Errorf("given %+v", moments)
	}
}

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	nodes := nodes.In(t)
	db := create(t, namespace(t), pod("db"))
	nodes.WaitForRunning(db)
	nodes.Container(db, "app").OOMKill()
	killed := nodes.WaitForRestart(db, "app", 1)
	if last := killed.LastTerminationState.Terminated; last.Reason != "OOMKilled" || last.ExitCode != 137 {
		t.Errorf("given %+v", last)
	}
}

func TestARegistryThatIsDown(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	down := nodes.Pull("down.example/*").Fail("unavailable")
	db := create(t, space, pod("db", func(pod *corev1.Pod) { pod.Spec.Containers[0].Image = "down.example/db:1" }))
	nodes.WaitForPod(db, func(pod *corev1.Pod) bool {
		waiting := envnode.StatusOf(pod, "app").State.Waiting
		return waiting != nil && waiting.Reason == "ImagePullBackOff"
	})
	down.Remove()
	nodes.Advance(time.Minute)
	nodes.WaitForRunning(db)
}

// A full disk, below the kubelet: any fault rule.
func TestTheRuntimeFails(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	rule := nodes.AddFault(mockri.Fault{
		"match": mockri.Fault{"method": "StartContainer", "pod": mockri.Fault{"namespace": space}},
		"when":  mockri.Fault{"times": 1},
		"then":  mockri.Fault{"error": mockri.Fault{"code": "UNKNOWN", "message": "no space left on device"}},
	})
	db := create(t, space, pod("db"))
	nodes.WaitForRestart(db, "app", 1)
	if rule.Now().Applied != 1 {
		t.Errorf("given %+v", rule.Now())
	}
	calls := nodes.Calls(mockri.CallFilter{Method: "StartContainer", Code: "UNKNOWN", Pod: "db"})
	if len(calls) == 0 {
		t.Error("the call is not in the history")
	}
}

func TestReadinessGate(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	db := create(t, space, pod("db", func(pod *corev1.Pod) {
		pod.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.com/attached"}}
	}))
	waiting := nodes.WaitForPod(db, func(pod *corev1.Pod) bool {
		status, _ := condition(pod, corev1.ContainersReady)
		return status == corev1.ConditionTrue
	})
	if status, reason := condition(waiting, corev1.PodReady); status != corev1.ConditionFalse || reason != "ReadinessGatesNotReady" {
		t.Errorf("given %s %s", status, reason)
	}
	// The operator opens the gate.
	patch := `{"status": {"conditions": [{"type": "example.com/attached", "status": "True"}]}}`
	_, err := client.CoreV1().Pods(space).Patch(t.Context(), "db", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatal(err)
	}
	nodes.WaitForRunning(db)
}

func TestSidecar(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	always := corev1.ContainerRestartPolicyAlways
	nodes.Pods(envnode.Namespace(space), envnode.Container("app")).ExitAfter(200*time.Millisecond, 0)
	db := create(t, space, pod("db", never, func(pod *corev1.Pod) {
		pod.Spec.InitContainers = []corev1.Container{
			{Name: "proxy", Image: "registry.example/proxy:1", RestartPolicy: &always},
			{Name: "migrate", Image: "registry.example/migrate:1"},
		}
	}))
	// The sidecar is up before the init container runs, and ends after the main container.
	ended := nodes.WaitForPhase(db, corev1.PodSucceeded)
	proxy, migrate, app := envnode.StatusOf(ended, "proxy"), envnode.StatusOf(ended, "migrate"), envnode.StatusOf(ended, "app")
	if proxy.State.Terminated == nil || migrate.State.Terminated.ExitCode != 0 || app.State.Terminated.ExitCode != 0 {
		t.Fatalf("given %+v, %+v, %+v", proxy.State, migrate.State, app.State)
	}
	if proxy.State.Terminated.FinishedAt.Before(&app.State.Terminated.FinishedAt) {
		t.Error("the sidecar ended first")
	}
}

func TestEphemeralContainer(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	db := create(t, space, pod("db"))
	running := nodes.WaitForRunning(db)
	running.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "busybox:1.36", Command: []string{"sleep", "1h"}},
		TargetContainerName:      "app",
	}}
	if _, err := client.CoreV1().Pods(space).UpdateEphemeralContainers(t.Context(), "db", running, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	nodes.WaitForPod(db, func(pod *corev1.Pod) bool { return envnode.StatusOf(pod, "debug").State.Running != nil })
}

func TestEviction(t *testing.T) {
	t.Parallel()
	nodes, space := nodes.In(t), namespace(t)
	db := create(t, space, pod("db", func(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/backup"} }))
	nodes.WaitForRunning(db)
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: space}}
	if err := client.CoreV1().Pods(space).EvictV1(t.Context(), eviction); err != nil {
		t.Fatal(err)
	}
	// The containers end; the finalizer keeps the object.
	nodes.WaitForPod(db, func(pod *corev1.Pod) bool {
		status, _ := condition(pod, corev1.DisruptionTarget)
		return pod.DeletionTimestamp != nil && envnode.StatusOf(pod, "app").State.Terminated != nil && status == corev1.ConditionTrue
	})
	patch := []byte(`{"metadata": {"finalizers": null}}`)
	if _, err := client.CoreV1().Pods(space).Patch(t.Context(), "db", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	waitUntilGone(t, space, "db")
}

func waitUntilGone(t *testing.T, namespace, name string) {
	t.Helper()
	watcher, err := client.CoreV1().Pods(namespace).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	timeout := time.After(envnode.Patience)
	for {
		if _, err := client.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{}); errors.IsNotFound(err) {
			return
		}
		select {
		case <-watcher.ResultChan():
		case <-timeout:
			t.Fatalf("pod %s/%s is still there", namespace, name)
		}
	}
}

func TestANodeGoesDown(t *testing.T) {
	// Not parallel: other tests run on the node.
	nodes, space := nodes.In(t), namespace(t)
	db := create(t, space, pod("db", func(pod *corev1.Pod) { pod.Spec.NodeName = "mock-1" }))
	nodes.WaitForRunning(db)
	nodes.Node("mock-1").Down()
	nodes.WaitForNode("mock-1", func(node *corev1.Node) bool {
		for _, each := range node.Status.Conditions {
			if each.Type == corev1.NodeReady {
				return each.Status != corev1.ConditionTrue
			}
		}
		return false
	})
	// The pod stays, and nobody knows how it is.
	nodes.WaitForPod(db, func(pod *corev1.Pod) bool {
		status, _ := condition(pod, corev1.PodReady)
		return status == corev1.ConditionFalse && pod.DeletionTimestamp == nil
	})
	nodes.Node("mock-1").Up()
	nodes.WaitForRunning(db)
}
