package operator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mockri.dev/clients/go/internal/failure"
)

// failureOf is what a test says in which the program mockri is this shell script; empty if it passes.
func failureOf(t *testing.T, script string, test func(TB)) string {
	file := filepath.Join(t.TempDir(), "mockri")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MOCKRI", file)
	return failure.Of(t, func(failed *failure.TB) { test(failed) })
}

func expect(t *testing.T, given, expected string) {
	t.Helper()
	if !strings.Contains(given, expected) || (expected == "") != (given == "") {
		t.Errorf("given %q; expected %q", given, expected)
	}
}

func TestRun(t *testing.T) {
	for name, each := range map[string][2]string{
		"nothing to report": {`echo '{"entries":[{"kind":"row","time":5000,"object":"pods/web","cells":{"READY":"1/1"}}],"findings":[]}'`, ""},
		"a finding":         {`echo '{"entries":[],"findings":["4 pods, above 3"]}'; exit 1`, "mockri: s.yaml: 4 pods, above 3"},
		"a mistake":         {`echo 'mockri: s.yaml:1: unknown key' >&2; exit 2`, "unknown key"},
		"a crash":           {`echo 'Error: oh' >&2; exit 1`, "Error: oh"},
		"not JSON":          {`echo hello`, "invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, failureOf(t, each[0], func(t TB) {
				result := Run(t, "s.yaml")
				if result.Entries[0].Cells["READY"] != "1/1" {
					t.Fatalf("no cells: %v", result)
				}
			}), each[1])
		})
	}
}

func TestExplore(t *testing.T) {
	found := `[ "$*" = "cluster --json s.yaml --explore --budget 90000ms" ] || exit 2
echo '{"tries":9,"tried":2,"found":[{"fault":{"name": "late"},"problems":["pods deleted","a crash"]}]}'; exit 1`
	expect(t, failureOf(t, found, func(t TB) { Explore(t, "s.yaml", 90*time.Second) }),
		"mockri: pods deleted; a crash\n  mockri cluster s.yaml --fault '{\"name\":\"late\"}'")
	if given := shellWord([]byte(`{"name": "it's"}`)); given != `'{"name":"it'\''s"}'` {
		t.Errorf("given %s", given)
	}
}

func TestExploreTriesNothing(t *testing.T) {
	none := `echo '{"tries":9,"tried":0,"found":[]}'`
	expect(t, failureOf(t, none, func(t TB) { Explore(t, "s.yaml", time.Second) }),
		"mockri: s.yaml: 1s is too short to try one of 9 faults")
}

func TestBuild(t *testing.T) {
	module, _ := filepath.Abs("..")
	script := `[ "$*" = "kubelet-build --source ` + module + ` --program ./cmd --out out" ] || { echo "$*" >&2; exit 2; }`
	expect(t, failureOf(t, script, func(t TB) { Build(t, "./cmd", "out") }), "")
}
