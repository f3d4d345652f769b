import type { IncomingMessage, ServerResponse } from 'node:http'
import { findComponent, sendComponent } from '../artifact.ts'
import { DeviceProblem, missing, sendEmpty, sendJson, unauthorized, wrong } from '../answer.ts'
import { rawHeader } from '../headers.ts'
import { readObject } from '../read-body.ts'
import { hasToken, identify, isEnabled, register, tenantOfGateway } from '../identify.ts'
import { isManifestName, sendManifest } from '../manifest.ts'
import type { DeviceSide } from '../side.ts'
import { activate } from './activate.ts'
import { check } from './check.ts'
import { report } from './report.ts'
import { addPlainRoute, type PlainCall, plainRoute } from './routes.ts'
import { ticket } from './ticket.ts'

addPlainRoute('check', check)
addPlainRoute('report', report)
addPlainRoute('activate', activate)
addPlainRoute('ticket', ticket)

export interface Arrived {
  readonly side: DeviceSide
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ip: string
  readonly origin: string
  readonly now: number
}

const bearerOf = (request: IncomingMessage) =>
  (/^bearer\s+(.+)$/i.exec(rawHeader(request, 'authorization') ?? '')?.[1] ?? '').trim()

/** One call below `/device/v1/`. */
export async function plain(arrived: Arrived, path: readonly string[]): Promise<unknown> {
  const { request, response } = arrived
  const [name = '', ...rest] = path
  if (name === 'files') return download(arrived, rest)
  const route = rest.length === 0 ? plainRoute(name) : undefined
  if (!route) throw missing('call')
  if (request.method !== 'POST') throw new DeviceProblem(405, 'POST only')
  const body = await readObject(request)
  const call = await identified(arrived, body)
  const answer = await route(call)
  return answer.body ? sendJson(request, response, answer.status, answer.body) : sendEmpty(response, answer.status)
}

async function identified(arrived: Arrived, body: Record<string, unknown>): Promise<PlainCall> {
  const { side, request, now } = arrived
  const { fleet } = side.kernel
  const sn = typeof body.sn === 'string' ? body.sn.trim() : ''
  const token = bearerOf(request) || (typeof body.token === 'string' ? body.token : '')
  const model = typeof body.model === 'string' && body.model.trim() !== '' ? body.model.trim() : undefined
  if (sn === '') throw wrong('sn is missing')
  const found = slotOf(arrived, { sn, token, model })
  const slot = typeof found === 'number' ? found : await found
  side.limits.takeDevice(slot, now, fleet.slots)
  side.presence.saw(slot, arrived.ip, now)
  const modelId = fleet.slots.models[slot]!
  // A device that takes itself for another model would get firmware that bricks it.
  if (model !== undefined && fleet.state.models.get(modelId)?.code !== model)
    throw new DeviceProblem(409, 'this serial belongs to another model')
  return {
    ...arrived,
    slot,
    sn,
    body,
    modelId,
    deviceId: fleet.slots.ids[slot]!,
    tenantId: fleet.slots.tenants[slot]!,
  }
}

interface Claim {
  readonly sn: string
  readonly token: string
  readonly model?: string | undefined
}

/**
 * By its own token, or by the gateway token of its tenant, which also registers serials nobody knows; without any token by
 * its certificate.
 */
function slotOf({ side, request }: Arrived, { sn, token, model }: Claim): number | Promise<number> {
  const { kernel } = side
  if (token === '') return identify(kernel, { id: 0, isDefault: true }, sn, side.certificates?.of(request))
  if (token.length > 256) throw unauthorized()
  const { slots } = kernel.fleet
  const slot = slots.find(sn)
  if (slot >= 0) {
    const id = slots.tenants[slot]!
    if (kernel.fleet.accessOf(id).targetToken && isEnabled(kernel, slot) && hasToken(kernel, slot, token)) return slot
    return identify(kernel, { id, isDefault: true }, sn, { kind: 'gateway', token })
  }
  const tenantId = tenantOfGateway(kernel, token)
  if (tenantId === undefined) throw unauthorized()
  return register(kernel, tenantId, sn, model)
}

/**
 * `files/{taskId}/{componentId}/{name}`: the bytes, for the device the task belongs to; `files/{taskId}/manifest.json` and
 * `.sig`: what was signed.
 */
async function download(arrived: Arrived, [task, component, name]: readonly string[]) {
  const { side, request, response, now } = arrived
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new DeviceProblem(405, 'GET or HEAD only')
  const slot = await slotOfTask(side, Number(task))
  const { kernel } = side
  if (slot < 0) throw unauthorized()
  await slotOf(arrived, { sn: kernel.fleet.slots.snOf(slot), token: bearerOf(request) })
  side.limits.takeDevice(slot, now, kernel.fleet.slots)
  if (name === undefined && isManifestName(component)) {
    const deployment = await side.deployments.of(kernel.fleet.state.tasks.get(Number(task))?.otaId ?? 0)
    if (!deployment) throw missing('manifest')
    return sendManifest(request, response, component, deployment)
  }
  const found = await findComponent({ side, slot }, Number(component))
  if (found.component.fileName !== name || found.task.taskId !== Number(task)) throw missing('file')
  return sendComponent({ side, request, response, slot, base: '', query: new URLSearchParams(), now }, found)
}

async function slotOfTask(side: DeviceSide, taskId: number) {
  const known = side.kernel.fleet.state.tasks.get(taskId)
  if (known) return known.slot
  await side.tasks.caughtUp()
  return side.kernel.fleet.state.tasks.get(taskId)?.slot ?? -1
}
