package mockri

import (
	"errors"
	"strings"
	"time"

	"mockri.dev/clients/go/internal/program"
)

// TB is what the kit uses of a test: testing.TB and Ginkgo's GinkgoT() have it.
type TB = program.TB

// Server is a running mock runtime.
type Server struct {
	// Endpoint is the address of the CRI: unix:///path, or tcp://host:port in a container.
	Endpoint string `json:"listen"`
	// Control is the URL of the HTTP control API.
	Control string `json:"control"`
	// PID is the process of the server, as the server sees it.
	PID int `json:"pid"`
	// NRI is the socket for node resource plugins; empty without the option [Plugins].
	NRI string `json:"nri"`

	t       TB
	process *program.Process
}

// Option changes how Start starts a server.
type Option func(*settings)

type settings struct {
	command []string
	image   string
	args    []string
	timeout time.Duration
}

// Args adds flags of `mockri serve`, such as "--profile", "containerd-2.4".
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
func Start(t TB, options ...Option) *Server {
	t.Helper()
	chosen := settings{timeout: 30 * time.Second}
	for _, option := range options {
		option(&chosen)
	}
	server, err := chosen.start()
	if err != nil {
		t.Fatalf("mockri: %v", err)
	}
	server.t = program.Reporter{TB: t, Process: server.process}
	t.Cleanup(func() {
		server.Stop()
		if t.Failed() {
			t.Logf("mockri's log:\n%s", server.process.Log())
		}
	})
	return server
}

// Connect returns a server that runs already, by the URL of its control API: a nightly system's, or nodes of `mockri node`.
func Connect(t TB, control string) *Server { return &Server{Control: control, t: t} }

// Stop stops the server now: its clients lose their connections. The end of the test does it too.
func (s *Server) Stop() {
	if s.process != nil {
		s.process.Stop()
	}
}

// Target is the endpoint in the form that grpc.NewClient takes.
func (s *Server) Target() string { return strings.TrimPrefix(s.Endpoint, "tcp://") }

// common are the flags of every server: it ends with its standard input.
var common = []string{"--exit-with-stdin"}

func (s settings) start() (*Server, error) {
	command, image, err := program.Find(s.command, s.image)
	if err != nil {
		return nil, err
	}
	if image != "" {
		return s.container(image)
	}
	flags := append([]string{"serve", "--listen", "temporary", "--control", "127.0.0.1:0"}, common...)
	return s.launch(program.Launch{Command: append(append(append([]string{}, command...), flags...), s.args...)})
}

func (s settings) launch(launch program.Launch) (*Server, error) {
	server := &Server{}
	process, err := program.Start(launch, s.timeout, server)
	if err != nil {
		return nil, err
	}
	server.process = process
	if server.Endpoint == "" || server.Control == "" {
		process.Stop()
		return nil, errors.New("no ready line: it has no addresses")
	}
	return server, nil
}
