import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pollUntil } from '#core/database/embedded/processes.ts'

const NGINX = '/usr/sbin/nginx'
const isHere = existsSync(NGINX)
const isRequired = Boolean(process.env.CI) || process.env.NGINX === 'required'

/** Reason why tests behind nginx are skipped, shown in their titles; undefined when they run. */
export const withoutNginx = isHere || isRequired ? undefined : `${NGINX} is missing: apt-get install nginx`

export interface Nginx {
  readonly url: string
  errors(): string
  stop(): Promise<void>
}

const OPERATING = join(import.meta.dirname, '../../../../docs/reference/operating.md')

/** Returns the nginx configuration of `docs/reference/operating.md` for these ports. */
function configOf(folder: string, port: number, upstreams: readonly number[]) {
  const guide = /```nginx\n(.*?)```/s.exec(readFileSync(OPERATING, 'utf8'))![1]!
  const proxy = guide.replaceAll(/(^ *server 127\.0\.0\.1:)\d+( .*\n)(?:^ *server .*\n)*/gm, (_, start, end) =>
    upstreams.map((each) => `${start}${each}${end}`).join(''),
  )
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log info;
events { worker_connections 2048; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${proxy.replace('server {', `server {\n  listen 127.0.0.1:${port};`)}
}
`
}

export async function startNginx(folder: string, upstreams: readonly number[]): Promise<Nginx> {
  if (!isHere) throw new Error(`${NGINX} is missing: apt-get install nginx`)
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, configOf(folder, port, upstreams))
  const child = spawn(NGINX, ['-p', folder, '-c', config], { stdio: 'ignore' })
  const gone = new Promise<void>((done) => child.once('close', () => done()))
  const url = `http://127.0.0.1:${port}`
  const errors = () => readFileSync(join(folder, 'error.log'), 'utf8')
  const isUp = await pollUntil(
    10_000,
    20,
    async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok || undefined,
  )
  if (!isUp) throw new Error(`nginx does not answer: ${errors()}`)
  return {
    url,
    errors,
    async stop() {
      child.kill('SIGTERM')
      await gone
    },
  }
}

export const freePort = () =>
  new Promise<number>((done, fail) => {
    const server = createServer()
    server.once('error', fail).listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
