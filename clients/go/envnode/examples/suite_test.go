// Package examples has a test for each thing that operators' suites fake when their API server has no kubelet.
package examples

import (
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"mockri.dev/clients/go/envnode"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// One API server and two nodes for all tests.
var (
	environment = &envtest.Environment{}
	cfg         *rest.Config
	client      *kubernetes.Clientset
	nodes       *envnode.Kubelets
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if cfg, err = environment.Start(); err != nil {
		fmt.Println(err)
		return 1
	}
	defer environment.Stop()
	client = kubernetes.NewForConfigOrDie(cfg)
	if nodes, err = envnode.New(cfg, envnode.Nodes(2), envnode.Collect()); err != nil {
		fmt.Println(err)
		return 1
	}
	defer nodes.Stop()
	return m.Run()
}

// namespace is one of the test's own.
func namespace(t *testing.T) string {
	t.Helper()
	made, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")) + "-"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made.Name
}

// pod has one container, app, of an image that nobody has seen: it runs, and its probes succeed.
func pod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	made := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "app", Image: "registry.example/app:1", Ports: []corev1.ContainerPort{{ContainerPort: 8080}},
		}}},
	}
	for _, each := range change {
		each(made)
	}
	return made
}

func never(pod *corev1.Pod) { pod.Spec.RestartPolicy = corev1.RestartPolicyNever }

// asks sets what the container requests and may use at most.
func asks(cpu, memory string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.Containers[0].Resources = resources(cpu, memory) }
}

func resources(cpu, memory string) corev1.ResourceRequirements {
	list := corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}
	return corev1.ResourceRequirements{Requests: list, Limits: list}
}

// create makes the pod, and returns its key.
func create(t *testing.T, namespace string, pod *corev1.Pod) string {
	t.Helper()
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return namespace + "/" + pod.Name
}

// condition is the status of a pod's condition, and its reason.
func condition(pod *corev1.Pod, kind corev1.PodConditionType) (corev1.ConditionStatus, string) {
	for _, each := range pod.Status.Conditions {
		if each.Type == kind {
			return each.Status, each.Reason
		}
	}
	return "", ""
}
