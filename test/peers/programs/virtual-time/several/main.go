// A program that does what may differ from run to run: timers of one instant, goroutines, select, maps, random
// numbers, a network, files, child processes, garbage. On virtual time each run prints the same.
package main

import (
	"bufio"
	"context"
	crypto "crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

var start = time.Now()

// say prints when something happens.
func say(what ...any) {
	fmt.Print(time.Since(start), " ", fmt.Sprintln(what...))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	directory, err := os.MkdirTemp("", "virtual-time-")
	check(err)
	defer os.RemoveAll(directory)
	say("start", start.UTC().Format(time.RFC3339Nano), runtime.GOMAXPROCS(0), runtime.NumCPU())
	before, after := time.Now(), time.Now()
	say("two readings differ", after.After(before), after.Sub(before) < time.Microsecond)
	addresses(filepath.Join(directory, "file"))
	blockForGood()
	timers()
	choices()
	network(filepath.Join(directory, "socket"))
	contention()
	files(directory)
	children()
	garbage()
	long()
	say("end", time.Now().UTC().Format(time.RFC3339Nano))
}

// blockForGood leaves threads in system calls that never return: time must pass all the same.
func blockForGood() {
	for range 3 {
		var pipe [2]int
		check(syscall.Pipe(pipe[:]))
		go syscall.Read(pipe[0], make([]byte, 1))
	}
	time.Sleep(time.Second)
	say("others wait for good")
}

// addresses in memory, and so the order of maps with pointers as keys. When the runtime needs another thread depends on
// real time.
func addresses(file string) {
	type node struct {
		_    [5]*int
		name int
	}
	for i := range 12 {
		var pipe [2]int
		check(syscall.Pipe(pipe[:]))
		go syscall.Read(pipe[0], make([]byte, 1))
		time.AfterFunc(time.Duration(i)*time.Second, func() { syscall.Close(pipe[1]) })
		for range 5 {
			check(os.WriteFile(file, make([]byte, 100_000), 0o600))
		}
		time.Sleep(10 * time.Millisecond)
		nodes := map[*node]int{}
		for name := range 200 {
			nodes[&node{name: name}] = name
		}
		order := []int{}
		for _, name := range nodes {
			order = append(order, name)
		}
		say("addresses", i, order)
	}
}

// timers of one instant, of several kinds.
func timers() {
	var all sync.WaitGroup
	for i := range 20 {
		all.Add(2)
		time.AfterFunc(time.Second, func() { say("function", i); all.Done() })
		go func() { time.Sleep(time.Second); say("sleeper", i); all.Done() }()
	}
	ticker := time.NewTicker(300 * time.Millisecond)
	for range 5 {
		<-ticker.C
		say("tick")
	}
	ticker.Stop()
	all.Wait()
	for range 1000 {
		at := time.Now().Add(time.Millisecond)
		<-time.After(time.Until(at))
		if time.Now().Before(at) {
			say("a timer was early")
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Minute)
	defer cancel()
	<-ctx.Done()
	say(ctx.Err())
}

// choices that the runtime makes at random.
func choices() {
	a, b := make(chan int, 100), make(chan int, 100)
	for i := range 100 {
		a <- i
		b <- -i
	}
	sum := 0
	for i := range 100 {
		select {
		case x := <-a:
			sum += i * x
		case x := <-b:
			sum += i * x
		}
	}
	say("select", sum)
	order := ""
	for i := range map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true} {
		order += fmt.Sprint(i)
	}
	say("map", order)
	secret := make([]byte, 8)
	_, err := crypto.Read(secret)
	check(err)
	say("random", rand.Int(), rand.Float64(), hex.EncodeToString(secret))
}

// network in the program itself: no time passes while a message is in progress.
func network(socket string) {
	listener, err := net.Listen("unix", socket)
	check(err)
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				in := bufio.NewScanner(connection)
				for in.Scan() {
					time.Sleep(250 * time.Millisecond)
					fmt.Fprintln(connection, "reply to", in.Text())
				}
			}()
		}
	}()
	var all sync.WaitGroup
	for i := range 5 {
		all.Add(1)
		go func() {
			defer all.Done()
			connection, err := net.Dial("unix", socket)
			check(err)
			defer connection.Close()
			in := bufio.NewReader(connection)
			for j := range 3 {
				fmt.Fprintln(connection, i, j)
				text, err := in.ReadString('\n')
				check(err)
				say(text[:len(text)-1])
			}
			check(connection.SetReadDeadline(time.Now().Add(3 * time.Second)))
			_, err = in.ReadString('\n')
			say(i, err.(net.Error).Timeout())
		}()
	}
	all.Wait()
}

// contention for one lock, by goroutines that give way.
func contention() {
	var lock sync.Mutex
	var all sync.WaitGroup
	order := ""
	for i := range 10 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 5 {
				lock.Lock()
				runtime.Gosched()
				order += fmt.Sprint(i)
				lock.Unlock()
				runtime.Gosched()
			}
		}()
	}
	all.Wait()
	say("lock", order)
}

// files: system calls that are over soon.
func files(directory string) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			name := filepath.Join(directory, fmt.Sprint(i))
			for j := range 20 {
				check(os.WriteFile(name, make([]byte, 1000*j), 0o600))
				_, err := os.ReadFile(name)
				check(err)
			}
			say("files", i)
		}()
	}
	all.Wait()
}

// children work in real time; no virtual time passes meanwhile. Several at a time come back in the order of real time.
func children() {
	texts := make([]string, 4)
	var all sync.WaitGroup
	for i := range texts {
		all.Add(1)
		go func() {
			defer all.Done()
			command := exec.Command("sh", "-c", fmt.Sprintf("sleep 0.%d; cat; test -e /proc/$$/fd/4 || echo closed", i))
			in, err := command.StdinPipe()
			check(err)
			go func() { fmt.Fprint(in, "text ", i, " "); in.Close() }()
			out, err := command.Output()
			check(err)
			texts[i] = string(out)
		}()
	}
	all.Wait()
	say("children", texts)
	for i := range 3 {
		out, err := exec.Command("echo", "text", fmt.Sprint(i)).Output()
		check(err)
		say(string(out[:len(out)-1]))
	}
}

// garbage: more than a collection waits for.
func garbage() {
	var all sync.WaitGroup
	for i := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			kept := [][]byte{}
			pool := sync.Pool{New: func() any { return new([100]byte) }}
			for j := range 200 {
				kept = append(kept, make([]byte, 100_000))
				pool.Put(pool.Get())
				if j%50 == 0 {
					time.Sleep(time.Millisecond)
					say("garbage", i, j)
					kept = nil
				}
			}
		}()
	}
	all.Wait()
	object := new([1000]int)
	runtime.SetFinalizer(object, func(*[1000]int) { say("finalizer") })
	object = nil
	runtime.GC()
	time.Sleep(time.Millisecond)
}

// long is ten hours.
func long() {
	time.Sleep(10 * time.Hour)
	say("ten hours")
	deadline, err := os.Open("/proc/self/status")
	check(err)
	_, err = io.Copy(io.Discard, deadline)
	check(err)
}
