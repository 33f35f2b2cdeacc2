package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// echo answers UpdateContainers with the updates that it gets, and RegisterPlugin as the name says.
type echo struct{}

func (echo) RegisterPlugin(ctx context.Context, request *api.RegisterPluginRequest) (*api.Empty, error) {
	switch request.PluginName {
	case "refused":
		return nil, status.Error(codes.PermissionDenied, "not you")
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &api.Empty{}, nil
}

func (echo) UpdateContainers(_ context.Context, request *api.UpdateContainersRequest) (*api.UpdateContainersResponse, error) {
	return &api.UpdateContainersResponse{Failed: request.Update}, nil
}

func serve(ctx context.Context, socket string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server, err := ttrpc.NewServer()
	if err != nil {
		return err
	}
	api.RegisterRuntimeService(server, echo{})
	return server.Serve(ctx, listener)
}

// call makes calls of all kinds, and says what is not as it should be.
func call(ctx context.Context, socket string) error {
	connection, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	client := api.NewRuntimeClient(ttrpc.NewClient(connection))
	if err := many(ctx, client); err != nil {
		return err
	}
	for _, length := range []int{0, 1, 1 << 20, 4<<20 - 100} {
		if err := echoed(ctx, client, strings.Repeat("x", length)); err != nil {
			return fmt.Errorf("message of %d bytes: %w", length, err)
		}
	}
	_, err = client.UpdateContainers(ctx, update(strings.Repeat("x", 5<<20)))
	if status.Code(err) != codes.ResourceExhausted {
		return fmt.Errorf("message of 5 MiB: %v", err)
	}
	_, err = client.RegisterPlugin(ctx, &api.RegisterPluginRequest{PluginName: "refused"})
	if status.Code(err) != codes.PermissionDenied || !strings.Contains(err.Error(), "not you") {
		return fmt.Errorf("refused: %v", err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err = client.RegisterPlugin(short, &api.RegisterPluginRequest{PluginName: "slow"}); err == nil {
		return fmt.Errorf("a call outlives its deadline")
	}
	if err := echoed(ctx, client, "after all of that"); err != nil {
		return err
	}
	fmt.Println("every answer is as it should be")
	return nil
}

func many(ctx context.Context, client api.RuntimeService) error {
	var group sync.WaitGroup
	failures := make(chan error, 100)
	for number := range 100 {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := echoed(ctx, client, fmt.Sprint("call ", number)); err != nil {
				failures <- err
			}
		}()
	}
	group.Wait()
	close(failures)
	return <-failures
}

func update(id string) *api.UpdateContainersRequest {
	return &api.UpdateContainersRequest{Update: []*api.ContainerUpdate{{ContainerId: id}}}
}

func echoed(ctx context.Context, client api.RuntimeService, id string) error {
	response, err := client.UpdateContainers(ctx, update(id))
	if err != nil {
		return err
	}
	if len(response.Failed) != 1 || response.Failed[0].ContainerId != id {
		return fmt.Errorf("the answer is another one")
	}
	return nil
}
