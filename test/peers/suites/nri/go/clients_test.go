package main

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/containerd/nri/pkg/stub"
	mockri "mockri.dev/clients/go"
)

// A test of a plugin, with the client for Go.
func TestAPluginAdjusts(t *testing.T) {
	server := mockri.Start(t, mockri.Plugins())
	server.AddPod(mockri.Pod{Name: "before", Containers: []mockri.PodContainer{{Name: "old"}, {Name: "gone", State: "exited", ExitCode: 3}}})
	plugin, err := stub.New(&recorder{name: "10-recorder"}, stub.WithPluginName("recorder"), stub.WithPluginIdx("10"),
		stub.WithSocketPath(server.NRI))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = plugin.Run(t.Context()) }()
	if found := server.WaitForPlugin("10-recorder", 10*time.Second); !slices.Contains(found.Events, "CreateContainer") {
		t.Fatalf("events: %v", found.Events)
	}
	if state := server.State().Container("gone"); state == nil || state.State != "EXITED" || state.ExitCode != 3 {
		t.Fatalf("the container that has exited: %+v", state)
	}
	web := server.AddPod(mockri.Pod{Name: "web", Containers: []mockri.PodContainer{{
		Name:        "app",
		State:       "created",
		Annotations: map[string]string{adjust + "10-recorder": `{"env": [{"key": "GPU", "value": "0"}]}`},
		Resources:   &mockri.Resources{CPUShares: 300},
	}}})
	if len(web.Containers) != 1 || web.Containers[0].State != "CREATED" {
		t.Fatalf("the pod: %+v", web)
	}
	adjusted := server.Adjusted("app")
	if adjusted == nil || server.Adjusted("old") != nil {
		t.Fatalf("adjusted: %+v, %+v", adjusted, server.Adjusted("old"))
	}
	if owners, ok := adjusted.Owners["Env"].(map[string]any); !ok || owners["GPU"] != "10-recorder" {
		t.Fatalf("owners: %v", adjusted.Owners)
	}
	var spec struct {
		Process struct{ Env []string }
	}
	if err := json.Unmarshal(adjusted.Spec, &spec); err != nil || !slices.Contains(spec.Process.Env, "GPU=0") {
		t.Fatalf("spec: %s, %v", adjusted.Spec, err)
	}
}
