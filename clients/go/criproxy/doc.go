// Package criproxy has the interface of Kubernetes' own CRI proxy (k8s.io/kubernetes/test/e2e_node/criproxy), and drives the
// fault rules of Mockri: a test that was written for that proxy runs on Mockri with another import.
//
//	proxy := criproxy.NewRemoteRuntimeProxy(nil, nil)
//	endpoint, err := criproxy.GenerateEndpoint()
//	err = proxy.Start(endpoint) // the kubelet's --container-runtime-endpoint
//	proxy.AddInjector(func(apiName string) error {
//		if apiName == criproxy.PullImage {
//			return errors.New("no pull today")
//		}
//		return nil
//	})
//
// An injector runs before each call, and before each message of StreamPodSandboxes, StreamContainers and StreamImages
// (StreamContainersSend, …). It may take its time, and its error is the client's. Beyond the original, an error can be [Lost]: then the
// runtime does the work, and the client gets the error. [RemoteRuntime.AddCallInjector] knows the pod and the container.
//
// Mockri is found by the variables that `mockri serve` reads itself: MOCKRI_LISTEN (default unix:///tmp/mockri.sock) and
// MOCKRI_CONTROL (default 127.0.0.1:10350). Start it with --stream-items 1 where a test counts messages: the original sends
// each item of a stream in a message of its own.
//
// The package uses the standard library only.
package criproxy
