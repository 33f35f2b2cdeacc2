package operators

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// startJobController starts Kubernetes' own controller of Jobs: what the suite writes into their statuses, newer API servers refuse.
func startJobController(env *envtest.Environment) (stop func()) {
	directory, err := os.MkdirTemp("", "job-controller-")
	must(err)
	user, err := env.AddUser(envtest.User{Name: "controllers", Groups: []string{"system:masters"}}, env.Config)
	must(err)
	kubeconfig, err := user.KubeConfig()
	must(err)
	file := filepath.Join(directory, "kubeconfig")
	must(os.WriteFile(file, kubeconfig, 0o600))
	controllers := exec.Command(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kube-controller-manager"),
		"--kubeconfig", file, "--controllers", "job-controller", "--leader-elect=false", "--secure-port", "0")
	must(controllers.Start())
	return func() {
		_ = controllers.Process.Kill()
		_ = controllers.Wait()
		_ = os.RemoveAll(directory)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// pendingPodOf waits for a pod that the controller of Jobs makes.
func pendingPodOf(ctx context.Context, client kubernetes.Interface, job *batchv1.Job) (*corev1.Pod, error) {
	var pending *corev1.Pod
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(job.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + job.Name})
		if err != nil {
			return false, err
		}
		for _, pod := range pods.Items {
			if pod.Status.Phase == corev1.PodPending && pod.DeletionTimestamp == nil {
				pending = &pod
			}
		}
		return pending != nil, nil
	})
	return pending, err
}
