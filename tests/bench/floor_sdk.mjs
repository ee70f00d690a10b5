// floor_sdk.mjs - the same first call by E2B's official client: our launch line as its command, our
// runner and boot message as its stdin, until the call is heard.
//
// The first line on stdin says where: API, sandboxes, key, and the program that shows a launch. One
// lap for each further one; says milliseconds, and those of processor time.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const require = createRequire(new URL('../e2b-server/package.json', import.meta.url));
const { Sandbox } = require('e2b');

const boot = JSON.stringify({
  protocol: 1,
  program: 'return await tools.echo(1);',
  name: 'program',
  language: 'js',
  values: 'strict',
  spaces: [{ name: 'tools', functions: ['echo'], error: 'ToolError', member: 'tool' }],
  env: {},
  limits: { lease_ms: 45000 },
  assets: {},
});

function launchOf(show) {
  const mark = randomBytes(16).toString('hex');
  const words = [mark, 'stdin', '512', process.execPath];
  const shown = JSON.parse(execFileSync(show, words, { maxBuffer: 64 << 20 }));
  const bytes = (hex) => Buffer.from(hex, 'hex');
  const frame = Buffer.from(`boot ${Buffer.byteLength(boot)}\n${boot}\n`);
  return {
    line: bytes(shown.line).toString(),
    input: Buffer.concat([bytes(shown.head), frame, bytes(shown.tail)]),
  };
}

const busyMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function lap(sandbox, { line, input }) {
  const busy = busyMs();
  const start = performance.now();
  let heard;
  const called = new Promise((resolve) => (heard = resolve));
  let text = '';
  const handle = await sandbox.commands.run(line, {
    background: true,
    stdin: true,
    onStdout: (part) => {
      text += part;
      if (text.includes('\ncall 1 0 0 1\n')) heard();
    },
  });
  await sandbox.commands.sendStdin(handle.pid, input);
  await called;
  const took = performance.now() - start;
  await sandbox.commands.sendStdin(handle.pid, 'reply 1 ok 1\n1\n');
  await handle.wait().catch(() => {}); // It leaves by a signal of its own.
  return `${took.toFixed(2)} ${(busyMs() - busy).toFixed(2)}`;
}

let sandbox = null;
let show = '';
for await (const line of createInterface({ input: process.stdin })) {
  if (sandbox === null) {
    const [apiUrl, sandboxUrl, apiKey, program] = line.split(' ');
    sandbox = await Sandbox.create('base', { apiUrl, sandboxUrl, apiKey });
    show = program;
  } else {
    console.log(await lap(sandbox, launchOf(show)));
  }
}
await sandbox?.kill();
