/** usage: tsx url.ts SOCKET CONTAINER [-i] COMMAND...: prints the URL from Exec; -i requests stdin. */
import { connectCri } from '../../../../src/cri/client/connect.js';

const [socket, containerId = '', ...words] = process.argv.slice(2);
const stdin = words[0] === '-i';
const client = connectCri(`unix://${socket}`);
const { url } = await client.exec({
  containerId,
  cmd: stdin ? words.slice(1) : words,
  tty: false,
  stdin,
  stdout: true,
  stderr: true,
});
console.log(url);
client.close();
