package criproxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
)

// RemoteRuntime is a socket in front of Mockri, and the injectors of its calls.
type RemoteRuntime struct {
	control *control

	mutex     sync.Mutex
	injectors []func(Call) error
	listener  net.Listener
	stop      context.CancelFunc
	serving   sync.WaitGroup
}

// Call is what an injector may look at.
type Call struct {
	// Name is that of the RPC, or of its messages: StreamContainersSend.
	Name string
	// Namespace and Pod name the pod that the call is about; both are empty if there is none.
	Namespace, Pod string
	// Container is the name of the container that the call is about, if there is one.
	Container string
}

// NewRemoteRuntimeProxy returns a proxy. The clients are those of the original, and not used: Mockri is found by its own
// settings.
func NewRemoteRuntimeProxy(_, _ any) *RemoteRuntime {
	return &RemoteRuntime{control: newControl(setting("MOCKRI_CONTROL", "127.0.0.1:10350"))}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// Start listens on the endpoint, unix:///path, and forwards its connections to Mockri. Injectors work from then on.
func (p *RemoteRuntime) Start(endpoint string) error {
	path, isSocket := strings.CutPrefix(endpoint, "unix://")
	if !isSocket {
		return fmt.Errorf("endpoint %q: expected unix:///path", endpoint)
	}
	target, isSocket := strings.CutPrefix(setting("MOCKRI_LISTEN", "unix:///tmp/mockri.sock"), "unix://")
	if !isSocket {
		return fmt.Errorf("MOCKRI_LISTEN: expected unix:///path")
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("failed to listen on %q: %w", endpoint, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.listener, p.stop = listener, stop
	p.serve(func() { p.accept(ctx, target) })
	p.serve(func() { p.decide(ctx) })
	return nil
}

// Stop closes the socket and its connections, and lets go what is held.
func (p *RemoteRuntime) Stop() {
	if p.listener == nil {
		return
	}
	p.ResetInjectors()
	p.stop()
	_ = p.listener.Close()
	p.serving.Wait()
}

// AddInjector adds a function that runs before each call and message, with its name. If it returns an error, the call ends with it.
func (p *RemoteRuntime) AddInjector(injector func(string) error) {
	p.AddCallInjector(func(call Call) error { return injector(call.Name) })
}

// AddCallInjector is AddInjector for a function that looks at the pod and the container.
func (p *RemoteRuntime) AddCallInjector(injector func(Call) error) {
	p.mutex.Lock()
	p.injectors = append(p.injectors, injector)
	first := len(p.injectors) == 1
	p.mutex.Unlock()
	if first {
		p.control.hold()
	}
}

// ResetInjectors removes all injectors. Calls that wait for one continue at once.
func (p *RemoteRuntime) ResetInjectors() {
	p.mutex.Lock()
	p.injectors = nil
	p.mutex.Unlock()
	p.control.release()
}

func (p *RemoteRuntime) run(call Call) error {
	p.mutex.Lock()
	injectors := p.injectors
	p.mutex.Unlock()
	for _, injector := range injectors {
		if err := injector(call); err != nil {
			return err
		}
	}
	return nil
}

// serve runs a function that Stop waits for.
func (p *RemoteRuntime) serve(run func()) {
	p.serving.Add(1)
	go func() {
		defer p.serving.Done()
		run()
	}()
}

func (p *RemoteRuntime) accept(ctx context.Context, target string) {
	for {
		connection, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.serve(func() { forward(ctx, connection, target) })
	}
}

// forward joins two connections until both directions have ended.
func forward(ctx context.Context, client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("unix", target)
	if err != nil {
		return
	}
	defer server.Close()
	defer context.AfterFunc(ctx, func() { _ = client.Close(); _ = server.Close() })()
	done := make(chan struct{}, 2)
	join := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		if half, ok := to.(*net.UnixConn); ok {
			_ = half.CloseWrite()
		}
		done <- struct{}{}
	}
	go join(server, client)
	go join(client, server)
	<-done
	<-done
}

// decide runs the injectors for what is held, each in its own time.
func (p *RemoteRuntime) decide(ctx context.Context) {
	for since := 0; ctx.Err() == nil; {
		held, err := p.control.next(ctx, since)
		if err != nil {
			if ctx.Err() == nil {
				p.control.pause(ctx)
			}
			continue
		}
		for _, one := range held {
			since = max(since, one.ID)
			go func() { p.control.decide(ctx, one, p.run(one.call())) }()
		}
	}
}
