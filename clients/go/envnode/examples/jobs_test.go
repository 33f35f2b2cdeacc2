package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"mockri.dev/clients/go/envnode"
)

// startJobController starts Kubernetes' own, of the controller manager: envtest has no controllers.
func startJobController(t *testing.T) {
	t.Helper()
	program := filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kube-controller-manager")
	if _, err := os.Stat(program); err != nil {
		t.Skip("KUBEBUILDER_ASSETS has no kube-controller-manager")
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, environment.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	controllers := exec.Command(program, "--kubeconfig", kubeconfig, "--controllers", "job-controller", "--leader-elect=false", "--secure-port", "0")
	if err := controllers.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = controllers.Process.Kill()
		_ = controllers.Wait()
	})
}

func TestPodFailurePolicy(t *testing.T) {
	t.Parallel()
	startJobController(t)
	nodes, space := nodes.In(t), namespace(t)
	// One exit code that is not to be tried again.
	nodes.Pods(envnode.Namespace(space), envnode.Owner("Job/migrate")).Exit(42)
	six := int32(6)
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "migrate"},
		Spec: batchv1.JobSpec{
			BackoffLimit: &six,
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action:      batchv1.PodFailurePolicyActionFailJob,
				OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{42}},
			}}},
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, Containers: pod("").Spec.Containers,
			}},
		},
	}
	watcher, err := client.BatchV1().Jobs(space).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	if _, err := client.BatchV1().Jobs(space).Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for event := range watcher.ResultChan() {
		job := event.Object.(*batchv1.Job)
		for _, each := range job.Status.Conditions {
			if each.Type == batchv1.JobFailed && each.Status == corev1.ConditionTrue {
				if each.Reason != batchv1.JobReasonPodFailurePolicy || job.Status.Failed != 1 {
					t.Errorf("given %s, %d pods failed: %s", each.Reason, job.Status.Failed, each.Message)
				}
				return
			}
		}
	}
	t.Fatal("the watch has ended")
}
