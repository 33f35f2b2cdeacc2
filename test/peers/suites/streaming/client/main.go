// Checks Mockri's streaming server with the executors that kubectl is built on.
//
// usage: client stream PROTOCOL URL   copies stdin, if it is a file, to the command and its output back; exits with its code
//
//	client bytes                 writes, in hex, what moby/spdystream sends for a fixed set of frames
//
// PROTOCOL is spdy, websocket-v5 or websocket-v4.
package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/moby/spdystream/spdy"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "bytes" {
		fmt.Println(hex.EncodeToString(frames()))
		return
	}
	if len(os.Args) != 4 || os.Args[1] != "stream" {
		fmt.Fprintln(os.Stderr, "usage: client bytes | client stream spdy|websocket-v5|websocket-v4 URL")
		os.Exit(2)
	}
	os.Exit(stream(os.Args[2], os.Args[3]))
}

func stream(protocol, target string) int {
	config := &rest.Config{Host: target}
	executor, err := executorFor(config, protocol, target)
	check(err)
	options := remotecommand.StreamOptions{Stdout: os.Stdout, Stderr: os.Stderr}
	if info, statErr := os.Stdin.Stat(); statErr == nil && info.Mode().IsRegular() {
		options.Stdin = os.Stdin
	}
	err = executor.StreamWithContext(context.Background(), options)
	var exit exec.CodeExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	check(err)
	return 0
}

func executorFor(config *rest.Config, protocol, target string) (remotecommand.Executor, error) {
	switch protocol {
	case "spdy":
		location, err := url.Parse(target)
		check(err)
		return remotecommand.NewSPDYExecutor(config, "POST", location)
	case "websocket-v5":
		return remotecommand.NewWebSocketExecutor(config, "GET", target)
	case "websocket-v4":
		return remotecommand.NewWebSocketExecutorForProtocols(config, "GET", target, "v4.channel.k8s.io")
	}
	return nil, fmt.Errorf("unknown protocol %q", protocol)
}

// frames is one of each kind, with two header blocks in one compression context.
func frames() []byte {
	var out bytes.Buffer
	framer, err := spdy.NewFramer(&out, &out)
	check(err)
	for _, frame := range []spdy.Frame{
		&spdy.SynStreamFrame{StreamId: 1, Priority: 3, Headers: http.Header{"streamtype": {"error"}}},
		&spdy.SynStreamFrame{StreamId: 3, CFHeader: spdy.ControlFrameHeader{Flags: spdy.ControlFlagFin}, Headers: http.Header{"streamtype": {"stdin"}}},
		&spdy.SynReplyFrame{StreamId: 1, Headers: http.Header{}},
		&spdy.HeadersFrame{StreamId: 1, Headers: http.Header{"x-many": {"one", "two"}}},
		&spdy.DataFrame{StreamId: 3, Data: []byte("hello\x00\xff")},
		&spdy.DataFrame{StreamId: 3, Flags: spdy.DataFlagFin},
		&spdy.SettingsFrame{FlagIdValues: []spdy.SettingsFlagIdValue{{Flag: 1, Id: 4, Value: 100}}},
		&spdy.PingFrame{Id: 5},
		&spdy.WindowUpdateFrame{StreamId: 3, DeltaWindowSize: 65536},
		&spdy.RstStreamFrame{StreamId: 1, Status: spdy.Cancel},
		&spdy.GoAwayFrame{LastGoodStreamId: 3, Status: spdy.GoAwayOK},
	} {
		check(framer.WriteFrame(frame))
	}
	return out.Bytes()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
