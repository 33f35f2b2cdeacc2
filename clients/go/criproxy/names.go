package criproxy

import (
	"fmt"
	"math/rand/v2"
)

// GenerateEndpoint returns a new address for a unix socket.
func GenerateEndpoint() (string, error) {
	return fmt.Sprintf("unix:///tmp/mockri_criproxy_%d.sock", rand.Int64()), nil
}

// The RPCs of the CRI, by the names that injectors get.
const (
	Version                   = "Version"
	RunPodSandbox             = "RunPodSandbox"
	StopPodSandbox            = "StopPodSandbox"
	RemovePodSandbox          = "RemovePodSandbox"
	PodSandboxStatus          = "PodSandboxStatus"
	ListPodSandbox            = "ListPodSandbox"
	CreateContainer           = "CreateContainer"
	StartContainer            = "StartContainer"
	StopContainer             = "StopContainer"
	RemoveContainer           = "RemoveContainer"
	ListContainers            = "ListContainers"
	ContainerStatus           = "ContainerStatus"
	UpdateContainerResources  = "UpdateContainerResources"
	ReopenContainerLog        = "ReopenContainerLog"
	ExecSync                  = "ExecSync"
	Exec                      = "Exec"
	Attach                    = "Attach"
	PortForward               = "PortForward"
	ContainerStats            = "ContainerStats"
	ListContainerStats        = "ListContainerStats"
	PodSandboxStats           = "PodSandboxStats"
	ListPodSandboxStats       = "ListPodSandboxStats"
	UpdateRuntimeConfig       = "UpdateRuntimeConfig"
	Status                    = "Status"
	CheckpointContainer       = "CheckpointContainer"
	CheckpointPod             = "CheckpointPod"
	RestorePod                = "RestorePod"
	GetContainerEvents        = "GetContainerEvents"
	ListMetricDescriptors     = "ListMetricDescriptors"
	ListPodSandboxMetrics     = "ListPodSandboxMetrics"
	RuntimeConfig             = "RuntimeConfig"
	UpdatePodSandboxResources = "UpdatePodSandboxResources"
	StreamPodSandboxes        = "StreamPodSandboxes"
	StreamContainers          = "StreamContainers"
	StreamContainerStats      = "StreamContainerStats"
	StreamPodSandboxStats     = "StreamPodSandboxStats"
	StreamPodSandboxMetrics   = "StreamPodSandboxMetrics"

	ListImages   = "ListImages"
	ImageStatus  = "ImageStatus"
	PullImage    = "PullImage"
	RemoveImage  = "RemoveImage"
	ImageFsInfo  = "ImageFsInfo"
	StreamImages = "StreamImages"

	// Before each message of a stream.
	StreamPodSandboxesSend = "StreamPodSandboxesSend"
	StreamContainersSend   = "StreamContainersSend"
	StreamImagesSend       = "StreamImagesSend"
)
