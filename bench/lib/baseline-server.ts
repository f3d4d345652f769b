import { spawn } from 'node:child_process'
import { stopAtExit } from './temporary.ts'

/** A server in a process of its own, to which the product is compared. */
export interface Baseline {
  readonly url: string
  stop(): void
}

/**
 * Starts a server that parses the body of each request and returns a JSON answer of `bytes` bytes. `work` is code that
 * runs before each answer; `body` is the parsed body. `setup` runs once.
 */
export async function startBaseline(
  port: number,
  { bytes, setup = '', work = '' }: { readonly bytes: number; readonly setup?: string; readonly work?: string },
): Promise<Baseline> {
  const code = `${setup}
    require('node:http').createServer((q, r) => {
      const chunks = []
      q.on('data', (chunk) => chunks.push(chunk)).on('end', async () => {
        const body = JSON.parse(Buffer.concat(chunks))
        ${work}
        const answer = Buffer.from(JSON.stringify({ code: 0, data: 'x'.repeat(${Math.max(0, bytes - 22)}) }))
        r.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
      })
    }).listen(${port}, '127.0.0.1', () => process.stdout.write('ready'))`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  stopAtExit(child.pid as number)
  await new Promise((done) => child.stdout.once('data', done))
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() }
}
