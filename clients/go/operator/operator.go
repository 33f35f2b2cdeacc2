// Package operator tests an operator, as it is, with a real control plane in virtual time and faults on what it exchanges
// with the API server: late, lost and repeated events, refused requests, lost replies, and kills between any two writes.
//
//	func TestOperator(t *testing.T) {
//		operator.Build(t, "./cmd", "testdata/operator")
//		operator.Run(t, "testdata/scale.yaml")
//		operator.Explore(t, "testdata/scale.yaml", 10*time.Minute)
//	}
//
// A scenario names the program that Build makes (program: operator); docs/operators.md of Mockri describes scenarios. The same
// scenario gives the same run on any machine. Runs need Linux, and the programs that the command `mockri kubelet-build`
// builds; a test fails with that command if one is missing.
//
// The program mockri is the environment variable MOCKRI (a command line, such as "npx mockri"), or mockri on the PATH.
package operator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"mockri.dev/clients/go/internal/program"
)

// TB is what the package uses of a test: testing.TB and Ginkgo's GinkgoT() have it.
type TB = program.TB

// Result is what happened in a run.
type Result struct {
	Entries []Entry `json:"entries"`
	// Findings are expectations that were not met, and programs that ended.
	Findings []string `json:"findings"`
}

// Entry is something that happened. Which fields it has depends on its kind.
type Entry struct {
	// Time is in milliseconds of virtual time since the programs were ready.
	Time float64 `json:"time"`
	// Kind is "row" (an object changed), "call" (a program wrote), "fault", "log", "step" or "finding".
	Kind    string `json:"kind"`
	Program string `json:"program"`
	// Object is as in "pods/web-1".
	Object string `json:"object"`
	// Type of a row is "ADDED", "MODIFIED" or "DELETED"; Cells are its columns, as kubectl get prints them.
	Type  string         `json:"type"`
	Cells map[string]any `json:"cells"`
	// Verb and Status of a call; no status for a broken connection.
	Verb   string `json:"verb"`
	Status *int   `json:"status"`
	Fault  string `json:"fault"`
	Text   string `json:"text"`
}

// Exploration is what Explore tried.
type Exploration struct {
	// Tries are the faults that there are, Tried those that the budget allowed.
	Tries int     `json:"tries"`
	Tried int     `json:"tried"`
	Found []Found `json:"found"`
}

// Found is a fault after which something went wrong.
type Found struct {
	// Fault is the argument of `mockri cluster SCENARIO --fault` that runs it again.
	Fault    json.RawMessage `json:"fault"`
	Problems []string        `json:"problems"`
}

// Build builds the program of a package of this module for virtual time, such as "./cmd" or ".", as the file out. The first
// build takes minutes, a build without a change seconds.
func Build(t TB, pkg, out string) {
	t.Helper()
	module, err := moduleDirectory()
	if err == nil {
		_, err = output("kubelet-build", "--source", module, "--program", pkg, "--out", out)
	}
	if err != nil {
		t.Fatalf("mockri: %v", err)
	}
}

// Run runs a scenario of `mockri cluster`, and fails the test with what was not expected. Arguments such as "--fault",
// `{"name":…}` follow the scenario.
func Run(t TB, scenario string, args ...string) Result {
	t.Helper()
	var result Result
	run(t, &result, append([]string{scenario}, args...)...)
	if len(result.Findings) > 0 {
		t.Fatalf("mockri: %s: %s", scenario, strings.Join(result.Findings, "; "))
	}
	return result
}

// Explore runs a scenario with one fault after the other, at each write and each event of its programs, and fails the test
// with each fault after which something goes wrong, and the command that runs it again; also if the budget is too short for one.
func Explore(t TB, scenario string, budget time.Duration, args ...string) Exploration {
	t.Helper()
	var explored Exploration
	run(t, &explored, append([]string{scenario, "--explore", "--budget", fmt.Sprintf("%dms", budget.Milliseconds())}, args...)...)
	var found []string
	for _, each := range explored.Found {
		found = append(found, fmt.Sprintf("%s\n  mockri cluster %s --fault %s", strings.Join(each.Problems, "; "), scenario, shellWord(each.Fault)))
	}
	if len(found) > 0 {
		t.Fatalf("mockri: %s", strings.Join(found, "\n"))
	}
	if explored.Tried == 0 && explored.Tries > 0 {
		t.Fatalf("mockri: %s: %v is too short to try one of %d faults", scenario, budget, explored.Tries)
	}
	return explored
}

func run(t TB, into any, args ...string) {
	t.Helper()
	out, err := output(append([]string{"cluster", "--json"}, args...)...)
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("mockri: %v", err)
	}
}

// output is what the command prints. Exit code 1 with output means that it has findings.
func output(args ...string) ([]byte, error) {
	command, image, err := program.Find(nil, "")
	if err != nil {
		return nil, err
	}
	if image != "" {
		return nil, errors.New("MOCKRI_IMAGE: operators run on this machine; set MOCKRI, or put mockri on the PATH")
	}
	line := append(append([]string{}, command...), args...)
	process := exec.Command(line[0], line[1:]...)
	// The system ends the command when the thread that started it is gone.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	endWithTest(process)
	var said bytes.Buffer
	process.Stderr = &said
	out, err := process.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && len(bytes.TrimSpace(out)) > 0 {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %.2000s", strings.Join(line, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return out, nil
}

// moduleDirectory is where the go.mod of the test's package is.
func moduleDirectory() (string, error) {
	directory, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(directory, "go.mod")); missing == nil {
			return directory, nil
		}
		above := filepath.Dir(directory)
		if above == directory {
			err = errors.New("no go.mod above the test's directory")
		}
		directory = above
	}
	return "", err
}

// shellWord is JSON as one word of a command line.
func shellWord(text json.RawMessage) string {
	var line bytes.Buffer
	if json.Compact(&line, text) != nil {
		line.Write(text)
	}
	return "'" + strings.ReplaceAll(line.String(), "'", `'\''`) + "'"
}
