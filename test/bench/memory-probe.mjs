// Loaded into the real server: answers, over the channel to the bench, how much memory is in use after a collection.
process.on('message', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send(heapUsed + external);
});
// The server ends when it wants to.
process.channel.unref();
