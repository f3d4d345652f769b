import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Manifest, type ManifestFile, MEDIA_CHUNK } from '@oms/contract/advertise/engine/manifest.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

export interface Report {
  readonly reportId: string
  readonly programId: number
  readonly itemId: number
  readonly adId: number
  readonly start: number
  readonly ms: number
  readonly planned: number
  readonly result: number
  readonly clock: number
  readonly count: number
  readonly error?: string
}

/**
 * Stands for the server in journeys that stop it: passes the player's files of the product through, and responds to the
 * calls below `/device/v1/ad/` by itself.
 */
export class AdServer {
  readonly reports: Report[] = []
  /** Paths that a package requested although it has no network. */
  readonly leaks: string[] = []
  readonly statuses: Record<string, unknown>[] = []
  readonly media: { readonly sha256: string; readonly range: string }[] = []
  readonly #files = new Map<string, Buffer>()
  readonly #pages: string
  #server: Server | undefined
  #port = 0
  manifest: Manifest | undefined
  /** Milliseconds between the time of the server and of this process. */
  offset = 0
  /** Serial of the screen that the open code was entered for. */
  pairedTo: string | undefined
  /** Number of media responses that are damaged. */
  damage = 0
  /** When true, media are refused with `Retry-After`. */
  isBusy = false
  /** When true, reports are stored and the response is lost. */
  losesReplies = false
  poll = 5
  /** True: the server refuses the token of the screen, as for an unpaired screen or a disabled device. */
  refuses = false

  constructor(pages: string) {
    this.#pages = pages
  }

  get origin() {
    return `http://127.0.0.1:${this.#port}`
  }

  async start() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
    await new Promise<void>((done) => this.#server!.listen(this.#port, '127.0.0.1', done))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Closes the port and all connections, as a killed process does. */
  async stop() {
    const server = this.#server
    this.#server = undefined
    server?.closeAllConnections()
    await new Promise<void>((done) => (server ? server.close(() => done()) : done()))
  }

  /** Adds a file. Returns the entry of a manifest. */
  file(bytes: Buffer, fields: Partial<ManifestFile> = {}): ManifestFile {
    const name = sha256(bytes)
    this.#files.set(name, bytes)
    const chunks: string[] = []
    for (let at = 0; at < bytes.length; at += MEDIA_CHUNK) chunks.push(sha256(bytes.subarray(at, at + MEDIA_CHUNK)))
    const base = {
      materialId: this.#files.size,
      size: bytes.length,
      mime: 'image/png',
      width: 320,
      height: 180,
      codec: '',
    }
    return { ...base, sha256: name, chunks, ...fields }
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, search } = new URL(request.url ?? '/', this.origin)
    if (pathname.includes('leak')) this.leaks.push(pathname)
    if (pathname === '/console') return void response.setHeader('content-type', 'text/html').end('<!doctype html>')
    if (pathname.startsWith('/player')) return this.#page(pathname + search, response)
    const call = /^\/device\/v1\/ad\/(.+)$/.exec(pathname)?.[1] ?? ''
    response.setHeader('x-oms-time', String(Date.now() + this.offset))
    response.setHeader('x-oms-poll', String(this.poll))
    if (call === 'pair')
      return json(response, 200, { pairId: 'pair-1', secret: 'secret', code: 'K7MWX4', expires: 900, every: 1 })
    if (call.startsWith('pair/'))
      return json(response, 200, this.pairedTo === undefined ? {} : { sn: this.pairedTo, token: 'player-token' })
    if (this.refuses || request.headers.authorization !== 'Bearer player-token') return json(response, 401, {})
    if (call.startsWith('manifest/')) return this.#manifest(request, response)
    if (call.startsWith('media/')) return this.#media(call.split('/')[2] ?? '', request, response)
    const body = JSON.parse(await textOf(request)) as { reports: Report[] }
    if (call === 'status') {
      this.statuses.push(body as unknown as Record<string, unknown>)
      return json(response, 200, {})
    }
    return this.#take(body.reports, response)
  }

  async #page(path: string, response: ServerResponse) {
    const reply = await fetch(this.#pages + path, { redirect: 'manual' })
    for (const [name, value] of reply.headers)
      if (!/^(content-encoding|content-length|connection|keep-alive|date|transfer-encoding)$/.test(name))
        response.setHeader(name, value)
    response.writeHead(reply.status).end(Buffer.from(await reply.arrayBuffer()))
  }

  #manifest(request: IncomingMessage, response: ServerResponse) {
    const body = Buffer.from(JSON.stringify(this.manifest))
    const etag = `"${sha256(body)}"`
    response.setHeader('etag', etag)
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }

  #media(name: string, request: IncomingMessage, response: ServerResponse) {
    const bytes = this.#files.get(name)
    const range = String(request.headers.range ?? '')
    this.media.push({ sha256: name, range })
    if (this.isBusy) return void response.writeHead(503, { 'retry-after': '1' }).end()
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
    if (!bytes || from === undefined) return json(response, 404, {})
    const part = Buffer.from(bytes.subarray(Number(from), Number(to) + 1))
    if (this.damage > 0) {
      this.damage--
      part[100]! ^= 1
    }
    response.writeHead(206, { 'content-length': part.length, etag: `"${name}"` }).end(part)
  }

  #take(reports: readonly Report[], response: ServerResponse) {
    const known = new Set(this.reports.map(({ reportId }) => reportId))
    const fresh = reports.filter(({ reportId }) => !known.has(reportId))
    this.reports.push(...fresh)
    if (this.losesReplies) return void response.destroy()
    return json(response, 200, { accepted: fresh.length, duplicate: reports.length - fresh.length, rejected: [] })
  }
}

const json = (response: ServerResponse, status: number, body: object) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function textOf(request: IncomingMessage) {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
