export const complain = (line: string): void => void process.stderr.write(`${line}\n`);
