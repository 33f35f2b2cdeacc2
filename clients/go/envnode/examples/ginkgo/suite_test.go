// Package ginkgo is the usual suite of an operator, with nodes.
package ginkgo

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"mockri.dev/clients/go/envnode"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var (
	client *kubernetes.Clientset
	nodes  *envnode.Kubelets
)

func TestSuite(t *testing.T) {
	RunSpecs(t, "an operator")
}

var _ = BeforeSuite(func() {
	environment := &envtest.Environment{}
	cfg, err := environment.Start()
	if err != nil {
		Fail(err.Error())
	}
	DeferCleanup(environment.Stop)
	client = kubernetes.NewForConfigOrDie(cfg)
	nodes = envnode.Start(GinkgoT(), cfg)
})

var _ = It("restarts the database", func(ctx SpecContext) {
	nodes := nodes.In(GinkgoT())
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "db"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "registry.example/db:1"}}},
	}
	if _, err := client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		Fail(err.Error())
	}
	nodes.WaitForRunning("default/db")
	nodes.Container("default/db", "app").Exit(1)
	nodes.WaitForRestart("default/db", "app", 1)
})
