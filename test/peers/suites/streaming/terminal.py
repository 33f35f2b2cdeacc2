"""usage: terminal.py CRICTL EXEC ARGUMENTS...: a shell, its keys and a resize on a pseudo terminal; prints ok."""
import fcntl, os, pty, select, signal, struct, sys, termios, time


def resize(fd, width, height):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))


def run(command, script):
    """Runs the command; for each (text, act) waits for the text, then acts. Returns all output."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[1], sys.argv[1:] + command)
    resize(fd, 80, 24)
    out = b""
    deadline = time.time() + 20
    pending = list(script)
    while time.time() < deadline:
        if pending and pending[0][0] in out:
            pending.pop(0)[1](fd, pid)
        if not select.select([fd], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        out += data
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return out


def grow(fd, pid):
    resize(fd, 132, 43)
    os.kill(pid, signal.SIGWINCH)


write = lambda text: lambda fd, pid: os.write(fd, text)
shell = run(["sh"], [(b"", write(b'echo he""llo $TERM; tty\n')), (b"/dev/pts", write(b"exit 5\n"))])
# Left, and a character in the middle; then the line before the last one, and the last one, from the history.
keys = run(
    ["sh"],
    [
        (b"# ", write(b"echo on\x1b[De-\r")),
        (b"\r\noe-n\r\n", write(b"echo two\r")),
        (b"\r\ntwo\r\n", write(b"\x1b[A\x1b[A again\r")),
        (b"\r\noe-n again\r\n", write(b"read x\r")),
        (b"read x\r\n", write(b"\x1b[A\r")),
        (b"^[[A\r\n", write(b"exit 6\r")),
    ],
)
sizes = run(["sh", "-c", "while sleep 0.2; do stty size; done"], [(b"24 80", grow), (b"43 132", lambda fd, pid: os.write(fd, b"\x03"))])
if b"hello xterm\r\n/dev/pts" not in shell or b"exit code 5" not in shell:
    sys.exit(f"shell: {shell!r}")
if b"exit code 6" not in keys:
    sys.exit(f"keys: {keys!r}")
if b"43 132" not in sizes:
    sys.exit(f"sizes: {sizes!r}")
print("ok")
