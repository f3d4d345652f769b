// Measures the upload of a 300 MB component with three digests against md5sum + sha256sum + cat, four concurrent
// uploads, and range requests against nginx.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilReady } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { removeTemporary, temporaryFolder } from '../lib/temporary.ts'

const MIB = 1024 * 1024
const SIZE = 300 * MIB
const ROUNDS = 5
const RANGE_SECONDS = 4
const BASELINE_PORT = 18_304
const start = promisify(execFile)

export async function run() {
  const folder = temporaryFolder('oms-bench-upload-')
  const product = await startProduct({ port: 18_303, env: { OMS_RATE_UPLOAD: '100000' } })
  try {
    const files = Array.from({ length: 4 }, (_, index) => randomFile(join(folder, `component-${index}.bin`)))
    const ticket = await product.login()
    const stored = await oneUpload(product, ticket, folder, files[0] as string)
    await fourUploads(product, ticket, files)
    await ranges(product, ticket, stored)
  } finally {
    await product.stop()
    removeTemporary(folder)
  }
}

/** Writes the file with a separate process, so that this process's memory does not affect the measurement. */
function randomFile(path: string) {
  execFileSync('sh', ['-c', `head -c ${SIZE} /dev/urandom > "$1"`, 'sh', path])
  return path
}

interface Stored {
  readonly url: string
  readonly sha256: string
  readonly size: number
}

/** Uploads with curl, so that a JavaScript client does not affect the measurement. */
async function upload({ url }: Product, ticket: string, file: string): Promise<{ stored: Stored; seconds: number }> {
  const args = [
    '-sS',
    '-H',
    `ticket: ${ticket}`,
    '-H',
    'Expect:',
    '-F',
    `file=@${file}`,
    `${url}/api/v1/device/ota/upload`,
  ]
  const started = performance.now()
  const { stdout } = await start('curl', args)
  const seconds = (performance.now() - started) / 1000
  const { code, msg, data } = JSON.parse(stdout) as { code: number; msg: string; data: Stored }
  if (code !== 200 || data.size !== SIZE) throw new Error(`upload answered ${code} ${msg}`)
  return { stored: data, seconds }
}

async function timed(command: string, ...args: string[]) {
  const started = performance.now()
  await start('sh', ['-c', command, 'sh', ...args])
  return (performance.now() - started) / 1000
}

async function oneUpload(product: Product, ticket: string, folder: string, file: string) {
  const ours: number[] = []
  const theirs: number[] = []
  let { stored } = await upload(product, ticket, file)
  for (let round = 0; round < ROUNDS; round++) {
    const md5 = await timed('md5sum "$1"', file)
    const sha256 = await timed('sha256sum "$1"', file)
    const cat = await timed('cat "$1" > "$2"', file, join(folder, 'copy.bin'))
    theirs.push(md5 + sha256 + cat)
    const sent = await upload(product, ticket, file)
    stored = sent.stored
    ours.push(sent.seconds)
  }
  const digest = execFileSync('sha256sum', [file], { encoding: 'utf8' }).split(' ')[0]
  if (digest !== stored.sha256) throw new Error('the server computed another digest')
  remark(`upload ${median(ours).toFixed(2)} s, in turn ${median(theirs).toFixed(2)} s (medians of ${ROUNDS})`)
  const name = '300 MB upload with md5, sha1, sha256 ÷ md5sum + sha256sum + cat in turn'
  print({ name, value: median(ours) / median(theirs), unit: '×', bar: 1, better: 'less' })
  return stored
}

async function fourUploads(product: Product, ticket: string, files: readonly string[]) {
  const status = `/proc/${product.pid}/status`
  if (!existsSync(status)) return remark('peak memory is read from /proc, which this system does not have')
  // Resets the recorded peak memory.
  writeFileSync(`/proc/${product.pid}/clear_refs`, '5')
  await Promise.all(files.map((file) => upload(product, ticket, file)))
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024
  print({ name: 'peak memory with four 300 MB uploads at once', value: peak, unit: 'MB', bar: 350, better: 'less' })
}

async function ranges(product: Product, ticket: string, stored: Stored) {
  const { sha256 } = stored
  const file = join(product.dataDir, 'files', sha256.slice(0, 2), sha256.slice(2, 4), sha256)
  const baseline = existsSync('/usr/sbin/nginx') ? await startNginx(file) : await startPlainNode(file)
  const ours: number[] = []
  const theirs: number[] = []
  try {
    for (let round = 0; round < 3; round++) {
      theirs.push(await rangesPerSecond(baseline.url, ''))
      ours.push(await rangesPerSecond(`${product.url}${stored.url}`, ticket))
    }
  } finally {
    await baseline.stop()
  }
  remark(`ranges of 1 MiB: product ${median(ours).toFixed(0)}/s, ${baseline.name} ${median(theirs).toFixed(0)}/s`)
  const name = `Range download ÷ ${baseline.name}`
  print({ name, value: median(ours) / median(theirs), unit: '×', bar: 0.3, better: 'more' })
}

async function rangesPerSecond(url: string, ticket: string) {
  const folder = temporaryFolder('oms-wrk-')
  const script = join(folder, 'range.lua')
  const { pathname, origin } = new URL(url)
  writeFileSync(
    script,
    `request = function()
  local start = math.random(0, ${SIZE / MIB - 1}) * ${MIB}
  return wrk.format('GET', '${pathname}', { Range = 'bytes=' .. start .. '-' .. start + ${MIB - 1}, ticket = '${ticket}' })
end
`,
  )
  const { stdout } = await start('wrk', ['-t', '1', '-c', '8', '-d', `${RANGE_SECONDS}s`, '-s', script, origin])
  removeTemporary(folder)
  if (/Non-2xx/.test(stdout)) throw new Error(stdout)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

interface Baseline {
  readonly name: string
  readonly url: string
  stop(): Promise<unknown>
}

async function startNginx(file: string): Promise<Baseline> {
  const folder = temporaryFolder('oms-nginx-')
  const config = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`)
  writeFileSync(
    config,
    `${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1; daemon off; pid ${folder}/pid; error_log stderr;
events {} http { access_log off; sendfile on; tcp_nopush on; ${temporary.join(' ')}
server { listen 127.0.0.1:${BASELINE_PORT}; location = /readyz { return 200; } location = /file { alias ${file}; } } }`,
  )
  const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => child.kill('SIGTERM'))
  const ended = new Promise((done) => child.once('exit', done))
  const origin = `http://127.0.0.1:${BASELINE_PORT}`
  await untilReady(origin)
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    removeTemporary(folder)
  }
  return { name: 'one nginx worker', url: `${origin}/file`, stop }
}

/** Minimal Node server for range requests, used when nginx is missing. */
async function startPlainNode(file: string): Promise<Baseline> {
  const server = createServer(({ headers }, reply) => {
    const [, start, end] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []
    if (!start || !end) return void reply.end()
    reply.writeHead(206, { 'content-length': Number(end) - Number(start) + 1 })
    createReadStream(file, { start: Number(start), end: Number(end), highWaterMark: 256 * 1024 }).pipe(reply)
  })
  await new Promise<void>((done) => server.listen(BASELINE_PORT, '127.0.0.1', done))
  const stop = () => new Promise((done) => server.close(done).closeAllConnections())
  return { name: 'plain Node (no nginx here)', url: `http://127.0.0.1:${BASELINE_PORT}/file`, stop }
}

if (isMain(import.meta)) await run()
