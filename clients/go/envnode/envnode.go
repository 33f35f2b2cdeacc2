package envnode

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	mockri "mockri.dev/clients/go"
	"mockri.dev/clients/go/internal/api"
	"mockri.dev/clients/go/internal/program"
)

// TB is what the package uses of a test: testing.TB and Ginkgo's GinkgoT() have it.
type TB = mockri.TB

// Kubelets are the mock nodes of an API server.
type Kubelets struct {
	// Control is the URL of the control API.
	Control string
	// PID is the process of the nodes, as it sees itself.
	PID int

	t       TB
	process *program.Process
	server  *mockri.Server
	client  typed.CoreV1Interface
	added   *added
}

// added are the paths of the rules that a view has added.
type added struct {
	mutex sync.Mutex
	paths []string
}

func (a *added) add(path string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.paths = append(a.paths, path)
}

// Start starts nodes that stop at the end of the test, and waits until all are Ready. It fails the test if there are none.
//
// The first of these that is set names the program: the option [Command]; the environment variable MOCKRI (a command line, such
// as "node ../mockri/dist/src/cli/main.js"); the environment variable MOCKRI_IMAGE; the program mockri on the PATH.
//
// In a suite of Ginkgo, BeforeSuite calls it with GinkgoT(); in TestMain, see [New]. If the test fails, the end of the nodes' log
// is in the test's log.
func Start(t TB, cfg *rest.Config, options ...Option) *Kubelets {
	t.Helper()
	started, err := New(cfg, options...)
	if err != nil {
		t.Fatalf("envnode: %v", err)
	}
	t.Cleanup(func() {
		started.Stop()
		if t.Failed() {
			t.Logf("the log of the mock nodes:\n%s", started.process.Log())
		}
	})
	return started.with(t)
}

// New is [Start] without a test, for TestMain: end the nodes with [Kubelets.Stop], and give each test its own view with
// [Kubelets.In].
func New(cfg *rest.Config, options ...Option) (*Kubelets, error) {
	chosen := settings{timeout: 30 * time.Second, binds: true}
	for _, option := range options {
		option(&chosen)
	}
	kubeconfig, err := writeKubeconfig(cfg)
	if err != nil {
		return nil, err
	}
	// The program has read it by the time it is ready.
	defer os.Remove(kubeconfig)
	launch, err := chosen.launch(kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := typed.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	var ready struct {
		Control string `json:"control"`
		PID     int    `json:"pid"`
	}
	deadline, cancel := context.WithTimeout(context.Background(), chosen.timeout)
	defer cancel()
	process, err := program.Start(launch, chosen.timeout, &ready)
	if err != nil {
		return nil, err
	}
	started := &Kubelets{Control: ready.Control, PID: ready.PID, process: process, client: client}
	if err := started.untilReady(deadline); err != nil {
		process.Stop()
		return nil, err
	}
	go started.endWithServer()
	return started.with(program.NoTest{}), nil
}

// endWithServer ends the nodes when the API server stops listening: it waits for clients that watch, and envtest only 20 s for it.
// AfterSuite of Ginkgo and deferred calls stop it before the test has ended.
func (k *Kubelets) endWithServer() {
	// Ended waits a second.
	for k.process.Ended() == "" {
		request := k.client.RESTClient().Get().AbsPath("/livez")
		if err := request.Do(context.Background()).Error(); errors.Is(err, syscall.ECONNREFUSED) {
			k.process.Stop()
		}
	}
}

// Stop ends the nodes now. Their objects stay in the API server. The end of the test does it too, and that of the API server.
func (k *Kubelets) Stop() { k.process.Stop() }

// In is the same nodes in a test of a suite: what fails, fails this test, and its end removes the rules that were added here.
func (k *Kubelets) In(t TB) *Kubelets {
	view := k.with(t)
	t.Cleanup(view.removeRules)
	return view
}

func (k *Kubelets) with(t TB) *Kubelets {
	view := *k
	view.t = program.Reporter{TB: t, Process: k.process}
	view.server, view.added = mockri.Connect(view.t, k.Control), &added{}
	return &view
}

func (s settings) launch(kubeconfig string) (program.Launch, error) {
	command, image, err := program.Find(s.command, "")
	if err != nil {
		return program.Launch{}, err
	}
	if image != "" {
		if command, err = inContainer(image, kubeconfig); err != nil {
			return program.Launch{}, err
		}
	}
	// envtest's API server signs no certificates of nodes, finds nobody's name, and has no certificate for kubelets.
	command = append(append([]string{}, command...), "node", "--kubeconfig", kubeconfig, "--identity", "account",
		"--exit-with-stdin", "--control", "127.0.0.1:0", "--node-ip", "127.0.0.1", "--hostname-address", "none",
		"--kubelet-address", "127.0.0.1", "--kubelet-certificate", "self-signed", "--kubelet-anonymous",
		"--service-account-tokens", "local", "--clock", "fast:1")
	if s.binds {
		command = append(command, "--bind")
	}
	return program.Launch{Command: append(command, s.args...)}, nil
}

// inContainer is the command line of the image, which reaches the API server of this machine.
func inContainer(image, kubeconfig string) ([]string, error) {
	if _, err := exec.LookPath("docker"); err != nil {
		return nil, fmt.Errorf("image %s needs the program docker: %w", image, err)
	}
	user := strconv.Itoa(os.Getuid()) + ":" + strconv.Itoa(os.Getgid())
	return []string{"docker", "run", "--rm", "--interactive", "--network", "host", "--user", user,
		"--volume", kubeconfig + ":" + kubeconfig + ":ro", image}, nil
}

// untilReady waits until the API server shows all nodes as Ready.
func (k *Kubelets) untilReady(ctx context.Context) error {
	var list struct {
		Nodes []struct {
			Name string `json:"name"`
		} `json:"nodes"`
	}
	if err := api.Send(ctx, http.DefaultClient, http.MethodGet, k.Control+"/v1/nodes", nil, &list); err != nil {
		return fmt.Errorf("GET /v1/nodes: %w", err)
	}
	// The history of calls begins with the first request.
	if err := api.Send(ctx, http.DefaultClient, http.MethodGet, k.Control+"/v1/calls?limit=1", nil, nil); err != nil {
		return fmt.Errorf("GET /v1/calls: %w", err)
	}
	for _, node := range list.Nodes {
		if _, err := k.awaitNode(ctx, node.Name, isReady); err != nil {
			return k.because(fmt.Errorf("node %s is not Ready: %w", node.Name, err))
		}
	}
	return nil
}

// because prefers the end of the program as the reason.
func (k *Kubelets) because(err error) error {
	if ended := k.process.Ended(); ended != "" {
		return errors.New(ended)
	}
	return err
}

func isReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
