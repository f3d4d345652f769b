import type { IncomingMessage } from 'node:http'
import {
  queueResponse,
  DeviceError,
  notFound,
  sendEmpty,
  sendJson,
  unauthorized,
  badRequest,
} from '#modules/device/wire/response.ts'
import { findComponent, sendComponent, isManifestName, sendManifest } from '#modules/upgrade/wire/artifact.ts'
import {
  readBearerToken,
  requireJsonObject,
  parseRepairedJson,
  readObject,
  readReport,
  addPlainRoute,
  type PlainRequest,
  type PlainCall,
  findPlainRoute,
} from '#modules/device/wire/request.ts'
import {
  hasDeviceToken,
  identifyDevice,
  isDeviceEnabled,
  registerDevice,
  findTenantOfGateway,
} from '#modules/device/wire/identify.ts'
import { salvageField, salvageWord, salvageWholeField } from '#modules/upgrade/wire/feedback.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { handleActivation } from '#modules/license/activate.ts'
import { handleUpdateCheck, handleUpdateReport } from '#modules/upgrade/wire/plain.ts'
import { handleStorageCommit, putSegment } from '#modules/storage/wire/segment.ts'
import { handleStoragePermit, handleStorageState } from '#modules/storage/wire/permit.ts'
import { handleTicketList, handleTicketRating } from '#modules/ticket/wire/rating.ts'
import { handleTicketReport } from '#modules/ticket/wire/ticket.ts'
import { handleUpload, handleUploadPermit } from '#modules/ticket/wire/upload.ts'

addPlainRoute('check', handleUpdateCheck)
addPlainRoute('report', handleUpdateReport)
addPlainRoute('activate', handleActivation)
addPlainRoute('ticket', handleTicketReport)
addPlainRoute('ticket/list', handleTicketList)
addPlainRoute('ticket/rate', handleTicketRating)
addPlainRoute('upload-permit', handleUploadPermit)
addPlainRoute('storage/state', handleStorageState)
addPlainRoute('storage/permit', handleStoragePermit)
addPlainRoute('storage/commit', handleStorageCommit)

/** Routes one call below `/device/v1/`. */
export async function handlePlainRequest(arrived: PlainRequest, path: readonly string[]): Promise<unknown> {
  const { request, response } = arrived
  const [name = '', ...rest] = path
  if (name === 'files') return download(arrived, rest)
  if (name === 'uploads') return handleUpload(arrived, rest)
  if (name === 'storage' && rest[0] === 'segment' && rest.length === 2) return putSegment(arrived, rest[1]!)
  const route = findPlainRoute(path.join('/'))
  if (!route) throw notFound('call')
  if (request.method !== 'POST') throw new DeviceError(405, 'POST only')
  const { body, raw } = name === 'report' ? await readPlainReport(request) : { body: await readObject(request) }
  const call = { ...(await identifyCaller(arrived, body)), raw }
  const answer = await route(call)
  if (!answer.body) return sendEmpty(response, answer.status)
  if (!answer.isAscii) return sendJson(request, response, answer.status, answer.body)
  const text = JSON.stringify(answer.body)
  const headers = ['content-type', 'application/json', 'content-length', String(text.length)]
  return queueResponse(response, answer.status, headers, text)
}

/** Parses a report even when invalid or too long: uses the readable fields and keeps the text. */
async function readPlainReport(request: IncomingMessage): Promise<Pick<PlainCall, 'body' | 'raw'>> {
  const { text, isCut } = await readReport(request)
  const found = isCut ? undefined : parseRepairedJson(text)
  if (found !== undefined) return { body: requireJsonObject(found) }
  const fields = ['sn', 'token', 'model', 'taskId', 'code'].map(
    (name) => [name, salvageWholeField(text, name)] as const,
  )
  const message = salvageField(text, 'message')?.value
  const body = { ...Object.fromEntries(fields), state: salvageWord(text, 'state', 'failed'), message }
  if (salvageWholeField(text, 'sn') === undefined) throw badRequest('the body is not JSON')
  return { body, raw: text }
}

async function identifyCaller(arrived: PlainRequest, body: Record<string, unknown>): Promise<PlainCall> {
  const { side, request, now } = arrived
  const { fleet } = side.services
  const sn = typeof body.sn === 'string' ? body.sn.trim() : ''
  const token = readBearerToken(request) || (typeof body.token === 'string' ? body.token : '')
  const model = typeof body.model === 'string' && body.model.trim() !== '' ? body.model.trim() : undefined
  if (sn === '') throw badRequest('sn is missing')
  const found = slotOf(arrived, { sn, token, model })
  const slot = typeof found === 'number' ? found : await found
  side.limits.takeDevice(slot, now, fleet.slots)
  side.presence.saw(slot, arrived.ip, now)
  const modelId = fleet.slots.models[slot]!
  // A device that reports another model would get firmware that destroys the device.
  if (model !== undefined && fleet.state.models.get(modelId)?.code !== model)
    throw new DeviceError(409, 'this serial belongs to another model')
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
 * Authenticates by the device token or the tenant's gateway token, which also registers unknown serials. Without a
 * token, authenticates by client certificate.
 */
function slotOf({ side, request }: PlainRequest, { sn, token, model }: Claim): number | Promise<number> {
  const { services } = side
  if (token === '') return identifyDevice(services, { id: 0, isDefault: true }, sn, side.certificates?.of(request))
  if (token.length > 256) throw unauthorized('wrong device token')
  const { slots } = services.fleet
  const slot = slots.find(sn)
  if (slot >= 0) {
    const id = slots.tenants[slot]!
    if (
      services.fleet.accessOf(id).targetToken &&
      isDeviceEnabled(services, slot) &&
      hasDeviceToken(services, slot, token)
    )
      return slot
    const isGatewayToken = findTenantOfGateway(services, token) !== undefined
    return identifyDevice(services, { id, isDefault: true }, sn, { kind: isGatewayToken ? 'gateway' : 'target', token })
  }
  const tenantId = findTenantOfGateway(services, token)
  if (tenantId === undefined) throw unauthorized('unknown serial')
  return registerDevice(services, tenantId, sn, model)
}

/**
 * Handles `files/{taskId}/{componentId}/{name}` (the bytes) and `files/{taskId}/manifest.json` and `.sig` (the
 * signed manifest), only for the device of the task.
 */
async function download(arrived: PlainRequest, [task, component, name]: readonly string[]) {
  const { side, request, response, now } = arrived
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new DeviceError(405, 'GET or HEAD only')
  const slot = await slotOfTask(side, Number(task))
  const { services } = side
  if (slot < 0) throw unauthorized('no such open task')
  await slotOf(arrived, { sn: services.fleet.slots.snOf(slot), token: readBearerToken(request) })
  side.limits.takeDevice(slot, now, services.fleet.slots)
  if (name === undefined && isManifestName(component)) {
    const deployment = await side.deployments.of(services.fleet.state.tasks.get(Number(task))?.otaId ?? 0)
    if (!deployment) throw notFound('manifest')
    return sendManifest(request, response, component, deployment)
  }
  const found = await findComponent({ side, slot }, Number(component))
  if (found.component.fileName !== name || found.task.taskId !== Number(task)) throw notFound('file')
  return sendComponent({ side, request, response, slot, base: '', query: new URLSearchParams(), now }, found)
}

async function slotOfTask(side: DeviceServices, taskId: number) {
  const known = side.services.fleet.state.tasks.get(taskId)
  if (known) return known.slot
  await side.tasks.caughtUp()
  return side.services.fleet.state.tasks.get(taskId)?.slot ?? -1
}
