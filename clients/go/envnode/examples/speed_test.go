//go:build peers

package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"mockri.dev/clients/go/envnode"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// TestSpeed prints the measurements of docs/envtest.md: of mock nodes and, if KWOK is set to its command line, of KWOK.
func TestSpeed(t *testing.T) {
	begun := time.Now()
	another := &envtest.Environment{}
	if _, err := another.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("an API server: answers after %.1f s\n", time.Since(begun).Seconds())
	if err := another.Stop(); err != nil {
		t.Fatal(err)
	}
	measure(t, "envnode.Start", "fast-0", func() int {
		return envnode.Start(t, cfg, envnode.Names("fast-{n}"), envnode.NoBinding()).PID
	})
	if command := strings.Fields(os.Getenv("KWOK")); len(command) > 0 {
		measure(t, "KWOK", "kwok-0", func() int { return startKwok(t, command) })
	}
}

// measure waits for one node, one pod and a hundred; start returns the process of the node.
func measure(t *testing.T, what, node string, start func() int) {
	t.Helper()
	nodes, space := nodes.In(t), namespace(t)
	bound := func(pod *corev1.Pod) { pod.Spec.NodeName = node }
	begun := time.Now()
	lap := func() float64 {
		taken := time.Since(begun).Seconds()
		begun = time.Now()
		return taken
	}
	process := start()
	nodes.WaitForNode(node, func(node *corev1.Node) bool {
		for _, each := range node.Status.Conditions {
			if each.Type == corev1.NodeReady {
				return each.Status == corev1.ConditionTrue
			}
		}
		return false
	})
	ready := lap()
	nodes.WaitForRunning(create(t, space, pod("first", bound)))
	first := lap()
	var pods []string
	for number := range 100 {
		pods = append(pods, create(t, space, pod(fmt.Sprintf("pod-%d", number), bound)))
	}
	for _, each := range pods {
		nodes.WaitForRunning(each)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		t.Fatal(err)
	}
	memory := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindStringSubmatch(string(status))[1]
	fmt.Printf("%s: the node is Ready after %.1f s, a pod after %.1f s, 100 pods after %.1f s; at most %s kB\n",
		what, ready, first, lap(), memory)
}

func startKwok(t *testing.T, command []string) int {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, environment.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	kwok := exec.Command(command[0], append(command[1:], "--kubeconfig", kubeconfig, "--manage-single-node", "kwok-0")...)
	if err := kwok.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = kwok.Process.Kill()
		_ = kwok.Wait()
	})
	size := corev1.ResourceList{"cpu": resource.MustParse("16"), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("110")}
	if _, err := client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "kwok-0", Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"}},
		Status:     corev1.NodeStatus{Capacity: size, Allocatable: size},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return kwok.Process.Pid
}
