package mockri

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os/exec"
	"strings"

	"mockri.dev/clients/go/internal/program"
)

// Ports of the server in its container.
const (
	criPort     = "10011"
	controlPort = "10350"
)

// container runs the image. The CRI is served on a TCP port of this machine: a socket would need a shared directory,
// which a killed test would leave behind.
func (s settings) container(image string) (*Server, error) {
	if _, err := exec.LookPath("docker"); err != nil {
		return nil, fmt.Errorf("image %s needs the program docker: %w", image, err)
	}
	random := make([]byte, 6)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	name := "mockri-" + hex.EncodeToString(random)
	command := []string{"docker", "run", "--rm", "--interactive", "--name", name,
		"--publish", "127.0.0.1:0:" + criPort, "--publish", "127.0.0.1:0:" + controlPort, image,
		"serve", "--listen", "tcp://0.0.0.0:" + criPort, "--control", "0.0.0.0:" + controlPort, "--control-allow-remote"}
	server, err := s.launch(program.Launch{
		Command: append(append(command, common...), s.args...),
		Kill:    func() { _ = exec.Command("docker", "rm", "--force", name).Run() },
	})
	if err != nil {
		return nil, err
	}
	cri, err := published(name, criPort)
	if err != nil {
		server.Stop()
		return nil, err
	}
	control, err := published(name, controlPort)
	if err != nil {
		server.Stop()
		return nil, err
	}
	server.Endpoint, server.Control = "tcp://"+cri, "http://"+control
	return server, nil
}

// published is the address on this machine of a container's port.
func published(name, port string) (string, error) {
	output, err := exec.Command("docker", "port", name, port+"/tcp").Output()
	address, _, _ := strings.Cut(strings.TrimSpace(string(output)), "\n")
	if err != nil || address == "" {
		return "", fmt.Errorf("docker port %s %s: %q, %v", name, port, output, err)
	}
	return address, nil
}
