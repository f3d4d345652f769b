import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Kernel } from '#kernel/kernel.ts'
import { DeviceProblem, sendProblem } from './answer.ts'
import type { Clock } from './bandwidth.ts'
import { breakOff, isArtifact, isPiece } from './break-off.ts'
import { ddi, planOf } from './ddi/routes.ts'
import { idleBody, idleFor, installedBody, isIdle } from './ddi/poll.ts'
import { rawHeader } from './headers.ts'
import { credentialOf, identify, register, registrarOf, tenantOf } from './identify.ts'
import { addressOf } from './limits.ts'
import { leave } from './leave.ts'
import { plain } from './plain/plain.ts'
import { type Call, DeviceSide } from './side.ts'

const CONTROLLER = '/controller/v1/'
const PLAIN = '/device/v1/'
const MAX_URL = 2048
/** How links name the platform whatever case a device writes it in: Zephyr asks for `default`, and looks for this. */
const DEFAULT_TENANT = 'DEFAULT'
/** At its start a process reads all devices; a call that waited longer is told to come again. */
const READY_WITHIN_MS = 20_000

interface Arrival {
  readonly ip: string
  readonly now: number
}

/** Is this a call of a device? */
export function isDeviceUrl(url: string) {
  if (url.startsWith(PLAIN)) return true
  const end = url.indexOf('/', 1)
  return end > 1 && url.startsWith(CONTROLLER, end)
}

/** Answers the calls of devices, in front of everything the console has: no session, no hooks, no logged bodies. */
export class DeviceHandler {
  readonly side: DeviceSide
  readonly #kernel: Kernel

  constructor(kernel: Kernel, clock?: Clock) {
    this.#kernel = kernel
    this.side = new DeviceSide(kernel, clock)
  }

  /** Never throws. */
  handle(request: IncomingMessage, response: ServerResponse) {
    try {
      const { fleet, config } = this.#kernel
      const now = Date.now()
      const ip = addressOf(request, config.trustProxy)
      this.side.limits.takeAddress(ip, now, fleet.slots)
      if (fleet.isReady && this.#answerIdle(request, response, { ip, now })) return
      this.#answer(request, response, { ip, now }).catch((error: unknown) => this.#refuse(request, response, error))
    } catch (error) {
      this.#refuse(request, response, error)
    }
  }

  /** The usual poll of the usual device, without a promise on the way. */
  #answerIdle(request: IncomingMessage, response: ServerResponse, { ip, now }: Arrival): boolean {
    const url = request.url ?? ''
    if (request.method !== 'GET' || url.startsWith(PLAIN)) return false
    const end = url.indexOf('/', 1)
    const id = url.slice(end + CONTROLLER.length)
    if (id.length > 64 || !/^[\w.:-]+$/.test(id) || rawHeader(request, 'if-none-match') !== undefined) return false
    const { side } = this
    const { fleet, config } = this.#kernel
    const tenant = tenantOf(this.#kernel, url.slice(1, end))
    const slot = identify(
      this.#kernel,
      tenant,
      id,
      credentialOf(rawHeader(request, 'authorization')) ?? side.certificates?.of(request),
    )
    if (slot < 0 || !isIdle({ side, slot, now })) return false
    side.limits.takeDevice(slot, now, fleet.slots)
    side.presence.saw(slot, ip, now)
    const seconds = idleFor({ side, slot })
    const installed = fleet.slots.installed[slot]!
    const base =
      installed === 0
        ? ''
        : `${originOf(request, config.trustProxy)}/${tenant.isDefault ? DEFAULT_TENANT : url.slice(1, end)}${url.slice(end)}`
    const body = installed === 0 ? idleBody(seconds) : installedBody(seconds, base, installed)
    leave(response, 200, ['content-type', 'application/json', 'content-length', String(body.length)], body)
    return true
  }

  async #answer(request: IncomingMessage, response: ServerResponse, { ip, now }: Arrival) {
    const { fleet, config } = this.#kernel
    if (!fleet.isReady) await within(READY_WITHIN_MS, fleet.ready())
    const url = request.url ?? ''
    if (url.length > MAX_URL) throw new DeviceProblem(414, 'address too long')
    const [path = '', search] = url.split('?', 2)
    const origin = originOf(request, config.trustProxy)
    if (path.startsWith(PLAIN))
      return plain({ side: this.side, request, response, ip, origin, now }, partsOf(path.slice(PLAIN.length)))
    const end = path.indexOf('/', 1)
    const tenantName = path.slice(1, end)
    const [sn = '', ...rest] = partsOf(path.slice(end + CONTROLLER.length))
    const tenant = tenantOf(this.#kernel, decode(tenantName))
    const given = credentialOf(request.headers.authorization) ?? this.side.certificates?.of(request)
    const found = identify(this.#kernel, tenant, sn, given)
    const slot = found >= 0 ? found : await register(this.#kernel, registrarOf(this.#kernel, tenant, given)!, sn)
    const named = tenant.isDefault ? DEFAULT_TENANT : tenantName
    const base = `${origin}/${named}${CONTROLLER}${encodeURIComponent(sn)}`
    const call: Call = { side: this.side, request, response, slot, base, query: new URLSearchParams(search), now }
    try {
      // Pieces of a file have a limit of their own: a bundle that is streamed is read in thousands of them.
      if (!isPiece(request)) this.side.limits.takeDevice(slot, now, fleet.slots)
      this.side.presence.saw(slot, ip, now)
      return await ddi(call, rest)
    } catch (error) {
      const problem = error instanceof DeviceProblem ? error : this.#unforeseen(response, error)
      if (problem.retryAfter === undefined || !isArtifact(request)) throw problem
      const plan = await planOf(call, rest).catch(() => undefined)
      return breakOff(response, plan, this.side.holdMs)
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown) {
    const { status, message, retryAfter } = error instanceof DeviceProblem ? error : this.#unforeseen(response, error)
    if (retryAfter !== undefined && isArtifact(request)) return breakOff(response, undefined, this.side.holdMs)
    return sendProblem(response, status, message, retryAfter)
  }

  #unforeseen(response: ServerResponse, error: unknown) {
    const isGone = response.destroyed || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (isGone) response.destroy()
    else this.#kernel.log.error({ err: error }, 'device call failed')
    // The database is away, most likely: devices try again by themselves.
    return new DeviceProblem(503, 'temporarily unavailable', 30)
  }
}

const partsOf = (path: string) => path.split('/').map(decode)

function decode(part: string) {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new DeviceProblem(400, 'bad escape in the address')
  }
}

/** Scheme and host as the device wrote them: links lead back the way it came. */
function originOf(request: IncomingMessage, trustProxy: number | false) {
  const forwarded = (name: string) =>
    trustProxy === false ? undefined : rawHeader(request, name)?.split(',')[0]?.trim()
  const scheme = forwarded('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const host = forwarded('x-forwarded-host') || rawHeader(request, 'host') || ''
  if (host !== goodHost) {
    if (!/^[\w.-]+(?::\d{1,5})?$|^\[[0-9a-fA-F:.]+\](?::\d{1,5})?$/.test(host))
      throw new DeviceProblem(400, 'bad Host header')
    goodHost = host
  }
  return `${scheme}://${host}`
}
/** The last one looked at: nearly all devices call the same. */
let goodHost = ''

async function within(ms: number, work: Promise<void>) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new DeviceProblem(503, 'starting', 30)), ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
