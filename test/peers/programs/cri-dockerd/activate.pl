# activate.pl SOCKET PROGRAM [ARGUMENT...]: socket activation as systemd does it for cri-dockerd. Listens on the socket, and
# starts the program on it again whenever it ends: it ends by a panic on a request that lacks metadata.
use strict;
use warnings;
use POSIX ();
use Socket;

my ($path, @command) = @ARGV;
# Files up to this number stay open for the program.
$^F = 15;
unlink $path;
socket(my $listener, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
bind($listener, pack_sockaddr_un($path)) or die "bind: $!";
listen($listener, 128) or die "listen: $!";

my $child = 0;
$SIG{TERM} = sub { kill 'KILL', $child if $child; unlink $path; exit 0 };
while (1) {
  $child = fork // die "fork: $!";
  if ($child == 0) {
    POSIX::dup2(fileno($listener), 3) // die "dup2: $!";
    $ENV{LISTEN_FDS} = 1;
    $ENV{LISTEN_PID} = $$;
    exec @command or die "exec: $!";
  }
  waitpid $child, 0;
  # A program that cannot start is not started in a tight loop.
  select undef, undef, undef, 0.05;
}
