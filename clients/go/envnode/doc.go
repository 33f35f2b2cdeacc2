// Package envnode gives the API server of a test nodes whose pods run, fail and end: a kubelet for envtest.
//
//	func TestMyOperator(t *testing.T) {
//		environment := &envtest.Environment{}
//		cfg, err := environment.Start()
//		...
//		node := envnode.Start(t, cfg)
//		node.Pods(envnode.Label("app=db")).ExitAfter(3*time.Second, 1) // a crash loop
//		...
//		node.WaitForRestart("default/db-0", "app", 1)
//	}
//
// The nodes are those of `mockri node`: simulated containers under a kubelet that works as the real one does. Nothing of an
// image is downloaded or run. [Start] looks for the program mockri as mockri.Start of the package beside this one does.
//
// Pods without a node are bound to one that fits, because envtest has no scheduler ([NoBinding] leaves that to another), and
// service accounts have tokens. There are no other controllers.
//
// The program ends with the test, also when the test process panics or is killed, and the API server keeps the Node objects.
package envnode
