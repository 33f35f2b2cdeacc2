//go:build peers

package examples

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"mockri.dev/clients/go/envnode"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// TestSpeed prints the measurements of docs/envtest.md.
func TestSpeed(t *testing.T) {
	begun := time.Now()
	since := func(what string) {
		fmt.Printf("%s after %.1f s\n", what, time.Since(begun).Seconds())
		begun = time.Now()
	}
	since("measuring")
	nodes := envnode.Start(t, cfg, envnode.Names("fast-{n}"), envnode.NoBinding())
	since("the node is Ready")
	space := namespace(t)
	bound := func(pod *corev1.Pod) { pod.Spec.NodeName = "fast-0" }
	begun = time.Now()
	nodes.WaitForRunning(create(t, space, pod("first", bound)))
	since("a pod is Ready")
	var pods []string
	for number := range 100 {
		pods = append(pods, create(t, space, pod(fmt.Sprintf("pod-%d", number), bound)))
	}
	for _, each := range pods {
		nodes.WaitForRunning(each)
	}
	since("100 pods are Ready")
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", nodes.PID))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmRSS") || strings.HasPrefix(line, "VmHWM") {
			fmt.Println(line)
		}
	}
	// Beside it: what the API server itself takes.
	environment := &envtest.Environment{}
	begun = time.Now()
	if _, err := environment.Start(); err != nil {
		t.Fatal(err)
	}
	defer environment.Stop()
	since("another API server answers")
}
