//go:build !linux

package operator

import "os/exec"

func endWithTest(*exec.Cmd) {}
