// Virtual time for package runtime. This file is added to the toolchain's own package by `go build -overlay`; edits.ts
// says what calls it. Without MOCKRI_TIME in the environment nothing is changed.
//
// The clock stands still while anything runs. When all goroutines wait, the thread that would wait for the network asks
// the controller instead: a question at descriptor 4, an answer with the new time at descriptor 3. The network is looked
// at only before a question and after an answer, while the controller does nothing, so what happens does not depend on
// real time. An answer also has a time up to which the program may move its clock to its next timer without a question,
// as long as it does nothing that others could see.
package runtime

import "unsafe"

const (
	// Descriptors that the program inherits.
	virtualAnswers   = 3
	virtualQuestions = 4

	// A system call that is over sooner (real ns) is not looked at.
	virtualShortCall = 3e6
	// How long a thread must sleep in a system call before it counts as waiting for something outside, such as data of an
	// inotify descriptor; if nothing is known of the thread because /proc cannot be read; if it waits for a disk.
	virtualSleep   = 5e6
	virtualUnknown = 20e6
	virtualDisk    = 10e9
	// A thread that waits for a child process: nothing else happens for the first time, no time passes for the second.
	virtualShortChild = 2e9
	virtualLongChild  = 10e9

	// A goroutine that has run this long (real ns) gives way to others. The ordinary 10 ms would depend on the machine's load.
	virtualSlice = 40e9

	// Garbage is collected after so many moments at which nothing could run, or when the heap has grown by this much more than usual: not by the
	// size of the heap alone, which is not the same in equal runs.
	virtualCollection = 4000
	virtualGrowth     = 256 << 20

	// Threads that exist from the beginning. When another one is needed depends on real time, and it would take its
	// memory from the heap: the addresses of what comes later, and so the order of maps with pointers as keys, would too.
	virtualSpares = 48
)

// virtualTime is the state of the virtual clock.
var virtualTime struct {
	on    bool
	gate  bool  // the network may be looked at
	now   int64 // unix ns; both wall clock and monotonic clock
	slice int64 // how long a goroutine may run before sysmon preempts it
	seed  uint64
	// Random numbers outside of goroutines, and of crypto/rand.
	random uint64
	armed  uint32 // number of timers armed so far
	tick   uint32 // schedtick of the P at the last question: turns are counted from there
	idle   int64  // when nothing could run for the last time (real ns)
	// Hash of the goroutines that have run.
	trace    uint64
	question [4]int64
	answer   [3]int64
	sequence int64
	// Up to this time the program moves its clock by itself, unless it has acted since the answer: done something that
	// others could see.
	until int64
	acted bool
	// Since it last waited the program has made a system call, or others may have sent something: its threads and the
	// network have to be looked at.
	stirred bool
	// The last timer to which it has moved by itself.
	reached int64
	// How often nothing could run.
	moments int64
	// Goroutines that came back from a system call whose P had been taken away, by id. They run when nothing else does.
	returned gQueue
	// Number of goroutines that are on their way there.
	returning int
	// The moment after which garbage is collected.
	collect int64
	calls     [1024]virtualCall
}

// virtualCall is what is known of the system call that a thread is in.
type virtualCall struct {
	key    uint64
	since  int64 // real ns
	asleep int64 // since when it has been seen asleep each time; 0: it was not the last time
	child  bool  // it waits for a child process
	waits  bool  // it waited for something outside when it was looked at last
	thread uint64
	status int32 // descriptor of the thread's state in /proc, if thread is set; negative: there is none
}

// virtualG is what a goroutine has for virtual time.
type virtualG struct {
	random uint64
	system bool
}

// virtualInit reads the environment. It runs before anything takes a random number.
func virtualInit() {
	virtualTime.slice = forcePreemptNS
	start := virtualSetting("MOCKRI_TIME=")
	if start < 0 {
		return
	}
	virtualTime.seed = 1
	if seed := virtualSetting("MOCKRI_TIME_SEED="); seed >= 0 {
		virtualTime.seed = uint64(seed)
	}
	virtualTime.random = virtualTime.seed
	virtualTime.now = start
	virtualTime.slice = virtualSlice
	virtualTime.on = true
	for fd := int32(virtualAnswers); fd <= virtualQuestions; fd++ {
		const setDescriptorFlags, closeOnExec = 2, 1
		if _, errno := fcntl(fd, setDescriptorFlags, closeOnExec); errno != 0 {
			virtualFail("MOCKRI_TIME is set, but nothing is open at descriptor 3 (answers) or 4 (questions)")
		}
	}
}

func virtualFail(text string) {
	print("virtual time: ", text, "\n")
	exit(3)
}

// virtualSetting returns the number that the environment has after prefix, or -1.
func virtualSetting(prefix string) int64 {
	for i := argc + 1; argv_index(argv, i) != nil; i++ {
		p := argv_index(argv, i)
		s := unsafe.String(p, findnull(p))
		if len(s) < len(prefix) || s[:len(prefix)] != prefix {
			continue
		}
		n := int64(0)
		for _, digit := range []byte(s[len(prefix):]) {
			if digit < '0' || digit > '9' || n > (1<<63-1)/10-1 {
				print("virtual time: ", s, ": expected a number\n")
				exit(3)
			}
			n = 10*n + int64(digit-'0')
		}
		return n
	}
	return -1
}

// virtualReading is what time.Now shows. Each reading takes 1 ns: programs take equal times for the same moment, such as
// the kubelet when it names events and when it compares a pod's state with the last sync.
//
//go:nosplit
func virtualReading() (sec int64, nsec int32, mono int64) {
	virtualTime.now++
	return virtualTime.now / 1e9, int32(virtualTime.now % 1e9), virtualTime.now
}

// virtualProcs is the setting of GOMAXPROCS: one goroutine runs at a time.
func virtualProcs() string {
	if virtualTime.on {
		return "1"
	}
	return gogetenv("GOMAXPROCS")
}

// virtualDebug turns off what interrupts goroutines by real time, and samples of memory.
func virtualDebug() {
	if virtualTime.on {
		debug.asyncpreemptoff = 1
		MemProfileRate = 0
	}
}

// virtualBegin starts the spare threads, and waits until they are idle.
func virtualBegin() {
	if !virtualTime.on {
		return
	}
	for range virtualSpares {
		newm(virtualSpare, nil, -1)
	}
	for idle := int32(0); idle < virtualSpares; usleep(20) {
		lock(&sched.lock)
		idle = sched.nmidle
		unlock(&sched.lock)
	}
}

// virtualSpare is what a new thread does before it has anything to run.
func virtualSpare() {
	lock(&sched.lock)
	mput(getg().m)
	unlock(&sched.lock)
	mPark()
}

// virtualNext draws from a stream of random numbers (splitmix64).
//
//go:nosplit
func virtualNext(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// virtualSeed fills the seed of all random numbers of the runtime.
func virtualSeed(seed *[32]byte) {
	if virtualTime.on {
		virtualBytes(seed[:])
	}
}

func virtualBytes(b []byte) {
	for i := range b {
		b[i] = byte(virtualNext(&virtualTime.random))
	}
}

// virtualRandom fills what crypto/rand reads. False: the kernel does.
//
//go:linkname virtualRandom
func virtualRandom(b []byte) bool {
	if virtualTime.on {
		virtualBytes(b)
	}
	return virtualTime.on
}

// virtualOwn reports whether mp runs a goroutine, whose random numbers come from a stream of its own: they depend on
// nothing but how the goroutine came to be.
//
//go:nosplit
func virtualOwn(mp *m) bool {
	return virtualTime.on && mp.curg != nil && getg() == mp.curg
}

// virtualCheap decides whether the runtime updates a cache, which takes memory: by the goroutine, not by its thread.
func virtualCheap() uint32 {
	if virtualTime.on {
		return rand32()
	}
	return cheaprand()
}

// virtualStart gives a new goroutine its random numbers: from its parent, or if a timer starts it, from its function and the time.
func virtualStart(gp, parent *g) {
	if !virtualTime.on {
		return
	}
	gp.virtual.system = isSystemGoroutine(gp, false)
	if parent != nil && parent.m != nil && parent == parent.m.curg {
		gp.virtual.random = virtualNext(&parent.virtual.random)
		return
	}
	state := virtualTime.seed ^ uint64(gp.startpc) ^ uint64(virtualTime.now)
	gp.virtual.random = virtualNext(&state)
}

// virtualRuns notes that a goroutine runs.
//
//go:nosplit
func virtualRuns(gp *g) {
	if virtualTime.on && !gp.virtual.system {
		virtualTime.trace = (virtualTime.trace ^ gp.goid) * 0x100000001b3
	}
}

// virtualOrder is the place of a timer among those of its instant: the order in which they were armed; with another
// seed than 1, any order.
func virtualOrder() uint32 {
	if !virtualTime.on {
		return 0
	}
	if virtualTime.seed != 1 {
		return uint32(virtualNext(&virtualTime.random))
	}
	virtualTime.armed++
	return virtualTime.armed
}

// virtualLeave is called when a goroutine comes back from a system call and has no P; virtualReturn follows.
func virtualLeave() {
	if virtualTime.on {
		lock(&sched.lock)
		virtualTime.returning++
		unlock(&sched.lock)
	}
}

// virtualReturn keeps a goroutine that came back from a system call and has no P. sched.lock is held.
func virtualReturn(gp *g) {
	virtualTime.returning--
	var before gQueue
	for !virtualTime.returned.empty() && virtualTime.returned.head.ptr().goid < gp.goid {
		before.pushBack(virtualTime.returned.pop())
	}
	before.pushBack(gp)
	for !virtualTime.returned.empty() {
		before.pushBack(virtualTime.returned.pop())
	}
	virtualTime.returned = before
}

// virtualRelease lets the goroutines run that came back from system calls. False: there are none.
func virtualRelease() bool {
	lock(&sched.lock)
	found := virtualTime.returning > 0 || !virtualTime.returned.empty()
	for virtualTime.returning == 0 && !virtualTime.returned.empty() {
		globrunqput(virtualTime.returned.pop())
	}
	unlock(&sched.lock)
	return found
}

// What a thread does in a system call.
const (
	// It waits for something outside. Others may run, and time may pass.
	virtualWaiting = iota
	// It waits for a child process. Others may run, but no time passes.
	virtualChild
	// It is about to return.
	virtualRunning
)

// virtualLook says what a thread does that is in a system call.
func virtualLook(mp *m, now int64) int {
	call := &virtualTime.calls[mp.id&1023]
	if key := uint64(mp.curg.goid)<<32 | uint64(mp.syscalltick); call.key != key {
		*call = virtualCall{key: key, since: now, thread: call.thread, status: call.status}
	}
	// Nothing has happened that could have ended its wait.
	if call.waits && !virtualTime.stirred {
		return virtualWaiting
	}
	state := virtualSeen(call, mp, now)
	call.waits = state == virtualWaiting
	return state
}

// virtualSeen says what a thread does in a system call, by what the kernel tells.
func virtualSeen(call *virtualCall, mp *m, now int64) int {
	if now-call.since < virtualShortCall {
		return virtualRunning
	}
	state := virtualState(call, mp.procid)
	if state == 0 && now-call.since >= virtualUnknown {
		return virtualWaiting
	}
	if state != 'S' {
		call.asleep = 0
		if state == 'D' && now-call.since >= virtualDisk {
			return virtualWaiting
		}
		return virtualRunning
	}
	if call.asleep == 0 {
		call.asleep = now
		var b [64]byte
		if fd := virtualOpen(mp.procid, "/syscall"); fd >= 0 {
			virtualRead(fd, b[:])
			closefd(fd)
		}
		call.child = virtualBlocks(virtualLeading(b[:]))
	}
	slept := now - call.asleep
	if call.child && slept >= virtualShortChild && slept < virtualLongChild {
		return virtualChild
	}
	if slept < virtualSleep || call.child && slept < virtualShortChild {
		return virtualRunning
	}
	return virtualWaiting
}

// virtualBlocks reports whether a system call waits for a child process: wait4 and waitid. Its thread gives its P away at
// once.
//
//go:linkname virtualBlocks
//go:nosplit
func virtualBlocks(trap uintptr) bool {
	if GOARCH == "arm64" {
		return virtualTime.on && (trap == 260 || trap == 95)
	}
	return virtualTime.on && (trap == 61 || trap == 247)
}

// virtualState is the letter of a thread's state, such as S for asleep; 0 if it is not known. The file stays open, because
// opening it takes longer than all else.
func virtualState(call *virtualCall, tid uint64) byte {
	if call.thread != tid {
		if call.thread != 0 && call.status >= 0 {
			closefd(call.status)
		}
		call.thread = tid
		call.status = virtualApart(virtualOpen(tid, "/stat"))
	}
	var b [64]byte
	n := virtualRead(call.status, b[:])
	for i := n - 1; i > 0; i-- { // "12 (name) S 1 ..."
		if b[i] == ')' && i+2 < n {
			return b[i+2]
		}
	}
	return 0
}

// virtualApart moves a descriptor out of the way of those that the program opens: which it gets must not depend on when
// threads are looked at.
func virtualApart(fd int32) int32 {
	const duplicateFrom, first = 1030, 512 // F_DUPFD_CLOEXEC
	apart, errno := fcntl(fd, duplicateFrom, first)
	if errno != 0 {
		return fd
	}
	closefd(fd)
	return apart
}

// virtualLeading is the number that a text begins with.
func virtualLeading(b []byte) uintptr {
	n := uintptr(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + uintptr(c-'0')
	}
	return n
}

// virtualOpen opens a file of /proc about a thread; negative if that fails.
func virtualOpen(tid uint64, name string) int32 {
	var digits [20]byte
	d := len(digits)
	for ; tid > 0; tid /= 10 {
		d--
		digits[d] = byte('0' + tid%10)
	}
	var path [64]byte
	n := copy(path[:], "/proc/self/task/")
	n += copy(path[n:], digits[d:])
	copy(path[n:], name)
	return open(&path[0], _O_RDONLY|_O_CLOEXEC, 0)
}

// virtualRead reads the beginning of a file, with pread64; less than 1 if that fails.
func virtualRead(fd int32, b []byte) int {
	const amd64, arm64 = 17, 67
	trap := uintptr(amd64)
	if GOARCH == "arm64" {
		trap = arm64
	}
	return virtualSyscall(trap, uintptr(fd), uintptr(noescape(unsafe.Pointer(&b[0]))), uintptr(len(b)))
}

// virtualKeep reports whether a P stays with the thread that is in a system call with it since then: most calls are
// over soon, and nothing else is to run meanwhile.
func virtualKeep(pp *p, since, now int64) bool {
	if !virtualTime.on {
		return false
	}
	for mp := allm; mp != nil; mp = mp.alllink {
		gp := mp.curg
		if gp != nil && readgstatus(gp)&^_Gscan == _Gsyscall && (mp.oldp.ptr() == pp || mp.p.ptr() == pp) && mp.syscalltick == pp.syscalltick {
			return virtualLook(mp, now) == virtualRunning
		}
	}
	return now-since < virtualDisk
}

// virtualThreads says what the busiest thread does that is in a system call.
func virtualThreads() int {
	busiest := virtualWaiting
	now := nanotime1()
	virtualTime.idle = now
	for mp := allm; mp != nil; mp = mp.alllink {
		gp := mp.curg
		if gp == nil {
			continue
		}
		switch readgstatus(gp) &^ _Gscan {
		case _Grunning:
			// It is about to enter or to leave a system call.
			if mp.p == 0 {
				return virtualRunning
			}
			continue
		case _Gsyscall:
		default:
			continue
		}
		busiest = max(busiest, virtualLook(mp, now))
	}
	return busiest
}

// virtualSettle waits until no goroutine is about to return from a system call, and says what the busiest thread does
// then. False: there is something to run.
func virtualSettle() (int, bool) {
	for wait := uint32(20); virtualIdle(); wait = min(2*wait, 1000) {
		if busiest := virtualThreads(); busiest != virtualRunning {
			return busiest, virtualIdle() && !virtualRelease()
		}
		usleep(wait)
	}
	usleep(20)
	return virtualRunning, false
}

func virtualIdle() bool {
	return sched.npidle.Load() == gomaxprocs && !sched.gcwaiting.Load()
}

// virtualPoll is what the thread does that would wait for the network. It returns when there is something to run, or
// time has moved.
func virtualPoll() (gList, int32) {
	for {
		busiest, ok := virtualSettle()
		if !ok {
			return gList{}, 0
		}
		if virtualTime.stirred {
			if list, delta := virtualNetwork(); !list.empty() {
				return list, delta
			}
		}
		if busiest == virtualWaiting {
			break
		}
		usleep(1000)
	}
	virtualTime.stirred = false
	if list := virtualCollect(); !list.empty() {
		return list, 0
	}
	when := timeSleepUntil()
	if when <= virtualTime.now {
		return gList{}, 0
	}
	virtualTime.moments++
	virtualTime.tick = allp[0].schedtick
	if !virtualTime.acted && when <= virtualTime.until {
		virtualTime.now = when
		virtualTime.reached = when
		return gList{}, 0
	}
	virtualAsk(when)
	if _, ok := virtualSettle(); !ok {
		return gList{}, 0
	}
	return virtualNetwork()
}

func virtualNetwork() (gList, int32) {
	virtualTime.gate = true
	list, delta := netpoll(0)
	virtualTime.gate = false
	if !list.empty() {
		virtualStir()
	}
	return list, delta
}

// virtualCollect returns the goroutine that collects garbage before a question if it is time for that. At other moments no
// collection begins (virtualHeap), because it takes turns with the program in an order that depends on real time.
func virtualCollect() gList {
	var list gList
	trigger, _ := gcController.trigger()
	isDue := virtualTime.moments > virtualTime.collect || gcController.heapLive.Load() >= trigger+virtualGrowth
	if !memstats.enablegc || gcphase != _GCoff || !isDue {
		return list
	}
	virtualTime.collect = virtualTime.moments + virtualCollection
	lock(&forcegc.lock)
	if forcegc.idle.Load() {
		forcegc.idle.Store(false)
		list.push(forcegc.g)
	}
	unlock(&forcegc.lock)
	return list
}

// virtualHeap reports whether the heap is so large that a collection can't wait for an idle moment.
func virtualHeap(trigger uint64) bool {
	return gcController.heapLive.Load() >= trigger+2*virtualGrowth
}

// virtualAsk tells the controller when the next timer is due, and takes the time that it answers.
func virtualAsk(when int64) {
	virtualTime.sequence++
	if virtualTime.sequence == 1 {
		// How often main takes a turn before main.main depends on real time.
		virtualTime.trace = 0
	}
	virtualTime.acted = false
	virtualWrite(virtualTime.sequence, when)
	for {
		n := read(virtualAnswers, unsafe.Pointer(&virtualTime.answer), 24)
		if n == -_EINTR {
			continue
		}
		if n != 24 {
			virtualFail("the controller has gone")
		}
		if virtualTime.answer[1] > virtualTime.now {
			virtualTime.now = virtualTime.answer[1]
		}
		virtualTime.stirred = true
		if virtualTime.answer[0] == virtualTime.sequence {
			virtualTime.until = virtualTime.answer[2]
			return
		}
	}
}

// virtualWrite writes a question.
func virtualWrite(sequence, when int64) {
	virtualTime.question = [4]int64{sequence, virtualTime.reached, when, int64(virtualTime.trace)}
	if write1(virtualQuestions, unsafe.Pointer(&virtualTime.question), 32) != 32 {
		virtualFail("the controller has gone")
	}
}

// virtualEnd tells the controller when the program ends, in a question without a number. It is not answered.
func virtualEnd() {
	if virtualTime.on {
		virtualWrite(0, 0)
	}
}

// virtualStir notes that the program has done something that others could see.
//
//go:nosplit
func virtualStir() {
	virtualTime.acted = true
	virtualTime.stirred = true
}

// virtualActs notes a system call, and whether others could see it: all see any but those that only read.
//
//go:linkname virtualActs
//go:nosplit
func virtualActs(trap uintptr) {
	if virtualTime.on {
		virtualTime.stirred = true
		virtualTime.acted = virtualTime.acted || !virtualReads(trap)
	}
}

// virtualReads reports whether a system call reads, or opens or closes a file; nothing is known of those of arm64. The
// close of a socket is noted where the network is told of it.
//
//go:nosplit
func virtualReads(trap uintptr) bool {
	if GOARCH != "amd64" {
		return false
	}
	switch trap {
	case 0, 2, 3, 4, 5, 6, 8, 17, 19: // read, open, close, stat, fstat, lstat, lseek, pread64, readv
		return true
	case 21, 39, 63, 72, 79, 89, 96, 98, 99: // access, getpid, uname, fcntl, getcwd, readlink, gettimeofday, getrusage, sysinfo
		return true
	case 137, 138, 217, 228, 257, 262, 267, 269, 332, 439: // statfs, fstatfs, getdents64, clock_gettime, openat, newfstatat, readlinkat, faccessat, statx, faccessat2
		return true
	}
	return false
}

// virtualSysmon is called by sysmon each time: goroutines that came back from system calls run, too, if the program is
// not idle for so long that it may wait for one of them.
func virtualSysmon(now int64) {
	if virtualTime.on && !virtualIdle() && now-virtualTime.idle > virtualSlice && virtualRelease() {
		wakep()
	}
}
