package criproxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrorsBecomeStatuses(t *testing.T) {
	pull, message, stream := held{Method: PullImage, On: "call"}, held{Method: StreamContainers, On: "message"}, held{Method: StreamContainers, On: "call"}
	for _, one := range []struct {
		err      error
		held     held
		expected string
	}{
		{errors.New("no pull today"), pull, `{"error":{"code":"UNKNOWN","message":"no pull today"}}`},
		{errors.New("rpc error: code = DeadlineExceeded desc = too\nlate"), pull, `{"error":{"code":"DEADLINE_EXCEEDED","message":"too\nlate"}}`},
		{errors.New("rpc error: code = Canceled desc = gone"), pull, `{"error":{"code":"CANCELLED","message":"gone"}}`},
		{errors.New("rpc error: code = Internal desc = mid-stream"), message, `{"close":{"code":"INTERNAL","message":"mid-stream"}}`},
		{Lost(errors.New("gone")), pull, `{"error":{"code":"UNKNOWN","effect":"after","message":"gone"}}`},
		{fmt.Errorf("so: %w", Lost(errors.New("gone"))), pull, `{"error":{"code":"UNKNOWN","effect":"after","message":"so: gone"}}`},
		{Lost(errors.New("gone")), stream, `{"error":{"code":"UNKNOWN","message":"gone"}}`},
	} {
		got, err := json.Marshal(outcome(one.err, one.held))
		if err != nil || string(got) != one.expected {
			t.Errorf("%v on %s: given %s, %v; expected %s", one.err, one.held.On, got, err, one.expected)
		}
	}
}

func TestCallsHaveTheirNames(t *testing.T) {
	var one held
	text := `{"id":3,"on":"message","method":"StreamContainers","subject":{"pod":{"name":"web","namespace":"default"},"container":{"name":"app"}}}`
	if err := json.Unmarshal([]byte(text), &one); err != nil {
		t.Fatal(err)
	}
	if call := one.call(); call != (Call{Name: StreamContainersSend, Namespace: "default", Pod: "web", Container: "app"}) {
		t.Errorf("given %+v", call)
	}
}

func TestTheSocketForwards(t *testing.T) {
	target := filepath.Join(t.TempDir(), "mockri.sock")
	server, err := net.Listen("unix", target)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		connection, err := server.Accept()
		if err != nil {
			return
		}
		text, _ := io.ReadAll(connection)
		_, _ = connection.Write([]byte(strings.ToUpper(string(text))))
		_ = connection.Close()
	}()
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"holds":[]}`))
	}))
	defer control.Close()
	t.Setenv("MOCKRI_LISTEN", "unix://"+target)
	t.Setenv("MOCKRI_CONTROL", control.URL)

	proxy := NewRemoteRuntimeProxy(nil, nil)
	endpoint := "unix://" + filepath.Join(t.TempDir(), "proxy.sock")
	if err := proxy.Start(endpoint); err != nil {
		t.Fatal(err)
	}
	client, err := net.Dial("unix", strings.TrimPrefix(endpoint, "unix://"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = client.Write([]byte("hello"))
	_ = client.(*net.UnixConn).CloseWrite()
	answer, err := io.ReadAll(client)
	if err != nil || string(answer) != "HELLO" {
		t.Errorf("given %q, %v", answer, err)
	}
	proxy.Stop()
	if _, err := net.Dial("unix", strings.TrimPrefix(endpoint, "unix://")); err == nil {
		t.Error("the socket is still there")
	}
}

func TestEndpointsMustBeSockets(t *testing.T) {
	proxy := NewRemoteRuntimeProxy(nil, nil)
	if err := proxy.Start("tcp://localhost:1"); err == nil || !strings.Contains(err.Error(), "expected unix:///path") {
		t.Errorf("given %v", err)
	}
}
