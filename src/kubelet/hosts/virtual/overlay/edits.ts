export interface Edit {
  /** Relative to `src` of the toolchain. */
  readonly file: string;
  readonly find: string;
  /** Replacement; `$&` is the old text. */
  readonly put: string;
  /** Number of occurrences; default 1. */
  readonly count?: number;
  /** First and last minor version of Go with this text; default all. */
  readonly since?: number;
  readonly until?: number;
}

/** The clock: programs see virtual time; the runtime's own waits are real. */
const clock: readonly Edit[] = [
  {
    file: 'runtime/time_nofake.go',
    find: '\treturn nanotime1()\n',
    put: '\tif virtualTime.on {\n\t\treturn virtualTime.now\n\t}\n$&',
  },
  {
    file: 'runtime/time_linux_amd64.s',
    find: 'TEXT time·now<ABIInternal>(SB)',
    put: 'TEXT runtime·virtualReal<ABIInternal>(SB)',
  },
  {
    file: 'runtime/timeasm.go',
    find: 'func time_now() (sec int64, nsec int32, mono int64)\n',
    put: `func time_now() (sec int64, nsec int32, mono int64) {
	if virtualTime.on {
		return virtualReading()
	}
	return virtualReal()
}

func virtualReal() (sec int64, nsec int32, mono int64)
`,
  },
  {
    file: 'runtime/timestub.go',
    find: '\tsec, nsec = walltime()\n',
    put: '\tif virtualTime.on {\n\t\treturn virtualReading()\n\t}\n$&',
  },
  { file: 'runtime/lock_futex.go', find: 'nanotime()', put: 'nanotime1()', count: 2 },
  { file: 'runtime/preempt.go', find: 'nanotime()', put: 'nanotime1()', count: 4 },
  {
    file: 'runtime/proc.go',
    find: 'nextYield = nanotime() + yieldDelay',
    put: 'nextYield = nanotime1() + yieldDelay',
    count: 2,
  },
  { file: 'runtime/proc.go', find: 'if nanotime() < nextYield', put: 'if nanotime1() < nextYield' },
];

/** The scheduler: one goroutine at a time, and questions to the controller when none can run. */
const scheduler: readonly Edit[] = [
  { file: 'runtime/proc.go', find: '\trandinit()', put: '\tvirtualInit()\n$&' },
  { file: 'runtime/proc.go', find: '\tgcinit()\n', put: '\tvirtualDebug()\n$&' },
  { file: 'runtime/proc.go', find: 'gogetenv("GOMAXPROCS")', put: 'virtualProcs()' },
  {
    file: 'runtime/debug.go',
    find: 'func GOMAXPROCS(n int) int {\n',
    put: '$&\tif virtualTime.on {\n\t\tn = 0\n\t}\n',
  },
  {
    file: 'runtime/debug.go',
    find: 'func NumCPU() int {\n',
    put: '$&\tif virtualTime.on {\n\t\treturn 4\n\t}\n',
  },
  {
    file: 'runtime/proc.go',
    find: 'func execute(gp *g, inheritTime bool) {\n',
    put: '$&\tvirtualRuns(gp)\n',
  },
  {
    file: 'runtime/proc.go',
    find: 'pp.schedtick%61 == 0',
    put: '(pp.schedtick-virtualTime.tick)%61 == 0',
  },
  {
    file: 'runtime/proc.go',
    find: '\tsched.lastpoll.Store(nanotime())\n',
    put: '\tsched.lastpoll.Store(nanotime1())\n',
  },
  {
    file: 'runtime/proc.go',
    find: 'if netpollinited() && (netpollAnyWaiters() || pollUntil != 0) && sched.lastpoll.Swap(0) != 0 {',
    put: 'if (virtualTime.on || netpollinited() && (netpollAnyWaiters() || pollUntil != 0)) && sched.lastpoll.Swap(0) != 0 {',
  },
  {
    file: 'runtime/proc.go',
    find: '\t\tlist, delta := netpoll(delay) // block until new work is available\n',
    put: `\t\tvar list gList
		var delta int32
		if virtualTime.on {
			list, delta = virtualPoll()
		} else {
			list, delta = netpoll(delay) // block until new work is available
		}
`,
  },
  {
    file: 'runtime/proc.go',
    find: '\t\tsched.lastpoll.Store(now)\n',
    put: '\t\tsched.lastpoll.Store(nanotime1())\n',
  },
  {
    file: 'runtime/netpoll_epoll.go',
    find: '\tif epfd == -1 {\n',
    put: '\tif epfd == -1 || virtualTime.on && !virtualTime.gate {\n',
  },
  {
    file: 'runtime/time.go',
    find: '\t\t\tt.rand = cheaprand()\n\t\t}\n',
    put: '\t\t\tt.rand = cheaprand()\n\t\t} else {\n\t\t\tt.rand = virtualOrder()\n\t\t}\n',
    // Earlier versions don't order timers of the same instant: their heap does.
    since: 25,
  },
];

/** The thread that monitors the others: it uses real time and does not affect the order of goroutines. */
const monitor: readonly Edit[] = [
  {
    file: 'runtime/proc.go',
    find: '\t\tnow := nanotime()\n\t\tif debug.schedtrace <= 0 && (',
    put: '\t\tnow := nanotime1()\n\t\tvirtualSysmon(now)\n\t\tif !virtualTime.on && debug.schedtrace <= 0 && (',
  },
  {
    file: 'runtime/proc.go',
    find: '\t\t// blocked on schedlock or sysmonlock above.\n\t\tnow = nanotime()\n',
    put: '\t\t// blocked on schedlock or sysmonlock above.\n\t\tnow = nanotime1()\n',
  },
  {
    file: 'runtime/proc.go',
    find: 'if scavenger.sysmonWake.Load() != 0 {',
    put: 'if scavenger.sysmonWake.Load() != 0 && !virtualTime.on {',
  },
  {
    file: 'runtime/proc.go',
    find: 'pd.schedwhen+forcePreemptNS <= now',
    put: 'pd.schedwhen+virtualTime.slice <= now',
  },
  {
    file: 'runtime/proc.go',
    find: 't.test() && forcegc.idle.Load() {',
    put: '!virtualTime.on && t.test() && forcegc.idle.Load() {',
  },
  {
    file: 'runtime/proc.go',
    find: "\t\t\t// On the one hand we don't want to retake Ps if there is no other work to do,\n",
    put: '\t\t\tif virtualKeep(pp, pd.syscallwhen, now) {\n\t\t\t\tcontinue\n\t\t\t}\n$&',
    until: 25,
  },
  {
    file: 'runtime/proc.go',
    find: "\t\t// On the one hand we don't want to retake Ps if there is no other work to do,\n",
    put: '\t\tif virtualKeep(pp, pd.syscallwhen, now) {\n\t\t\tthread.resume()\n\t\t\tgoto done\n\t\t}\n$&',
    since: 26,
  },
];

/** A system call for which package runtime has no function. */
const raw: readonly Edit[] = [
  { name: 'syscall', until: 25 },
  { name: 'linux', since: 26 },
].map(({ name, ...versions }) => ({
  file: 'runtime/os_linux.go',
  find: `func fcntl(fd, cmd, arg int32) (ret int32, errno int32) {\n\tr, _, err := ${name}.Syscall6(`,
  put: `func virtualSyscall(trap, a, b, c uintptr) int {
	r, _, _ := ${name}.Syscall6(trap, a, b, c, 0, 0, 0)
	return int(r)
}

//go:nosplit
$&`,
  ...versions,
}));

/** System calls whose thread lost its turn: their goroutines run when no others can. */
const systemCalls: readonly Edit[] = [
  {
    file: 'runtime/proc.go',
    find: '\tif oldp != nil && oldp.status == _Psyscall && atomic.Cas(',
    put: '\tif oldp != nil && (!virtualTime.on || oldp.syscalltick == getg().m.syscalltick) && oldp.status == _Psyscall && atomic.Cas(',
    until: 25,
  },
  {
    file: 'runtime/proc.go',
    find: '\t// Try to get any other idle P.\n\tif sched.pidle != 0 {',
    put: '\t// Try to get any other idle P.\n\tif sched.pidle != 0 && !virtualTime.on {',
    until: 25,
  },
  {
    file: 'runtime/proc.go',
    find: 'func exitsyscallTryGetP(oldp *p) *p {\n',
    put: '$&\tif virtualTime.on {\n\t\treturn nil\n\t}\n',
    since: 26,
  },
  {
    file: 'runtime/proc.go',
    find: 'func exitsyscall0(gp *g) {\n',
    put: '$&\tvirtualLeave()\n',
    until: 25,
  },
  {
    file: 'runtime/proc.go',
    find: 'func exitsyscallNoP(gp *g) {\n',
    put: '$&\tvirtualLeave()\n',
    since: 26,
  },
  {
    file: 'runtime/proc.go',
    find: '\tif schedEnabled(gp) {\n\t\tpp, _ = pidleget(0)\n\t}\n\tvar locked bool\n\tif pp == nil {\n\t\tglobrunqput(gp)\n',
    put: `\tif schedEnabled(gp) && !virtualTime.on {
		pp, _ = pidleget(0)
	}
	var locked bool
	if pp == nil {
		if virtualTime.on {
			virtualReturn(gp)
		} else {
			globrunqput(gp)
		}
`,
  },
];

const declarations: readonly Edit[] = [
  {
    file: 'syscall/syscall_linux.go',
    find: '//go:linkname runtime_entersyscall runtime.entersyscall\n',
    put: `//go:linkname virtualBlocks runtime.virtualBlocks
func virtualBlocks(trap uintptr) bool

//go:linkname virtualBlock runtime.entersyscallblock
func virtualBlock()

//go:linkname virtualActs runtime.virtualActs
func virtualActs(trap uintptr)

$&`,
  },
];

/**
 * Starting a child process is one step: nothing else happens until it has begun. Then a goroutine that waits for it
 * yields immediately, because when a monitor would notice it depends on real time.
 */
const children: readonly Edit[] = [
  {
    file: 'syscall/exec_unix.go',
    find: '\t\tn, err = readlen(p[0], (*byte)(unsafe.Pointer(&err1)), int(unsafe.Sizeof(err1)))\n',
    put: `\t\tif virtualBlocks(SYS_WAIT4) {
			read, _, failed := RawSyscall(SYS_READ, uintptr(p[0]), uintptr(unsafe.Pointer(&err1)), unsafe.Sizeof(err1))
			n, err = int(read), nil
			if failed != 0 {
				err = failed
			}
		} else {
	$&\t\t}
`,
  },
  {
    file: 'syscall/syscall_linux.go',
    find: '\truntime_entersyscall()\n\tr1, r2, err = RawSyscall6(trap, a1, a2, a3, a4, a5, a6)\n',
    put: `\tif virtualBlocks(trap) {
		virtualBlock()
	} else {
		runtime_entersyscall()
	}
	r1, r2, err = RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
`,
  },
];

/** Actions that others could see: after one, the clock moves only with an answer. */
const acts: readonly Edit[] = [
  ...[
    { header: 'func RawSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr)', since: 23 },
    // Go 1.22 has RawSyscall6 in package runtime.
    { header: 'func Syscall6(trap, a1, a2, a3, a4, a5, a6 uintptr)', until: 22 },
    { header: 'func Syscall(trap, a1, a2, a3 uintptr)', until: 22 },
    { header: 'func RawSyscall(trap, a1, a2, a3 uintptr)', until: 22 },
  ].map(({ header, ...versions }) => ({
    file: 'syscall/syscall_linux.go',
    find: `${header} (r1, r2 uintptr, err Errno) {\n`,
    put: '$&\tvirtualActs(trap)\n',
    ...versions,
  })),
  {
    file: 'runtime/netpoll.go',
    find: 'func poll_runtime_pollClose(pd *pollDesc) {\n',
    put: '$&\tvirtualStir()\n',
  },
  { file: 'runtime/proc.go', find: 'func os_beforeExit(exitCode int) {\n', put: '$&\tvirtualEnd()\n' },
  { file: 'runtime/panic.go', find: 'func startpanic_m() bool {\n', put: '$&\tvirtualEnd()\n' },
];

/** Collects garbage only when idle. */
const memory: readonly Edit[] = [
  {
    file: 'runtime/mgc.go',
    find: '\t\treturn gcController.heapLive.Load() >= trigger\n',
    put: '\t\tif virtualTime.on {\n\t\t\treturn virtualHeap(trigger)\n\t\t}\n$&',
  },
  {
    file: 'runtime/mgc.go',
    find: '\tcase gcTriggerTime:\n',
    put: '$&\t\tif virtualTime.on {\n\t\t\treturn true // virtualCollect has decided\n\t\t}\n',
  },
];

/** Random numbers come from the seed, separately for each goroutine. */
const random: readonly Edit[] = [
  { file: 'runtime/runtime2.go', find: '\tgcAssistBytes int64\n', put: '$&\n\tvirtual virtualG\n' },
  {
    file: 'runtime/proc.go',
    find: '\tnewg.startpc = fn.fn\n',
    put: '$&\tvirtualStart(newg, callergp)\n',
  },
  { file: 'runtime/rand.go', find: '\tglobalRand.state.Init(*seed)\n', put: '\tvirtualSeed(seed)\n$&' },
  {
    file: 'runtime/rand.go',
    find: '\tmp := getg().m\n\tc := &mp.chacha8\n',
    put: `\tmp := getg().m
	if virtualOwn(mp) {
		return virtualNext(&mp.curg.virtual.random)
	}
	c := &mp.chacha8
`,
  },
  // The runtime's other cheap random numbers, such as those for contended locks, depend on real time.
  {
    file: 'runtime/select.go',
    find: '\t\tj := cheaprandn(uint32(norder + 1))\n',
    put: '$&\t\tif virtualTime.on {\n\t\t\tj = randn(uint32(norder + 1))\n\t\t}\n',
  },
  {
    file: 'internal/syscall/unix/getrandom.go',
    find: '// GetRandom calls the getrandom system call.\n',
    put: '//go:linkname virtualRandom runtime.virtualRandom\n//go:noescape\nfunc virtualRandom(p []byte) bool\n\n$&',
  },
  {
    file: 'internal/syscall/unix/getrandom.go',
    find: 'func GetRandom(p []byte, flags GetRandomFlag) (n int, err error) {\n',
    put: '$&\tif virtualRandom(p) {\n\t\treturn len(p), nil\n\t}\n',
  },
];

/** All edits for Go 1.22 to 1.26. `virtual_time_linux.go` has the functions that they call. */
export const edits: readonly Edit[] = [
  ...clock,
  ...scheduler,
  ...monitor,
  ...raw,
  ...systemCalls,
  ...declarations,
  ...children,
  ...acts,
  ...memory,
  ...random,
];
