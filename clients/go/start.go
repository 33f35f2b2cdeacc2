package mockri

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is a running mock runtime.
type Server struct {
	// Endpoint is the address of the CRI: unix:///path, or tcp://host:port in a container.
	Endpoint string
	// Control is the URL of the HTTP control API.
	Control string
	// PID is the process of the server, as the server sees it.
	PID int
	// NRI is the socket for node resource plugins; empty without the option [Plugins].
	NRI string

	t    testing.TB
	stop func()
}

// Option changes how Start starts a server.
type Option func(*settings)

type settings struct {
	command []string
	image   string
	args    []string
	timeout time.Duration
}

// Args adds flags of `mockri serve`, such as "--profile", "containerd-2.1".
func Args(args ...string) Option {
	return func(s *settings) { s.args = append(s.args, args...) }
}

// Plugins lets the server take in node resource plugins (NRI), on the socket [Server.NRI].
func Plugins() Option {
	return Args("--nri-socket", "temporary")
}

// Command sets the program and its first arguments, such as "npx", "mockri".
func Command(command ...string) Option {
	return func(s *settings) { s.command = command }
}

// Image starts the server in a container of this image, with the docker command.
func Image(image string) Option {
	return func(s *settings) { s.image = image }
}

// StartTimeout sets how long the server may take until it is ready. The default is 30 seconds.
func StartTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.timeout = timeout }
}

// Start starts a server that stops at the end of the test. It fails the test if there is none.
//
// The first of these that is set names the program: the options [Command] and [Image]; the environment variable MOCKRI
// (a command line, such as "node ../mockri/dist/src/cli/main.js"); the environment variable MOCKRI_IMAGE; the program mockri on the PATH.
//
// If the test fails, the end of the server's log is in the test's log.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	chosen := settings{timeout: 30 * time.Second}
	for _, option := range options {
		option(&chosen)
	}
	launch, err := chosen.launch()
	if err != nil {
		t.Fatalf("mockri: %v", err)
	}
	server, err := launch.start(chosen.timeout)
	if err != nil {
		t.Fatalf("mockri: %v", err)
	}
	server.t = t
	t.Cleanup(func() {
		server.stop()
		if t.Failed() {
			t.Logf("mockri's log:\n%s", launch.log.String())
		}
	})
	return server
}

// Stop stops the server now: its clients lose their connections. The end of the test does it too.
func (s *Server) Stop() { s.stop() }

// Target is the endpoint in the form that grpc.NewClient takes.
func (s *Server) Target() string { return strings.TrimPrefix(s.Endpoint, "tcp://") }

// launch is a command line for a server, and where the server is found once it is ready.
type launch struct {
	command []string
	log     tail
	// addresses corrects the addresses of the ready line; nil if they are right.
	addresses func(*Server) error
	// kill ends what the process leaves behind; nil if there is nothing.
	kill func()
}

// common are the flags of every server: it ends with its standard input.
var common = []string{"--exit-with-stdin"}

func (s settings) launch() (*launch, error) {
	if s.image == "" && len(s.command) == 0 {
		s.command = strings.Fields(os.Getenv("MOCKRI"))
		s.image = os.Getenv("MOCKRI_IMAGE")
	}
	if len(s.command) > 0 {
		return s.process(s.command), nil
	}
	if s.image != "" {
		return s.container()
	}
	path, err := exec.LookPath("mockri")
	if err != nil {
		return nil, fmt.Errorf("no program mockri on the PATH: install it, or set the environment variable MOCKRI " +
			"to a command line such as \"node …/dist/src/cli/main.js\" of a checkout, or MOCKRI_IMAGE to a container image")
	}
	return s.process([]string{path}), nil
}

func (s settings) process(command []string) *launch {
	flags := append([]string{"serve", "--listen", "temporary", "--control", "127.0.0.1:0"}, common...)
	return &launch{command: append(append(append([]string{}, command...), flags...), s.args...)}
}

// start runs the command, and waits for its ready line.
func (l *launch) start(timeout time.Duration) (*Server, error) {
	command := exec.Command(l.command[0], l.command[1:]...)
	command.Env = environment()
	command.Stderr = &l.log
	// A process that npx leaves behind must not hold up the test.
	command.WaitDelay = 5 * time.Second
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	var once sync.Once
	server := &Server{stop: func() { once.Do(func() { l.end(command, stdin) }) }}
	ready := make(chan error, 1)
	go func() { ready <- readReady(stdout, server) }()
	select {
	case err = <-ready:
	case <-time.After(timeout):
		err = fmt.Errorf("not ready after %v", timeout)
	}
	if err == nil && l.addresses != nil {
		err = l.addresses(server)
	}
	if err != nil {
		server.stop()
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(l.command, " "), err, l.log.String())
	}
	return server, nil
}

// end closes the server's standard input, and kills the server if it does not stop.
func (l *launch) end(command *exec.Cmd, stdin io.Closer) {
	_ = stdin.Close()
	exited := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(exited)
	}()
	select {
	case <-exited:
	case <-time.After(10 * time.Second):
		_ = command.Process.Kill()
		if l.kill != nil {
			l.kill()
		}
		<-exited
	}
}

// mostReady is how many bytes a ready line may have.
const mostReady = 64 * 1024

func readReady(stdout io.Reader, server *Server) error {
	reader := bufio.NewReaderSize(stdout, mostReady)
	line, err := reader.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return fmt.Errorf("no ready line in %d bytes: %.200q", mostReady, line)
	}
	if err != nil {
		return fmt.Errorf("ended without a ready line: %.200q", line)
	}
	var ready struct {
		Ready   bool   `json:"ready"`
		Listen  string `json:"listen"`
		Control string `json:"control"`
		PID     int    `json:"pid"`
		NRI     string `json:"nri"`
	}
	if err := json.Unmarshal(line, &ready); err != nil || !ready.Ready || ready.Listen == "" || ready.Control == "" {
		return fmt.Errorf("no ready line: %.200q", line)
	}
	server.Endpoint, server.Control, server.PID, server.NRI = ready.Listen, ready.Control, ready.PID, ready.NRI
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	return nil
}

// environment is that of the test without this package's own setting: the server refuses settings that it doesn't know.
func environment() []string {
	var kept []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "MOCKRI_IMAGE=") {
			kept = append(kept, entry)
		}
	}
	return kept
}
