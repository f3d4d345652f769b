import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { inject } from 'vitest'
import { pollUntil } from '#core/database/embedded/processes.ts'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import type { ApiResponse } from './harness.ts'

/** Returns the path of a file of the built server. */
function fromBundle(name: string) {
  const folder = inject('bundle')
  if (!folder) throw new Error('The server cannot be bundled; see: node scripts/bundle.mjs /tmp/bundle')
  return join(folder, name)
}
export const PASSWORD = 'Fault-admin-7'

const environment = (env: Record<string, string | undefined>) => ({
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: fromBundle('compiled'),
  NODE_NO_WARNINGS: '1',
  OMS_ADMIN_PASSWORD: PASSWORD,
  OMS_RATE_LOGIN: '1000000',
  OMS_RATE_API: '1000000',
  OMS_RATE_UPLOAD: '1000000',
  OMS_LOG_LEVEL: 'warn',
  PORT: '0',
  ...env,
})

/** The built bundle, running as a server process. */
export interface Serving {
  readonly child: ChildProcess
  readonly url: string
  /** Lines printed so far. */
  readonly lines: string[]
  readonly gone: Promise<number | null>
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse & { status: number }>
  upload(ticket: string, name: string, bytes: Uint8Array): Promise<ApiResponse & { status: number }>
  login(account?: string, password?: string): Promise<string>
}

interface CallOptions {
  readonly ticket?: string
  readonly payload?: object
  readonly headers?: Record<string, string>
}

/** Starts a server and waits until it serves or has refused to start (`url` is then empty). */
export async function serve(env: Record<string, string | undefined>, withinMs = 40_000): Promise<Serving> {
  const child = spawn(process.execPath, [fromBundle('server.mjs')], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', (l) => lines.push(l))
  const gone = new Promise<number | null>((resolve) => child.once('close', resolve))
  const address = () => lines.map((line) => /已启动：(http\S+)\//.exec(line)?.[1]).find((found) => found !== undefined)
  const url = await pollUntil(withinMs, 5, () => address() ?? (child.exitCode === null ? undefined : ''))
  return { child, url: url ?? '', lines, gone, ...callsTo(url ?? '') }
}

function callsTo(url: string) {
  const send = async (path: string, init: RequestInit) => {
    const reply = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(20_000) })
    return { status: reply.status, ...((await reply.json()) as ApiResponse) }
  }
  const call = (method: string, path: string, { ticket, payload, headers = {} }: CallOptions = {}) =>
    send(path, {
      method,
      headers: { ...(ticket && { ticket }), ...(payload && { 'content-type': 'application/json' }), ...headers },
      ...(payload && { body: JSON.stringify(payload) }),
    })
  return {
    call,
    upload(ticket: string, name: string, bytes: Uint8Array) {
      const body = new FormData()
      body.set('file', new Blob([Uint8Array.from(bytes)]), name)
      return send('/api/v1/file/upload', { method: 'POST', headers: { ticket }, body })
    },
    async login(account = 'admin', password = PASSWORD) {
      const payload = { account, pswdMd5: computeMd5Hex(password) }
      const { code, msg, data } = await call('POST', '/api/v1/account/login', { payload })
      if (code !== 200) throw new Error(`login refused: ${msg}`)
      return data.token as string
    },
  }
}

/** Runs one terminal command in a separate process. */
export async function oms(args: readonly string[], env: Record<string, string | undefined>) {
  const child = spawn(process.execPath, [fromBundle('cli.mjs'), ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: string[] = []
  const err: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => out.push(line))
  createInterface({ input: child.stderr }).on('line', (line) => err.push(line))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}
