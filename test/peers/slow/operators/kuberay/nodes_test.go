package ray

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"mockri.dev/clients/go/envnode"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var nodes *envnode.Kubelets

// startNodes starts one node for all Ray clusters of the suite. The specs decide when a pod starts.
func startNodes(env *envtest.Environment) {
	DeferCleanup(startJobController(env))
	nodes = envnode.Start(GinkgoT(), env.Config, envnode.NoBinding(), envnode.Collect(), envnode.Fast(20),
		envnode.Args("--capacity", "cpu=1000,memory=4000Gi,pods=1000"))
}

func run(pod *corev1.Pod) {
	name := pod.Namespace + "/" + pod.Name
	nodes.Node("mock-0").Bind(name)
	*pod = *nodes.WaitForRunning(name)
}

// complete lets the pod of a Job end, and so the Job.
func complete(ctx context.Context, job *batchv1.Job) {
	pod, err := pendingPodOf(ctx, kubernetes.NewForConfigOrDie(cfg), job)
	Expect(err).NotTo(HaveOccurred())
	nodes.Pods(envnode.Name(pod.Name)).Exit(0)
	nodes.Node("mock-0").Bind(pod.Namespace + "/" + pod.Name)
	Eventually(func(g Gomega) {
		g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(job), job)).To(Succeed())
		g.Expect(job.Status.Succeeded).To(Equal(int32(1)))
	}, 30*time.Second, 100*time.Millisecond).Should(Succeed())
}
