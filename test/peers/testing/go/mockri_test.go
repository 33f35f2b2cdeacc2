package testing

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Mockri is the server of one test. Its ready line contains its addresses.
type Mockri struct {
	Listen  string `json:"listen"`
	Control string `json:"control"`
}

func startMockri(t *testing.T) Mockri {
	t.Helper()
	program := strings.Fields(os.Getenv("MOCKRI")) // for example "npx mockri"
	args := append(program[1:], "serve", "--listen", "unix://"+t.TempDir()+"/cri.sock", "--control", "127.0.0.1:0",
		"--exit-with-stdin")
	command := exec.Command(program[0], args...)
	// The server stops when this pipe closes: at the end of the test, and also if the test process dies.
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var ready Mockri
	if err != nil || json.Unmarshal(line, &ready) != nil {
		t.Fatalf("no ready line: %q, %v", line, err)
	}
	return ready
}

// post sends a body to the control API and returns the answer.
func (m Mockri) post(t *testing.T, path, body string) string {
	t.Helper()
	response, err := http.Post(m.Control+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 {
		t.Fatalf("%s: %s", path, text)
	}
	return string(text)
}

func TestTheReplyIsLost(t *testing.T) {
	mockri := startMockri(t)
	connection, err := grpc.NewClient(mockri.Listen, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	runtime := cri.NewRuntimeServiceClient(connection)
	pod := &cri.RunPodSandboxRequest{Config: &cri.PodSandboxConfig{
		Metadata: &cri.PodSandboxMetadata{Name: "web", Namespace: "default", Uid: "u1"},
		Linux:    &cri.LinuxPodSandboxConfig{},
	}}

	// The sandbox is created, but the client gets an error. When it retries, the name is in use.
	mockri.post(t, "/v1/faults", `{
		"name": "lost",
		"match": {"method": "RunPodSandbox"},
		"when": {"times": 1},
		"then": {"error": {"code": "DEADLINE_EXCEEDED", "effect": "after"}}
	}`)
	_, err = runtime.RunPodSandbox(t.Context(), pod)
	if status.Code(err) != codes.DeadlineExceeded {
		t.Fatalf("first try: %v", err)
	}
	_, err = runtime.RunPodSandbox(t.Context(), pod)
	if status.Code(err) != codes.AlreadyExists {
		t.Fatalf("second try: %v", err)
	}

	mockri.post(t, "/v1/reset", "")
	list, err := runtime.ListPodSandbox(t.Context(), &cri.ListPodSandboxRequest{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("sandboxes: %v, %v", list, err)
	}
}
