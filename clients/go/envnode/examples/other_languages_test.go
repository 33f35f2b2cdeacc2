//go:build peers

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// TestOtherLanguages gives the tests of other languages an API server: OTHER_LANGUAGES has a command in each line.
func TestOtherLanguages(t *testing.T) {
	environment := &envtest.Environment{}
	if _, err := environment.Start(); err != nil {
		t.Fatal(err)
	}
	defer environment.Stop()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, environment.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range strings.Split(strings.TrimSpace(os.Getenv("OTHER_LANGUAGES")), "\n") {
		language := exec.Command("sh", "-c", command)
		language.Env = append(os.Environ(), "TEST_KUBECONFIG="+kubeconfig)
		if output, err := language.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, output)
		}
	}
}
