import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../base/clock/clock.js';

/** Destroys the socket once it has carried no bytes between two checks, `timeout` ms apart. */
export function closeWhenIdle(socket: Socket, clock: Clock, timeout: number): void {
  let carried = -1;
  let timer: Timer;
  const look = () => {
    const now = socket.bytesRead + socket.bytesWritten;
    if (now === carried) {
      socket.destroy();
      return;
    }
    carried = now;
    timer = clock.setTimer(timeout, look);
  };
  look();
  socket.once('close', () => timer.cancel());
}
