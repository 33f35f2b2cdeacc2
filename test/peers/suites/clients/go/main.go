// Calls every RPC of a runtime through k8s.io/cri-client, as the kubelet does: first with lists, then with streams.
//
// usage: client ENDPOINT DIRECTORY   DIRECTORY is for logs and checkpoints
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	cri "k8s.io/cri-api/pkg/apis"
	v1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	criclient "k8s.io/cri-client/pkg"
	"k8s.io/utils/exec"
)

var ctx, cancel = context.WithTimeout(context.Background(), 5*time.Minute)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: client ENDPOINT DIRECTORY")
		os.Exit(2)
	}
	defer cancel()
	for _, streams := range []bool{false, true} {
		runtime := must(criclient.NewRemoteRuntimeServiceBuilder().WithEndpoint(os.Args[1]).
			WithConnectionTimeout(time.Minute).WithUseStreaming(streams).Build(ctx))
		images := must(criclient.NewRemoteImageServiceBuilder().WithEndpoint(os.Args[1]).
			WithConnectionTimeout(time.Minute).WithUseStreaming(streams).Build(ctx))
		life(runtime, images, filepath.Join(os.Args[2], fmt.Sprint(streams)))
		check(runtime.Close(ctx))
		check(images.Close(ctx))
	}
}

// life is that of a pod, with everything that can be asked about it.
func life(runtime cri.RuntimeService, images cri.ImageManagerService, directory string) {
	must(runtime.Version(ctx, "0.1.0"))
	must(runtime.Status(ctx, true))
	must(runtime.RuntimeConfig(ctx))
	check(runtime.UpdateRuntimeConfig(ctx, &v1.RuntimeConfig{NetworkConfig: &v1.NetworkConfig{PodCidr: "10.88.0.0/24"}}))
	image := &v1.ImageSpec{Image: "busybox"}
	must(images.PullImage(ctx, image, nil, nil))
	must(images.ImageStatus(ctx, image, true))
	some(images.ListImages(ctx, nil))
	must(images.ImageFsInfo(ctx))

	events, subscribed := make(chan *v1.ContainerEventResponse, 100), make(chan struct{})
	go func() {
		_ = runtime.GetContainerEvents(ctx, events, func(v1.RuntimeService_GetContainerEventsClient) { close(subscribed) })
	}()
	<-subscribed

	pod := &v1.PodSandboxConfig{
		Metadata:     &v1.PodSandboxMetadata{Name: "pod", Namespace: "default", Uid: directory},
		LogDirectory: filepath.Join(directory, "logs"),
		Linux:        &v1.LinuxPodSandboxConfig{CgroupParent: "/kubepods/pod"},
	}
	config := &v1.ContainerConfig{
		Metadata: &v1.ContainerMetadata{Name: "app"},
		Image:    image,
		Command:  []string{"sleep", "100000"},
		LogPath:  "app.log",
		Linux:    &v1.LinuxContainerConfig{},
	}
	podID := must(runtime.RunPodSandbox(ctx, pod, ""))
	id := must(runtime.CreateContainer(ctx, podID, config, pod))
	check(runtime.StartContainer(ctx, id))
	must(runtime.PodSandboxStatus(ctx, podID, true))
	must(runtime.ContainerStatus(ctx, id, true))
	some(runtime.ListPodSandbox(ctx, nil))
	some(runtime.ListContainers(ctx, nil))

	resources := &v1.LinuxContainerResources{CpuShares: 512, MemoryLimitInBytes: 1 << 30}
	check(runtime.UpdateContainerResources(ctx, id, &v1.ContainerResources{Linux: resources}))
	must(runtime.UpdatePodSandboxResources(ctx, &v1.UpdatePodSandboxResourcesRequest{PodSandboxId: podID, Resources: resources}))
	check(runtime.ReopenContainerLog(ctx, id))
	commands(runtime, podID, id)

	must(runtime.ContainerStats(ctx, id))
	some(runtime.ListContainerStats(ctx, nil))
	must(runtime.PodSandboxStats(ctx, podID))
	some(runtime.ListPodSandboxStats(ctx, nil))
	some(runtime.ListMetricDescriptors(ctx))
	some(runtime.ListPodSandboxMetrics(ctx))

	checkpoint := filepath.Join(directory, "checkpoint")
	check(os.MkdirAll(checkpoint, 0o755))
	check(runtime.CheckpointContainer(ctx, &v1.CheckpointContainerRequest{ContainerId: id, Location: filepath.Join(directory, "app.tar")}))
	check(runtime.CheckpointPod(ctx, &v1.CheckpointPodRequest{PodSandboxId: podID, OutputPath: checkpoint, ContainerIds: []string{id}}))
	check(runtime.StopContainer(ctx, id, 0))
	check(runtime.RemoveContainer(ctx, id))
	remove(runtime, podID)
	restored := must(runtime.RestorePod(ctx, &v1.RestorePodRequest{
		CheckpointPath: checkpoint, Config: pod, ContainerConfigs: []*v1.ContainerConfig{config},
	}))
	remove(runtime, restored.PodSandboxId)
	check(images.RemoveImage(ctx, image))
	if event := <-events; event.PodSandboxStatus.GetId() != podID {
		check(fmt.Errorf("the first event is %v", event))
	}
}

func commands(runtime cri.RuntimeService, podID, id string) {
	stdout, _, err := runtime.ExecSync(ctx, id, []string{"echo", "hi"}, time.Minute)
	check(err)
	if string(stdout) != "hi\n" {
		check(fmt.Errorf("echo hi prints %q", stdout))
	}
	var exit exec.CodeExitError
	if _, _, err = runtime.ExecSync(ctx, id, []string{"sh", "-c", "exit 3"}, time.Minute); !errors.As(err, &exit) || exit.Code != 3 {
		check(fmt.Errorf("exit 3 ends with %v", err))
	}
	must(runtime.Exec(ctx, &v1.ExecRequest{ContainerId: id, Cmd: []string{"true"}, Stdout: true}))
	must(runtime.Attach(ctx, &v1.AttachRequest{ContainerId: id, Stdout: true}))
	must(runtime.PortForward(ctx, &v1.PortForwardRequest{PodSandboxId: podID, Port: []int32{80}}))
}

func remove(runtime cri.RuntimeService, podID string) {
	check(runtime.StopPodSandbox(ctx, podID))
	check(runtime.RemovePodSandbox(ctx, podID))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// some is a list that may not be empty.
func some[T any](list []T, err error) {
	check(err)
	if len(list) == 0 {
		panic(fmt.Sprintf("a list of %T is empty", list))
	}
}
