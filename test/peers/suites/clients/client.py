"""Calls every RPC of a runtime with the stubs that protoc makes of api.proto: client.py ENDPOINT DIRECTORY"""

import os
import sys

import api_pb2 as cri
import api_pb2_grpc as stubs
import grpc

endpoint, directory = sys.argv[1:]
channel = grpc.insecure_channel(endpoint)
services = stubs.RuntimeServiceStub(channel), stubs.ImageServiceStub(channel)


def call(method, **fields):
    """The reply to a request with these fields; of a stream, a list of its messages."""
    request = getattr(cri, method + "Request")(**fields)
    stub = next(getattr(service, method) for service in services if hasattr(service, method))
    reply = stub(request, timeout=60)
    return list(reply) if method.startswith("Stream") else reply


def some(method, field):
    """A list, or the messages of a stream, with something in it."""
    reply = call(method)
    messages = reply if isinstance(reply, list) else [reply]
    assert any(len(getattr(message, field)) for message in messages), method


image = {"image": "busybox"}
assert call("Version").runtime_name == "mockri"
call("Status", verbose=True)
call("RuntimeConfig")
call("UpdateRuntimeConfig", runtime_config={"network_config": {"pod_cidr": "10.88.0.0/24"}})
call("PullImage", image=image)
assert call("ImageStatus", image=image).image.id
call("ImageFsInfo")

events = services[0].GetContainerEvents(cri.GetEventsRequest(), timeout=60)
pod = {
    "metadata": {"name": "pod", "namespace": "default", "uid": "python"},
    "log_directory": os.path.join(directory, "logs"),
    "linux": {"cgroup_parent": "/kubepods/pod"},
}
container = {
    "metadata": {"name": "app"},
    "image": image,
    "command": ["sleep", "100000"],
    "log_path": "app.log",
    "linux": {},
}
sandbox = {"pod_sandbox_id": call("RunPodSandbox", config=pod).pod_sandbox_id}
created = call("CreateContainer", config=container, sandbox_config=pod, **sandbox)
app = {"container_id": created.container_id}
call("StartContainer", **app)
call("PodSandboxStatus", verbose=True, **sandbox)
assert call("ContainerStatus", verbose=True, **app).status.state == cri.CONTAINER_RUNNING

call("UpdateContainerResources", linux={"cpu_shares": 512}, **app)
call("UpdatePodSandboxResources", resources={"cpu_shares": 512}, **sandbox)
call("ReopenContainerLog", **app)
assert call("ExecSync", cmd=["sh", "-c", "echo hi; exit 3"], **app).exit_code == 3
assert call("Exec", cmd=["true"], stdout=True, **app).url.startswith("http://")
assert call("Attach", stdout=True, **app).url.startswith("http://")
assert call("PortForward", port=[80], **sandbox).url.startswith("http://")
assert call("ContainerStats", **app).stats.attributes.id == app["container_id"]
assert call("PodSandboxStats", **sandbox).stats.attributes.id == sandbox["pod_sandbox_id"]
for listed, streamed, field in (
    ("ListPodSandbox", "StreamPodSandboxes", ("items", "pod_sandboxes")),
    ("ListContainers", "StreamContainers", ("containers", "containers")),
    ("ListContainerStats", "StreamContainerStats", ("stats", "container_stats")),
    ("ListPodSandboxStats", "StreamPodSandboxStats", ("stats", "pod_sandbox_stats")),
    ("ListPodSandboxMetrics", "StreamPodSandboxMetrics", ("pod_metrics", "pod_sandbox_metrics")),
    ("ListImages", "StreamImages", ("images", "images")),
):
    some(listed, field[0])
    some(streamed, field[1])
some("ListMetricDescriptors", "descriptors")

checkpoint = os.path.join(directory, "checkpoint")
os.makedirs(checkpoint)
call("CheckpointContainer", location=os.path.join(directory, "app.tar"), **app)
call("CheckpointPod", output_path=checkpoint, container_ids=[app["container_id"]], **sandbox)
call("StopContainer", **app)
call("RemoveContainer", **app)
call("StopPodSandbox", **sandbox)
call("RemovePodSandbox", **sandbox)
assert next(events).pod_sandbox_status.id == sandbox["pod_sandbox_id"]
events.cancel()
call("RestorePod", checkpoint_path=checkpoint, config=pod, container_configs=[container])
call("RemoveImage", image=image)
