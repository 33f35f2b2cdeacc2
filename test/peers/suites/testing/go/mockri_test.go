package testing

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	mockri "mockri.dev/clients/go"
)

func TestTheReplyIsLost(t *testing.T) {
	server := mockri.Start(t)
	connection, err := grpc.NewClient(server.Target(), grpc.WithTransportCredentials(insecure.NewCredentials()))
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
	lost := server.AddFault(mockri.Fault{
		"match": mockri.Fault{"method": "RunPodSandbox"},
		"when":  mockri.Fault{"times": 1},
		"then":  mockri.Fault{"error": mockri.Fault{"code": "DEADLINE_EXCEEDED", "effect": "after"}},
	})
	_, err = runtime.RunPodSandbox(t.Context(), pod)
	if status.Code(err) != codes.DeadlineExceeded {
		t.Fatalf("first try: %v", err)
	}
	_, err = runtime.RunPodSandbox(t.Context(), pod)
	if status.Code(err) != codes.AlreadyExists {
		t.Fatalf("second try: %v", err)
	}
	if applied := lost.Now().Applied; applied != 1 {
		t.Fatalf("the rule acted %d times", applied)
	}
	if sandboxes := server.State().Sandboxes; len(sandboxes) != 1 || sandboxes[0].Name != "web" {
		t.Fatalf("sandboxes: %v", sandboxes)
	}

	// To wait for a client in another goroutine or process, wait for its calls.
	go func() { _, _ = runtime.Version(t.Context(), &cri.VersionRequest{}) }()
	server.WaitForCall(mockri.CallFilter{Method: "Version", Code: "OK"})
}
