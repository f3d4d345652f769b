import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { readClientAddress, readHost, readScheme } from '#core/http/forwarded.ts'
import { createMetrics } from '#core/http/metrics.ts'
import { readRequestId } from '#core/http/request-log.ts'
import type { Services } from '#core/services.ts'
import { sendCachedManifest, routeAdRequest } from '#modules/advertise/wire/player/player.ts'
import { buildIdleBody, computeIdleInterval, buildInstalledBody, isIdle } from '#modules/upgrade/wire/hawkbit/base.ts'
import { routeDdiRequest, planComponentDownload } from '#modules/upgrade/wire/hawkbit/routes.ts'
import { handlePlainRequest } from '#main/devices/plain.ts'
import {
  abortDownload,
  isArtifactDownload,
  isPartialDownload,
  queueResponse,
  acceptsOnlyCbor,
  DeviceError,
  sendProblem,
} from '#modules/device/wire/response.ts'
import type { Clock } from '#modules/device/wire/bandwidth.ts'
import { type DdiCall, DeviceServices } from '#main/devices/device-services.ts'
import { readRawHeader } from '#modules/device/wire/request.ts'
import {
  parseCredential,
  identifyDevice,
  registerDevice,
  findRegistrationTenant,
  requireNamedTenant,
} from '#modules/device/wire/identify.ts'
import { routeSmilRequest } from '#modules/advertise/wire/smil/smil.ts'
import { RefusalLog } from '#modules/device/wire/limits.ts'
import { routeXiaozhiRequest } from '#modules/agent/wire/xiaozhi/routes.ts'
import { awaitCompletions } from '#modules/agent/wire/xiaozhi/relay-usage.ts'
import { ToolEndpoint } from '#modules/agent/wire/xiaozhi/tool-endpoint.ts'

const CONTROLLER = '/controller/v1/'
const PLAIN = '/device/v1/'
const XIAOZHI = '/xiaozhi/'
const RELAY = '/xiaozhi/llm/'
const AD = '/device/v1/ad/'
const MANIFEST = `${AD}manifest/`
const MAX_URL = 2048
/**
 * Platform tenant in device URLs, whatever case the device uses. Zephyr requests `default` and expects this spelling.
 */
const DEFAULT_TENANT = 'DEFAULT'
/**
 * Maximum time that a call waits while the process loads all devices. Afterwards the call gets 503, and the proxy or
 * the device retries.
 */
const READY_WITHIN_MS = 2000

interface Arrival {
  readonly ip: string
  readonly now: number
}

/** Handles device calls before all console code: without session, hooks or logged bodies. */
export class DeviceHandler {
  readonly side: DeviceServices
  readonly #tools: ToolEndpoint
  readonly #services: Services
  readonly #refusals: RefusalLog

  constructor(services: Services, clock?: Clock) {
    this.#services = services
    this.#refusals = new RefusalLog(services)
    this.side = new DeviceServices(services, clock)
    this.#tools = new ToolEndpoint(this.side)
    services.onClose(awaitCompletions)
  }

  /** Accepts the WebSocket connections of a server that belong to the device protocols. */
  acceptUpgrades(server: Server) {
    this.#tools.listen(server)
  }

  /** Handles a request. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse) {
    if (this.#services.config.metrics) measure(this.#services, request, response)
    try {
      const { fleet, config } = this.#services
      const now = Date.now()
      const ip = readClientAddress(request, config.trustProxy)
      this.side.limits.takeAddress(ip, now, fleet.slots)
      if (fleet.isReady && this.#answerIdle(request, response, { ip, now })) return
      this.#answer(request, response, { ip, now }).catch((error: unknown) => this.#refuse(request, response, error))
    } catch (error) {
      this.#refuse(request, response, error)
    }
  }

  /** Responds synchronously to an idle poll of a known device. Returns false when the full handler is needed. */
  #answerIdle(request: IncomingMessage, response: ServerResponse, { ip, now }: Arrival): boolean {
    const url = request.url ?? ''
    if (request.method !== 'GET') return false
    if (url.startsWith(MANIFEST)) return sendCachedManifest({ side: this.side, request, response, ip, now })
    if (url.startsWith(PLAIN) || url.startsWith(XIAOZHI)) return false
    const end = url.indexOf('/', 1)
    const id = url.slice(end + CONTROLLER.length)
    if (acceptsOnlyCbor(readRawHeader(request, 'accept'))) return false
    if (id.length > 64 || !/^[\w.:-]+$/.test(id) || readRawHeader(request, 'if-none-match') !== undefined) return false
    const { side } = this
    const { fleet, config } = this.#services
    const tenant = requireNamedTenant(this.#services, url.slice(1, end))
    const slot = identifyDevice(
      this.#services,
      tenant,
      id,
      parseCredential(readRawHeader(request, 'authorization')) ?? side.certificates?.of(request),
    )
    if (slot < 0 || !isIdle({ side, slot, now })) return false
    side.limits.takeDevice(slot, now, fleet.slots)
    side.presence.saw(slot, ip, now)
    const seconds = computeIdleInterval({ side, slot })
    const installed = fleet.slots.installed[slot]!
    const base =
      installed === 0
        ? ''
        : `${originOf(request, config.trustProxy)}/${tenant.isDefault ? DEFAULT_TENANT : url.slice(1, end)}${url.slice(end)}`
    const body = installed === 0 ? buildIdleBody(seconds) : buildInstalledBody(seconds, base, installed)
    queueResponse(response, 200, ['content-type', 'application/json', 'content-length', String(body.length)], body)
    return true
  }

  async #answer(request: IncomingMessage, response: ServerResponse, { ip, now }: Arrival) {
    const { fleet, config } = this.#services
    if (!fleet.isReady) await waitForFleet(READY_WITHIN_MS, fleet.ready())
    const url = request.url ?? ''
    if (url.length > MAX_URL) throw new DeviceError(414, 'address too long')
    const [path = '', search] = url.split('?', 2)
    const origin = originOf(request, config.trustProxy)
    const arrived = { side: this.side, request, response, ip, origin, now }
    if (path.startsWith(AD)) {
      const parts = partsOf(path.slice(AD.length))
      const call = { ...arrived, search }
      return parts[0] === 'smil' ? routeSmilRequest(call, parts.slice(1)) : routeAdRequest(call, parts)
    }
    if (path.startsWith(PLAIN)) return handlePlainRequest(arrived, partsOf(path.slice(PLAIN.length)))
    if (path.startsWith(XIAOZHI)) {
      const call = { ...arrived, query: new URLSearchParams(search) }
      return routeXiaozhiRequest(call, partsOf(path.slice(XIAOZHI.length)))
    }
    const end = path.indexOf('/', 1)
    const tenantName = path.slice(1, end)
    const [sn = '', ...rest] = partsOf(path.slice(end + CONTROLLER.length))
    const tenant = requireNamedTenant(this.#services, decode(tenantName))
    const given = parseCredential(request.headers.authorization) ?? this.side.certificates?.of(request)
    const found = identifyDevice(this.#services, tenant, sn, given)
    const owner = () => findRegistrationTenant(this.#services, tenant, given)!
    const slot = found >= 0 ? found : await registerDevice(this.#services, owner(), sn)
    const named = tenant.isDefault ? DEFAULT_TENANT : tenantName
    const base = `${origin}/${named}${CONTROLLER}${encodeURIComponent(sn)}`
    const call: DdiCall = { side: this.side, request, response, slot, base, query: new URLSearchParams(search), now }
    try {
      // Ranges of a file have their own limit, because a streamed bundle needs thousands of range requests.
      if (!isPartialDownload(request)) this.side.limits.takeDevice(slot, now, fleet.slots)
      this.side.presence.saw(slot, ip, now)
      return await routeDdiRequest(call, rest)
    } catch (error) {
      const problem = error instanceof DeviceError ? error : this.#unforeseen(request, response, error)
      if (problem.retryAfter === undefined || !isArtifactDownload(request)) throw problem
      const plan = await planComponentDownload(call, rest).catch(() => undefined)
      return abortDownload(response, plan, this.side.holdMs)
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown) {
    const { status, message, retryAfter } =
      error instanceof DeviceError ? error : this.#unforeseen(request, response, error)
    if (retryAfter !== undefined && isArtifactDownload(request))
      return abortDownload(response, undefined, this.side.holdMs)
    if (error instanceof DeviceError && error.reason) this.#refusals.note(request, error.reason)
    return sendProblem(response, status, message, retryAfter)
  }

  #unforeseen({ headers }: IncomingMessage, response: ServerResponse, error: unknown) {
    const isGone = response.destroyed || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (isGone) response.destroy()
    else this.#services.log.error({ err: error, reqId: readRequestId(headers) }, 'device call failed')
    // Probably the database is unavailable. Devices retry by themselves.
    return new DeviceError(503, 'temporarily unavailable', 30)
  }
}

/** Returns the decoded segments of a path. A trailing slash is ignored. */
const partsOf = (path: string) => path.replace(/\/$/, '').split('/').map(decode)

function decode(part: string) {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new DeviceError(400, 'bad escape in the address')
  }
}

/** Returns scheme and host as the device sent them, so that links use the same address. */
function originOf(request: IncomingMessage, trustProxy: number | false) {
  const host = readHost(request, trustProxy, readRawHeader(request, 'host') || formatLocalAddress(request))
  if (host !== goodHost) {
    if (!/^[\w.-]+(?::\d{1,5})?$|^\[[0-9a-fA-F:.]+\](?::\d{1,5})?$/.test(host))
      throw new DeviceError(400, 'bad Host header')
    goodHost = host
  }
  return `${readScheme(request, trustProxy)}://${host}`
}
/** Returns the address of the server for a client of HTTP/1.0, which may send no Host header. */
function formatLocalAddress({ httpVersion, socket: { localAddress = '', localPort } }: IncomingMessage) {
  if (httpVersion !== '1.0') return ''
  return `${localAddress.includes('.') ? localAddress.replace('::ffff:', '') : `[${localAddress}]`}:${localPort}`
}
/** Last validated host. Nearly all devices send the same host. */
let goodHost = ''

async function waitForFleet(ms: number, work: Promise<void>) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new DeviceError(503, 'starting', 30)), ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Excludes relayed completions from the response times of devices, because a completion lasts for seconds. */
function classOf(request: IncomingMessage) {
  if (request.url?.startsWith(RELAY)) return 'other'
  return request.method === 'GET' && !isArtifactDownload(request) ? 'device-poll' : 'device'
}

/** Counts the request in the metrics once the response is sent. Polls are the GET requests that download nothing. */
function measure(services: Services, request: IncomingMessage, response: ServerResponse) {
  const start = performance.now()
  response.once('close', () => {
    const operationClass = classOf(request)
    const seconds = (performance.now() - start) / 1000
    void createMetrics(services)?.then((metrics) =>
      metrics.observe({ operationClass, code: response.statusCode, seconds }),
    )
  })
}
