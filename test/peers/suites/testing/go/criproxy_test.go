package testing

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	mockri "mockri.dev/clients/go"
	"mockri.dev/clients/go/criproxy"
)

func TestInjectorsOfKubernetesProxy(t *testing.T) {
	server := mockri.Start(t, mockri.Args("--stream-items", "1"))
	t.Setenv("MOCKRI_LISTEN", server.Endpoint)
	t.Setenv("MOCKRI_CONTROL", server.Control)
	proxy := criproxy.NewRemoteRuntimeProxy(nil, nil)
	endpoint, err := criproxy.GenerateEndpoint()
	if err != nil {
		t.Fatal(err)
	}
	if err := proxy.Start(endpoint); err != nil {
		t.Fatal(err)
	}
	defer proxy.Stop()
	connection, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	runtime := cri.NewRuntimeServiceClient(connection)
	run := func(name string) error {
		_, err := runtime.RunPodSandbox(t.Context(), &cri.RunPodSandboxRequest{Config: &cri.PodSandboxConfig{
			Metadata: &cri.PodSandboxMetadata{Name: name, Namespace: "default", Uid: name},
			Linux:    &cri.LinuxPodSandboxConfig{},
		}})
		return err
	}

	// As with the original.
	var versions atomic.Int32
	proxy.AddInjector(func(apiName string) error {
		if apiName == criproxy.Version && versions.Add(1) == 2 {
			return status.Error(codes.Unavailable, "the second one")
		}
		return nil
	})
	for try, expected := range []codes.Code{codes.OK, codes.Unavailable, codes.OK} {
		if _, err := runtime.Version(t.Context(), &cri.VersionRequest{}); status.Code(err) != expected {
			t.Errorf("Version %d: %v", try+1, err)
		}
	}
	proxy.ResetInjectors()

	// Beyond it: the work is done, and its reply is lost, for one pod.
	proxy.AddCallInjector(func(call criproxy.Call) error {
		if call.Name == criproxy.RunPodSandbox && call.Pod == "lost" {
			return criproxy.Lost(errors.New("gone"))
		}
		return nil
	})
	if err := run("other"); err != nil {
		t.Error(err)
	}
	if err := run("lost"); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("the reply was not lost: %v", err)
	}
	if sandboxes := server.State().Sandboxes; len(sandboxes) != 2 {
		t.Errorf("%d sandboxes", len(sandboxes))
	}

	// Messages of a stream.
	proxy.AddInjector(func(apiName string) error {
		if apiName == criproxy.StreamPodSandboxesSend && versions.Add(1) == 5 {
			return status.Error(codes.Internal, "in the middle")
		}
		return nil
	})
	stream, err := runtime.StreamPodSandboxes(t.Context(), &cri.StreamPodSandboxesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Errorf("the first message: %v", err)
	}
	if _, err := stream.Recv(); status.Code(err) != codes.Internal {
		t.Errorf("the second message: %v", err)
	}
}
