import { spawn } from 'node:child_process'
import { stopAtExit } from './temporary.ts'

/** A server in a process of its own, to which the product is compared. */
export interface Baseline {
  readonly url: string
  readonly pid: number
  stop(): void
}

/**
 * Starts a server that parses the body of each request and returns a JSON response of `bytes` bytes. `work` is code
 * that runs before each response; `body` is the parsed body. `setup` runs once.
 */
export async function startBaseline(
  port: number,
  { bytes, setup = '', work = '' }: { readonly bytes: number; readonly setup?: string; readonly work?: string },
): Promise<Baseline> {
  return startProgram(
    port,
    `${setup}
    require('node:http').createServer((q, r) => {
      const chunks = []
      q.on('data', (chunk) => chunks.push(chunk)).on('end', async () => {
        const body = JSON.parse(Buffer.concat(chunks))
        ${work}
        const answer = Buffer.from(JSON.stringify({ code: 0, data: 'x'.repeat(${Math.max(0, bytes - 22)}) }))
        r.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
      })
    }).listen(${port}, '127.0.0.1', () => process.stdout.write('ready'))`,
  )
}

/** Starts a Node process with `code`, which must listen on `port` and then write to stdout. */
export async function startProgram(port: number, code: string): Promise<Baseline> {
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = child.pid as number
  stopAtExit(pid)
  await new Promise((done) => child.stdout.once('data', done))
  return { url: `http://127.0.0.1:${port}`, pid, stop: () => void child.kill() }
}
