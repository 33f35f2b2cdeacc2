// Package program starts the program mockri. The program ends with its standard input, and so with the test.
package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Launch is a command line of the program.
type Launch struct {
	Command []string
	// Kill ends what the process leaves behind; nil if there is nothing.
	Kill func()
}

// Process is a program that has printed its ready line.
type Process struct {
	command *exec.Cmd
	stdin   io.Closer
	launch  Launch
	log     tail
	// ended is closed when the process has ended and its output is read.
	ended chan struct{}
	once  sync.Once
}

// Find returns the first that is set: the given command line or image, the environment variables MOCKRI and MOCKRI_IMAGE, the
// program mockri on the PATH.
func Find(command []string, image string) ([]string, string, error) {
	if image == "" && len(command) == 0 {
		command = strings.Fields(os.Getenv("MOCKRI"))
		image = os.Getenv("MOCKRI_IMAGE")
	}
	if len(command) > 0 {
		return command, "", nil
	}
	if image != "" {
		return nil, image, nil
	}
	path, err := exec.LookPath("mockri")
	if err != nil {
		return nil, "", errors.New("no program mockri on the PATH: install it, or set the environment variable MOCKRI " +
			"to a command line such as \"node …/dist/src/cli/main.js\" of a checkout, or MOCKRI_IMAGE to a container image")
	}
	return []string{path}, "", nil
}

// Start runs the command, and reads its ready line into ready. An error is one line.
func Start(launch Launch, timeout time.Duration, ready any) (*Process, error) {
	command := exec.Command(launch.Command[0], launch.Command[1:]...)
	process := &Process{command: command, launch: launch, ended: make(chan struct{})}
	first := &firstLine{found: make(chan error, 1), into: ready}
	command.Env = environment()
	command.Stdout, command.Stderr = first, &process.log
	// A process that npx leaves behind must not hold up the test.
	command.WaitDelay = 5 * time.Second
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	process.stdin = stdin
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = command.Wait()
		first.end()
		close(process.ended)
	}()
	select {
	case err = <-first.found:
	case <-time.After(timeout):
		err = fmt.Errorf("not ready after %v", timeout)
	}
	if err != nil {
		process.Stop()
		return nil, fmt.Errorf("%s: %w%s", launch.name(), err, process.log.reason())
	}
	return process, nil
}

// Stop closes the program's standard input, and kills the program if it does not end. Doing it again is fine.
func (p *Process) Stop() {
	p.once.Do(func() {
		_ = p.stdin.Close()
		select {
		case <-p.ended:
		case <-time.After(10 * time.Second):
			_ = p.command.Process.Kill()
			if p.launch.Kill != nil {
				p.launch.Kill()
			}
			<-p.ended
		}
	})
}

// Log is the end of what the program has logged.
func (p *Process) Log() string { return p.log.String() }

// Ended says in one line how the program has ended; empty while it runs. Ask it when the program does not answer.
func (p *Process) Ended() string {
	select {
	case <-p.ended:
		return fmt.Sprintf("%s has ended (%v)%s", p.launch.name(), p.command.ProcessState, p.log.reason())
	case <-time.After(time.Second):
		return ""
	}
}

// name is the command line without its flags.
func (l Launch) name() string {
	for index, word := range l.Command {
		if index > 0 && strings.HasPrefix(word, "-") {
			return strings.Join(l.Command[:index], " ")
		}
	}
	return strings.Join(l.Command, " ")
}

// problem is a line that says why a program ends: the program's own, docker's or a shell's message, one about options, an exception.
var problem = regexp.MustCompile(`(?m)^(mockri: |docker: |error: |\w*Error: |Error: |\S+: .*not found).*$`)

// reason is the line of the log that says most, after a colon.
func (t *tail) reason() string {
	text := strings.TrimSpace(t.String())
	line := problem.FindString(text)
	if line == "" {
		line = text[strings.LastIndexByte(text, '\n')+1:]
	}
	// An entry of the log says only what the program did last.
	if strings.HasPrefix(line, "{") {
		return ""
	}
	if strings.Contains(line, "unknown option") || strings.Contains(line, "unknown command") {
		line += " (is this mockri older than the test's Go module?)"
	}
	if line == "" {
		return ""
	}
	return fmt.Sprintf(": %.500s", line)
}

// mostReady is how many bytes a ready line may have.
const mostReady = 64 * 1024

// firstLine takes the ready line from the program's output, and drops what follows.
type firstLine struct {
	bytes []byte
	over  bool
	into  any
	found chan error
}

func (f *firstLine) Write(p []byte) (int, error) {
	if f.over {
		return len(p), nil
	}
	f.bytes = append(f.bytes, p...)
	switch end := bytes.IndexByte(f.bytes, '\n'); {
	case end >= 0:
		f.parse(f.bytes[:end])
	case len(f.bytes) >= mostReady:
		f.finish(fmt.Errorf("no ready line in %d bytes: %.200q", mostReady, f.bytes))
	}
	return len(p), nil
}

// end is called after the last Write.
func (f *firstLine) end() {
	if !f.over {
		f.finish(errors.New(strings.TrimSuffix(fmt.Sprintf("ended without a ready line: %.200q", f.bytes), `: ""`)))
	}
}

func (f *firstLine) parse(line []byte) {
	var ready struct {
		Ready bool `json:"ready"`
	}
	if json.Unmarshal(line, &ready) != nil || !ready.Ready || json.Unmarshal(line, f.into) != nil {
		f.finish(fmt.Errorf("no ready line: %.200q", line))
		return
	}
	f.finish(nil)
}

func (f *firstLine) finish(err error) {
	f.over, f.bytes = true, nil
	f.found <- err
}

// environment is that of the test without this module's own setting: the program refuses settings that it doesn't know.
func environment() []string {
	var kept []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "MOCKRI_IMAGE=") {
			kept = append(kept, entry)
		}
	}
	return kept
}
