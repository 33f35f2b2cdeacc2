package mockri

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"mockri.dev/clients/go/internal/api"
	"mockri.dev/clients/go/internal/failure"
)

// Programs that are no server, and what Start says of them.
var programs = map[string][2]string{
	"binary":           {`head -c 300000 /dev/zero; cat >/dev/null`, "no ready line in 65536 bytes"},
	"endless":          {`yes | tr -d '\n'`, "no ready line in 65536 bytes"},
	"nested":           {`head -c 50000 /dev/zero | tr '\0' '['; echo; cat >/dev/null`, "no ready line"},
	"other types":      {`echo '{"ready":true,"listen":1,"control":[],"pid":"x"}'; cat >/dev/null`, "no ready line"},
	"without address":  {`echo '{"ready":true}'; cat >/dev/null`, "no ready line"},
	"nothing":          {`true`, "ended without a ready line"},
	"an endless error": {`yes >&2`, "not ready after"},
}

func TestOutputOfNoServer(t *testing.T) {
	t.Run("all", func(t *testing.T) {
		for name, program := range programs {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				chosen := settings{command: []string{"sh", "-c", program[0]}, timeout: 3 * time.Second}
				_, err := chosen.start()
				if err == nil || !strings.Contains(err.Error(), program[1]) {
					t.Errorf("given %.300v; expected %s", err, program[1])
				}
			})
		}
	})
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.Sys > 200<<20 {
		t.Errorf("%d MiB were taken", memory.Sys>>20)
	}
}

func TestReplyWithoutEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		part := []byte(strings.Repeat("x", 1<<20))
		for sent := 0; sent < 200; sent++ {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	err := (&Server{Control: server.URL}).send(http.MethodGet, "/v1/calls", nil, nil)
	if expected := fmt.Sprintf("more than %d bytes", api.MostReply); err == nil || !strings.Contains(err.Error(), expected) {
		t.Errorf("given %v; expected %s", err, expected)
	}
}

// failureOf is what WaitForCall says when the server answers so.
func failureOf(t *testing.T, calls string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("method") {
			fmt.Fprint(w, `{"calls":[]}`)
		} else {
			fmt.Fprintf(w, `{"calls":[%s]}`, calls)
		}
	}))
	defer server.Close()
	return failure.Of(t, func(failed *failure.TB) {
		(&Server{Control: server.URL, t: failed}).WaitForCall(CallFilter{Method: "Status", Timeout: time.Millisecond})
	})
}

func TestACallThatDoesNotCome(t *testing.T) {
	if text := failureOf(t, ""); !strings.HasSuffix(text, "; no call has ended yet") {
		t.Errorf("given %s", text)
	}
	calls := []string{}
	for number := 1; number <= 11; number++ {
		calls = append(calls, fmt.Sprintf(`{"sequence":%d,"method":"ListContainers","code":"OK"}`, number))
	}
	calls = append(calls, `{"sequence":12,"method":"StartContainer","code":"OK",
		"subject":{"pod":{"namespace":"default","name":"web"},"container":{"name":"app"}}}`)
	lines := strings.Split(failureOf(t, strings.Join(calls, ",")), "\n")
	if len(lines) != 11 || !strings.HasSuffix(lines[0], "; the last calls:") ||
		lines[1] != "  3 ListContainers OK" || lines[10] != "  12 StartContainer OK default/web app" {
		t.Errorf("given %q", lines)
	}
}

func TestNoProgram(t *testing.T) {
	t.Setenv("MOCKRI", "")
	t.Setenv("MOCKRI_IMAGE", "")
	t.Setenv("PATH", t.TempDir())
	_, err := settings{}.start()
	if err == nil || !strings.Contains(err.Error(), "dist/src/cli/main.js") || strings.Contains(err.Error(), "npx") {
		t.Errorf("given %v", err)
	}
}
