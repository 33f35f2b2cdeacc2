package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// recorder prints what it gets. A container's annotation ADJUST + its name is what it answers to CreateContainer.
type recorder struct {
	name string
	lock sync.Mutex
}

// adjust is the prefix of annotations that hold a ContainerAdjustment in JSON, by the name of the plugin.
const adjust = "adjust.mockri.dev/"

type line struct {
	Plugin    string          `json:"plugin"`
	Event     string          `json:"event"`
	Pod       string          `json:"pod,omitempty"`
	Container string          `json:"container,omitempty"`
	Message   json.RawMessage `json:"message,omitempty"`
}

func (r *recorder) print(event string, pod *api.PodSandbox, container *api.Container, message proto.Message) {
	var text json.RawMessage
	if message != nil {
		bytes, err := protojson.Marshal(message)
		fail(err)
		text = bytes
	}
	bytes, err := json.Marshal(line{r.name, event, pod.GetName(), container.GetName(), text})
	fail(err)
	r.lock.Lock()
	defer r.lock.Unlock()
	fmt.Println(string(bytes))
}

func record(ctx context.Context, socket, index, name string) error {
	r := &recorder{name: index + "-" + name}
	s, err := stub.New(r, stub.WithPluginName(name), stub.WithPluginIdx(index), stub.WithSocketPath(socket))
	if err != nil {
		return err
	}
	if err := s.Run(ctx); err != nil {
		return err
	}
	os.Exit(0)
	return nil
}

func (r *recorder) Synchronize(_ context.Context, pods []*api.PodSandbox, containers []*api.Container) ([]*api.ContainerUpdate, error) {
	r.print("Synchronize", nil, nil, nil)
	for _, pod := range pods {
		r.print("shows pod", pod, nil, nil)
	}
	for _, container := range containers {
		r.print("shows container", nil, container, nil)
	}
	return nil, nil
}

func (r *recorder) RunPodSandbox(_ context.Context, pod *api.PodSandbox) error {
	r.print("RunPodSandbox", pod, nil, pod)
	return nil
}

func (r *recorder) UpdatePodSandbox(_ context.Context, pod *api.PodSandbox, _, _ *api.LinuxResources) error {
	r.print("UpdatePodSandbox", pod, nil, nil)
	return nil
}

func (r *recorder) PostUpdatePodSandbox(_ context.Context, pod *api.PodSandbox) error {
	r.print("PostUpdatePodSandbox", pod, nil, nil)
	return nil
}

func (r *recorder) StopPodSandbox(_ context.Context, pod *api.PodSandbox) error {
	r.print("StopPodSandbox", pod, nil, nil)
	return nil
}

func (r *recorder) RemovePodSandbox(_ context.Context, pod *api.PodSandbox) error {
	r.print("RemovePodSandbox", pod, nil, nil)
	return nil
}

func (r *recorder) CreateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	r.print("CreateContainer", pod, container, container)
	text, ok := container.GetAnnotations()[adjust+r.name]
	if !ok {
		return nil, nil, nil
	}
	adjustment := &api.ContainerAdjustment{}
	if err := protojson.Unmarshal([]byte(text), adjustment); err != nil {
		return nil, nil, err
	}
	return adjustment, nil, nil
}

func (r *recorder) PostCreateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	r.print("PostCreateContainer", pod, container, container)
	return nil
}

func (r *recorder) StartContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	r.print("StartContainer", pod, container, nil)
	return nil
}

func (r *recorder) PostStartContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	r.print("PostStartContainer", pod, container, nil)
	return nil
}

func (r *recorder) UpdateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container, resources *api.LinuxResources) ([]*api.ContainerUpdate, error) {
	r.print("UpdateContainer", pod, container, resources)
	return nil, nil
}

func (r *recorder) PostUpdateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	r.print("PostUpdateContainer", pod, container, nil)
	return nil
}

func (r *recorder) StopContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) ([]*api.ContainerUpdate, error) {
	r.print("StopContainer", pod, container, nil)
	return nil, nil
}

func (r *recorder) RemoveContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	r.print("RemoveContainer", pod, container, nil)
	return nil
}
