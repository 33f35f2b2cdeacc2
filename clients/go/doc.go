// Package mockri starts a mock container runtime for a test, and breaks it on purpose.
//
// The runtime serves all of the Container Runtime Interface (CRI) v1 on a socket. It runs no real containers and needs
// no privileges. A test gives its client the endpoint, adds fault rules, and looks at the calls that the client made:
//
//	func TestRetry(t *testing.T) {
//		runtime := mockri.Start(t)
//		rule := runtime.Fault("RunPodSandbox=1*error(UNAVAILABLE)")
//		startMyClient(t, runtime.Endpoint)
//		call := runtime.WaitForCall(mockri.CallFilter{Method: "RunPodSandbox", Code: "OK"})
//		...
//	}
//
// Start looks for the program mockri: see [Start]. The package uses the standard library only.
//
// The server stops when the test ends, and also when the test process panics, times out or is killed: it ends with its
// standard input, and removes its socket and directory itself.
package mockri
