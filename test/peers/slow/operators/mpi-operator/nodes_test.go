package integration

import (
	corev1 "k8s.io/api/core/v1"
	"mockri.dev/clients/go/envnode"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var (
	nodes    *envnode.Kubelets
	notReady *envnode.Rule
)

// startNodes is for TestMain. The tests decide when a pod starts.
func startNodes(env *envtest.Environment) (stop func()) {
	stopController := startJobController(env)
	var err error
	nodes, err = envnode.New(env.Config, envnode.NoBinding(), envnode.Collect())
	must(err)
	// Else a container that is not restarted ends by itself.
	nodes.Pods().Behave("run")
	return func() {
		nodes.Stop()
		stopController()
	}
}

// come lets pods come to a phase.
func come(pods []corev1.Pod, phase corev1.PodPhase) error {
	for index, pod := range pods {
		name := pod.Namespace + "/" + pod.Name
		if phase == corev1.PodRunning {
			nodes.Node("mock-0").Bind(name)
		} else {
			exit(&pod, 1)
		}
		pods[index] = *nodes.WaitForPhase(name, phase)
	}
	return nil
}

// exit ends the container of a pod.
func exit(pod *corev1.Pod, code int) {
	nodes.Container(pod.Namespace+"/"+pod.Name, "main").Exit(code)
}
