package pytorch

import (
	kubeflowv1 "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"mockri.dev/clients/go/envnode"
)

var nodes *envnode.Kubelets

func startNodes(t envnode.TB, cfg *rest.Config) {
	nodes = envnode.Start(t, cfg, envnode.Collect())
	// Else a container that is not restarted ends by itself.
	nodes.Pods(envnode.Container(kubeflowv1.PyTorchJobDefaultContainerName)).Behave("run")
}

func running(pod types.NamespacedName) { nodes.WaitForRunning(pod.String()) }

func succeeded(pod types.NamespacedName) {
	running(pod)
	nodes.Container(pod.String(), kubeflowv1.PyTorchJobDefaultContainerName).Exit(0)
}
