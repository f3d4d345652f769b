import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import { DeviceError, notFound, sendJson } from '#modules/device/wire/response.ts'
import { findComponent, planDownload, sendComponent, isManifestName } from '../artifact.ts'
import { putConfigData, handleInstalledVersion, handlePoll } from './base.ts'
import {
  activateAutoConfirm,
  deactivateAutoConfirm,
  getConfirmation,
  getConfirmations,
  postConfirmation,
} from './confirmation.ts'
import {
  getCancel,
  postCancelFeedback,
  describeDeployment,
  getDeployment,
  sendInstalledDeployment,
  getManifest,
  postFeedback,
} from './deployment.ts'

const MAX_INT = 2 ** 31 - 1

/** Parses an id in the URL. Throws 404 unless the text is a positive 32-bit number. */
function idFrom(text: string | undefined, what: string) {
  const id = /^\d{1,10}$/.test(text ?? '') ? Number(text) : 0
  if (id < 1 || id > MAX_INT) throw notFound(what)
  return id
}

/** Routes one call below `/{tenant}/controller/v1/{id}`. `path` contains the decoded segments after that prefix. */
export function routeDdiRequest(call: DdiCall, path: readonly string[]): Promise<unknown> {
  const [head = '', ...rest] = path
  const method = call.request.method ?? ''
  const route = Object.hasOwn(ROUTES, head) && ROUTES[head]
  if (!route) throw notFound('call')
  return route(call, method === 'HEAD' && head !== 'softwaremodules' ? 'GET' : method, rest)
}

/** Returns the response headers for a download of a component. */
export async function planComponentDownload(call: DdiCall, [, id]: readonly string[]) {
  const { component } = await findComponent(call, idFrom(id, 'module'))
  return planDownload(call.request, component)
}

type Route = (call: DdiCall, method: string, rest: readonly string[]) => Promise<unknown>

const notAllowed = () => new DeviceError(405, 'method not allowed')

const ROUTES: Readonly<Record<string, Route>> = {
  '': async (call, method) => {
    if (method !== 'GET') throw notAllowed()
    return handlePoll(call)
  },
  deploymentBase: async (call, method, [id, tail]) => {
    const taskId = idFrom(id, 'action')
    if (tail === undefined && method === 'GET') return getDeployment(call, taskId)
    if (tail === 'feedback' && method === 'POST') return postFeedback(call, taskId)
    if (isManifestName(tail) && method === 'GET') return getManifest(call, taskId, tail)
    throw tail === undefined || tail === 'feedback' || isManifestName(tail) ? notAllowed() : notFound('call')
  },
  installedBase: async (call, method, [id]) => {
    if (id === undefined && method === 'PUT') return handleInstalledVersion(call)
    if (id !== undefined && method === 'GET') return sendInstalledDeployment(call, idFrom(id, 'action'))
    throw notAllowed()
  },
  configData: async (call, method) => {
    if (method !== 'PUT') throw notAllowed()
    return putConfigData(call)
  },
  cancelAction: async (call, method, [id, tail]) => {
    const taskId = idFrom(id, 'action')
    if (tail === undefined && method === 'GET') return getCancel(call, taskId)
    if (tail === 'feedback' && method === 'POST') return postCancelFeedback(call, taskId)
    throw tail === undefined || tail === 'feedback' ? notAllowed() : notFound('call')
  },
  confirmationBase: async (call, method, [id, tail]) => {
    if (id === undefined) {
      if (method !== 'GET') throw notAllowed()
      return getConfirmations(call)
    }
    if (id === 'activateAutoConfirm' && method === 'POST') return activateAutoConfirm(call)
    if (id === 'deactivateAutoConfirm' && method === 'POST') return deactivateAutoConfirm(call)
    const taskId = idFrom(id, 'action')
    if (tail === undefined && method === 'GET') return getConfirmation(call, taskId)
    if (tail === 'feedback' && method === 'POST') return postConfirmation(call, taskId)
    throw tail === undefined || tail === 'feedback' ? notAllowed() : notFound('call')
  },
  softwaremodules: async (call, method, [id, artifacts, fileName]) => {
    if (artifacts !== 'artifacts') throw notFound('call')
    if (method !== 'GET' && method !== 'HEAD') throw notAllowed()
    return softwareModule(call, idFrom(id, 'module'), fileName)
  },
}

async function softwareModule(call: DdiCall, moduleId: number, fileName: string | undefined) {
  const found = await findComponent(call, moduleId)
  const { component, deployment, task } = found
  if (fileName === undefined) {
    const [chunk] = describeDeployment(call, { ...deployment, components: [component] }).chunks
    return sendJson(call.request, call.response, 200, chunk!.artifacts)
  }
  if (fileName === `${component.fileName}.MD5SUM`) {
    const text = `${component.md5}  ${component.fileName}\n`
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) }
    return void call.response.writeHead(200, headers).end(call.request.method === 'HEAD' ? undefined : text)
  }
  if (fileName !== component.fileName || task.state === TASK_STATE_CODE.confirming) throw notFound('artifact')
  return sendComponent(call, found)
}
