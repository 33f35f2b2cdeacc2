package operator

import (
	"os/exec"
	"syscall"
)

// endWithTest ends the command, and all that it has started, if the test process is killed.
func endWithTest(process *exec.Cmd) {
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
