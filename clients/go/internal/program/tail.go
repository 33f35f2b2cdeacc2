package program

import "sync"

// mostLog is how many bytes of the server's log are kept.
const mostLog = 64 * 1024

// tail keeps the end of what is written to it.
type tail struct {
	mutex sync.Mutex
	bytes []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.bytes = append(t.bytes, p...)
	if over := len(t.bytes) - mostLog; over > 0 {
		t.bytes = append([]byte(nil), t.bytes[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(t.bytes)
}
