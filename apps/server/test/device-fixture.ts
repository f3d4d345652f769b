import { createHash, randomBytes } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request as httpRequest,
  type Server,
} from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { readConfig } from '#core/config/config.ts'
import type { Services } from '#core/services.ts'
import { createServices } from '#main/services.ts'
import { createSeededDatabase } from './database.ts'
import type { Clock } from '#protocols/shared/bandwidth.ts'
import { DeviceHandler } from '#main/devices/handler.ts'

export const TOKEN = 'token-of-one-device-0123456789ab'
export const GATEWAY = 'gateway-of-the-platform-01234567'
const sha256 = (text: string) => createHash('sha256').update(text).digest()

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  json(): any
}
interface Sent {
  readonly method?: string
  readonly token?: string | null
  readonly headers?: OutgoingHttpHeaders
  readonly body?: object | string
}

export interface Version {
  readonly otaId: number
  readonly componentId: number
  readonly bytes: Buffer
  readonly fileName: string
}

/** Starts the device protocols with a separate database on a port. */
export function deviceLab(env: Record<string, string> = {}, clock?: Clock) {
  const logs: string[] = []
  let services: Services
  let dataDir = ''
  let handler: DeviceHandler
  let server: Server
  let origin = ''
  let made = 0
  const others: (() => Promise<void>)[] = []

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'oms-devices-'))
    const config = readConfig({ DATA_DIR: dataDir, ...env })
    const database = await createSeededDatabase()
    services = await createServices({
      config,
      database,
      log: pino({ level: 'trace' }, { write: (line: string) => void logs.push(line) }),
    })
    handler = new DeviceHandler(services, clock)
    server = createServer((request, response) => handler.handle(request, response))
    handler.acceptUpgrades(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await query(`insert into device_types (type_name, type_code) values ('摄像机', 'cam')`)
    await query(`insert into device_models (type_id, model_name, model_code) values (1, 'C1', 'C1'), (1, 'C2', 'C2')`)
    await query(`insert into tenants (id, tenant_no, name) values (7, 'ACME', '甲公司')`)
    await services.fleet.ready()
  })
  afterAll(async () => {
    for (const close of others) await close()
    server?.closeAllConnections()
    await new Promise((done) => server?.close(done))
    await handler?.side.close()
    await services?.close()
    await services?.database.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  // oxlint-disable-next-line typescript/no-explicit-any -- rows of any statement
  const query = async (text: string, values: unknown[] = []): Promise<any[]> =>
    (await services.database.pool.query(text, values)).rows

  const send = (path: string, { method = 'GET', token = TOKEN, headers = {}, body }: Sent = {}) =>
    new Promise<Reply>((done, fail) => {
      const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      const text = isRaw ? body : JSON.stringify(body)
      const auth = token === null ? {} : { authorization: `TargetToken ${token}` }
      const url = path.startsWith('http') ? path : `${origin}${path}`
      const request = httpRequest(url, { method, headers: { ...auth, ...headers } }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('error', fail)
        reply.on('end', () => {
          const whole = Buffer.concat(chunks)
          done({
            status: reply.statusCode ?? 0,
            headers: reply.headers,
            body: whole,
            json: () => JSON.parse(whole.toString()),
          })
        })
      })
      request.on('error', fail)
      request.end(text)
    })

  const device = async (
    fields: { sn?: string; tenantId?: number; modelId?: number; verCode?: number | null; token?: string } = {},
  ) => {
    made += 1
    const { sn = `SN${made}`, tenantId = 1, modelId = 1, verCode = 100, token = TOKEN } = fields
    const [row] = await query(
      `insert into devices (tenant_id, model_id, sn, ver_code, token_hash, attributes_wanted) values ($1, $2, $3, $4, $5, 0) returning id`,
      [tenantId, modelId, sn, verCode, sha256(token)],
    )
    await services.fleet.sync()
    const root = `/${tenantId === 1 ? 'DEFAULT' : 'ACME'}/controller/v1/${encodeURIComponent(sn)}`
    return { id: row.id as number, sn, root }
  }

  /** Creates an enabled version with one file, formally released by default. */
  const version = async (
    fields: {
      verCode?: number
      modelId?: number
      tenantId?: number
      fileName?: string
      policy?: object
      packageName?: string
      size?: number
      content?: Buffer
    } = {},
  ): Promise<Version> => {
    made += 1
    const {
      verCode = 1000 + made,
      modelId = 1,
      tenantId = 1,
      fileName = 'firmware.swu',
      policy = {},
      packageName = '',
      size = 100_000,
    } = fields
    const bytes = fields.content ?? randomBytes(size)
    const stored = await services.files.put(Readable.from([bytes]))
    const [row] = await query(
      `insert into ota_versions (tenant_id, model_id, kind, package_name, ver_code, ver_name, release_date, status, components)
       values ($1, $2, $3, $4, $5, $6, now() - interval '1 day', 1, 1) returning ota_id`,
      [tenantId, modelId, packageName ? 2 : 1, packageName, verCode, `v${verCode}`],
    )
    const [component] = await query(
      `insert into ota_components (ota_id, name, type, file_id, file_name, url, size, md5, sha1, sha256)
       values ($1, '固件', 2, 'x', $2, '/x', $3, $4, $5, $6) returning id`,
      [row.ota_id, fileName, stored.size, stored.md5, stored.sha1, stored.sha256],
    )
    const columns = { mode: 2, ...policy }
    const names = Object.keys(columns)
    await query(
      `insert into ota_policies (ota_id, tenant_id, ${names.join(', ')}) values ($1, $2, ${names.map((_, at) => `$${at + 3}`).join(', ')})`,
      [row.ota_id, tenantId, ...Object.values(columns)],
    )
    await services.fleet.sync()
    return { otaId: row.ota_id, componentId: component.id, bytes, fileName }
  }

  /** Starts a second instance with its own memory and the same database. Returns its URL. */
  const another = async () => {
    const { config, database } = services
    const twin = await createServices({ config, database, log: pino({ level: 'silent' }) })
    const devices = new DeviceHandler(twin)
    const listening = createServer((request, response) => devices.handle(request, response))
    devices.acceptUpgrades(listening)
    await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done))
    await twin.fleet.ready()
    others.push(async () => {
      listening.closeAllConnections()
      await new Promise((done) => listening.close(done))
      await devices.side.close()
      await twin.close()
    })
    return {
      origin: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`,
      sync: () => twin.fleet.sync(),
      side: devices.side,
    }
  }

  const post = (path: string, body: object | string, sent: Sent = {}) => send(path, { method: 'POST', body, ...sent })
  const plain = (name: string, body: object, token: string | null = TOKEN) =>
    send(`/device/v1/${name}`, {
      method: 'POST',
      body,
      token: null,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    })

  return {
    send,
    post,
    put: (path: string, body: object | string) => send(path, { method: 'PUT', body }),
    plain,
    query,
    device,
    version,
    another,
    /** Polls once. Returns the task, if any, with the path of its deploymentBase. */
    async poll(root: string) {
      const reply = await send(root)
      const body = reply.json()
      const href: string | undefined = (
        body._links?.deploymentBase ??
        body._links?.cancelAction ??
        body._links?.confirmationBase
      )?.href
      return { reply, body, href, taskId: Number(/\/(\d+)(?:\?|$)/.exec(href ?? '')?.[1]) }
    },
    taskRow: async (taskId: number) => (await query('select * from ota_tasks where task_id = $1', [taskId]))[0],
    gateway: async (fields: { modelId: number | null; tenantId?: number }) => {
      await query(
        `insert into device_access (tenant_id, gateway_token, gateway_token_hash, auto_model_id) values ($1, 1, $2, $3)`,
        [fields.tenantId ?? 1, sha256(GATEWAY), fields.modelId],
      )
      await services.fleet.sync()
    },
    /** Lines logged so far. */
    logs,
    sync: () => services.fleet.sync(),
    get side() {
      return handler.side
    },
    get services() {
      return services
    },
    get origin() {
      return origin
    },
  }
}
