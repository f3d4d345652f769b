// Measures uploads of recordings of 1 MB to the local store, against a bare server that writes, syncs and renames a
// file for each request. Both servers receive the same bodies on the same number of connections.
import { Agent, request } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../lib/baseline-server.ts'
import { TOKEN } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { startProduct, ticksOf, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { fillCameras, fillEntitlements, untilState } from '../lib/storage-cameras.ts'
import { removeTemporary, temporaryFolder } from '../lib/temporary.ts'

/** Uploads of one round. */
const UPLOADS = Number(process.env.BENCH_ROWS ?? 600)
/** Each camera uploads once in each round. */
const CAMERAS = UPLOADS
const CONNECTIONS = 64
const ROUNDS = 5
const BYTES = 1_000_000
const MB = 1_000_000
/** 0x47 is the sync byte of MPEG-TS: each packet begins with it. */
const BODY = Buffer.alloc(BYTES, 0x47)
const BARE_PORT = 18_364

export async function run() {
  const product = await startProduct({ port: 18_363 })
  const folder = temporaryFolder('oms-bare-')
  const bare = await startProgram(BARE_PORT, BARE(folder))
  try {
    fillCameras(product, CAMERAS)
    fillEntitlements(product, { to: CAMERAS })
    await untilState(product.url, `D${CAMERAS}`, 'recording')
    await untilQuiet(product)
    remark(`load of the machine ${loadavg()[0]!.toFixed(1)}; ${UPLOADS} uploads on ${CONNECTIONS} connections a round`)
    const found = { ours: empty(), bare: empty() }
    // The first round warms up both servers and is not counted.
    for (let round = 0; round <= ROUNDS; round++) {
      const ours = await measure(product, await permits(product.url))
      const theirs = await measure(
        bare,
        Array.from({ length: UPLOADS }, (_, at) => `${bare.url}/${round}-${at}.ts`),
      )
      if (round === 0) continue
      add(found.ours, ours)
      add(found.bare, theirs)
    }
    report(found.ours, found.bare)
  } finally {
    bare.stop()
    await product.stop()
    removeTemporary(folder)
  }
}

interface Measured {
  /** Uploads per second. */
  readonly rate: number
  readonly medianMs: number
  /** CPU milliseconds of the server for one upload. */
  readonly cpuMs: number
}
const empty = () => ({ rate: [] as number[], medianMs: [] as number[], cpuMs: [] as number[] })
type Found = ReturnType<typeof empty>
const FIELDS = ['rate', 'medianMs', 'cpuMs'] as const
const add = (found: Found, measured: Measured) => FIELDS.forEach((field) => found[field].push(measured[field]))

function report(ours: Found, bare: Found) {
  const shown = (found: Found) =>
    `${median(found.rate).toFixed(0)} a second, median ${median(found.medianMs).toFixed(0)} ms, ${median(found.cpuMs).toFixed(1)} ms of processor time`
  remark(`local store: ${shown(ours)}`)
  remark(`bare server: ${shown(bare)}`)
  print({
    name: `uploads of ${BYTES / MB} MB to the local store ÷ bare server that writes, syncs and renames`,
    value: median(ours.rate) / median(bare.rate),
    unit: '×',
    bar: 0.6,
    better: 'more',
  })
}

/** Requests a permit for one new recording of each camera. Returns the upload URLs. */
async function permits(url: string): Promise<string[]> {
  const segment = { start: Date.now() - 10_000, durationMs: 4000, bytes: BYTES, format: 'ts', session: 1, seq: 1 }
  return Promise.all(
    Array.from({ length: UPLOADS }, async (_, at) => {
      const reply = await fetch(`${url}/device/v1/storage/permit`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ sn: `D${1 + at}`, channel: 0, segments: [segment] }),
      })
      const { upload } = (await reply.json()) as { upload?: { url: string }[] }
      if (!upload?.[0]?.url) throw new Error(`no permit for D${1 + at}: ${reply.status}`)
      return upload[0].url
    }),
  )
}

/** Uploads the same body to all URLs. */
async function measure({ pid }: { readonly pid: number }, urls: readonly string[]): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const times: number[] = []
  const before = ticksOf(pid)
  const start = performance.now()
  let next = 0
  const lane = async () => {
    for (let url = urls[next++]; url !== undefined; url = urls[next++]) {
      const from = performance.now()
      // oxlint-disable-next-line no-await-in-loop -- a connection sends one upload after the other
      await put(url, agent)
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  const cpuMs = ((ticksOf(pid) - before) * 10) / urls.length
  return { rate: urls.length / seconds, medianMs: median(times), cpuMs }
}

const put = (url: string, agent: Agent) =>
  new Promise<void>((done, fail) => {
    const headers = { 'content-type': 'video/mp2t', 'content-length': BYTES }
    request(url, { method: 'PUT', agent, headers }, (reply) => {
      reply.resume().on('error', fail)
      reply.on('end', () => (reply.statusCode === 201 ? done() : fail(new Error(`upload: HTTP ${reply.statusCode}`))))
    })
      .on('error', fail)
      .end(BODY)
  })

/** Code of the bare server: writes each body to a temporary file, syncs and renames the file, and then responds 201. */
const BARE = (folder: string) => `const { open, rename } = require('node:fs/promises')
require('node:http').createServer(async (q, r) => {
  const target = ${JSON.stringify(join(folder, '/'))} + q.url.slice(1)
  const file = await open(target + '.part', 'wx')
  for await (const chunk of q) await file.write(chunk)
  await file.sync()
  await file.close()
  await rename(target + '.part', target)
  r.writeHead(201, { 'content-length': 0 }).end()
}).listen(${BARE_PORT}, '127.0.0.1', () => process.stdout.write('ready'))`

if (isMain(import.meta)) await run()
