package envnode

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// envtestConfig is the form of what envtest returns.
func envtestConfig() *rest.Config {
	return &rest.Config{Host: "127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{
		CAData: []byte("authority"), CertData: []byte("certificate"), KeyData: []byte("key"),
	}}
}

func TestKubeconfig(t *testing.T) {
	text, err := kubeconfigOf(envtestConfig())
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Clusters []struct{ Cluster map[string]any }
		Users    []struct{ User map[string]any }
	}
	if err := json.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	if given := fmt.Sprint(written); given != "{[{map[certificate-authority-data:YXV0aG9yaXR5 insecure-skip-tls-verify:false "+
		"server:https://127.0.0.1:1]}] [{map[client-certificate-data:Y2VydGlmaWNhdGU= client-key-data:a2V5]}]}" {
		t.Errorf("given %s", given)
	}
}

func TestKubeconfigIsPrivate(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	file, err := writeKubeconfig(envtestConfig())
	if err != nil {
		t.Fatal(err)
	}
	if about, err := os.Stat(file); err != nil || about.Mode() != 0o600 {
		t.Errorf("given %v, %v", about, err)
	}
}

func TestConfigsThatCannotBeWritten(t *testing.T) {
	for _, cfg := range []*rest.Config{nil, {Impersonate: rest.ImpersonationConfig{UserName: "me"}}, {Host: "http://[::1"}} {
		if _, err := kubeconfigOf(cfg); err == nil || !strings.Contains(err.Error(), "*rest.Config") {
			t.Errorf("given %v for %v", err, cfg)
		}
	}
}

// Programs that give no nodes, and the one line that a test shows of them.
var programs = map[string][2]string{
	"crash":  {`echo 'x' >&2; echo 'TypeError: no such thing' >&2; echo '    at somewhere' >&2; exit 1`, "ended without a ready line: TypeError: no such thing"},
	"old":    {`echo "error: unknown option '--bind'" >&2; exit 1`, "unknown option '--bind' (is this mockri older than the test's Go module?)"},
	"absent": {`exec /nowhere/mockri "$@"`, "not found"},
}

func TestNoNodes(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("TMPDIR", directory)
	for name, program := range programs {
		_, err := New(&rest.Config{Host: "127.0.0.1:1"}, Command("sh", "-c", program[0]))
		if err == nil || !strings.Contains(err.Error(), program[1]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: given %v; expected %s in one line", name, err, program[1])
		}
	}
	if left, _ := filepath.Glob(directory + "/*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNoProgram(t *testing.T) {
	t.Setenv("MOCKRI", "")
	t.Setenv("MOCKRI_IMAGE", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := New(envtestConfig()); err == nil || !strings.HasPrefix(err.Error(), "no program mockri on the PATH") {
		t.Errorf("given %v", err)
	}
}

// docker stands for the program, without the image.
const docker = `#!/bin/sh
echo "$@" >"$0.args"
cat >&2 <<'END'
Unable to find image 'registry.example/mockri:1' locally
docker: Error response from daemon: failed to resolve reference "registry.example/mockri:1"

Run 'docker run --help' for more information
END
exit 125
`

func TestImage(t *testing.T) {
	directory := t.TempDir()
	if err := os.WriteFile(directory+"/docker", []byte(docker), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", directory)
	t.Setenv("PATH", directory+":/usr/bin:/bin")
	t.Setenv("MOCKRI", "")
	t.Setenv("MOCKRI_IMAGE", "registry.example/mockri:1")
	_, err := New(&rest.Config{Host: "127.0.0.1:1"})
	expected := `docker run: ended without a ready line: docker: Error response from daemon: failed to resolve reference "registry.example/mockri:1"`
	if err == nil || err.Error() != expected {
		t.Errorf("given %v", err)
	}
	given, _ := os.ReadFile(directory + "/docker.args")
	// The account is a file that only this user may read.
	run := regexp.MustCompile(`^run --rm --interactive --network host --user \d+:\d+ --volume (\S+):(\S+):ro ` +
		`registry.example/mockri:1 node --kubeconfig (\S+) `).FindStringSubmatch(string(given))
	if run == nil || run[1] != run[2] || run[1] != run[3] {
		t.Errorf("given %s", given)
	}
}
