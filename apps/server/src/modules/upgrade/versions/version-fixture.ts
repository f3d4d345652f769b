import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Caller } from '#test/harness.ts'

const ACTIONS = ['list', 'query', 'add', 'edit', 'remove', 'enable', 'uploadComp', 'export']
/** All permissions of the firmware pages. */
export const FIRMWARE_PERMISSIONS = ACTIONS.map((key) => `upgrade:ota:${key}`)
/** All permissions of the general software pages. */
export const SOFTWARE_PERMISSIONS = ACTIONS.map((key) => `upgrade:GeneralSoftware:${key}`)

const digest = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest('hex')
export const computeDigests = (bytes: Uint8Array) => ({
  size: bytes.length,
  md5: digest('md5', bytes),
  sha1: digest('sha1', bytes),
  sha256: digest('sha256', bytes),
})

export async function uploadComponent(caller: Caller, bytes: Uint8Array, name = 'firmware.bin') {
  const boundary = 'oms-test-boundary'
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`
  const payload = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const reply = await caller.inject({ method: 'POST', url: '/api/v1/device/ota/upload', headers, payload })
  return reply.json()
}

let models = 0
export async function createModel(caller: Caller): Promise<number> {
  models += 1
  const model = {
    modelName: `型号${models}`,
    modelCode: `M${models}`,
    typeName: `类型${models}`,
    typeCode: `T${models}`,
  }
  return (await caller.call('POST', '/api/v1/device/model/quick', model)).data.modelId
}

export async function createComponent(caller: Caller, over: object = {}) {
  const { data } = await uploadComponent(caller, randomBytes(2000))
  return { ...data, name: '主程序', type: 2, ...over }
}

export const buildVersion = (modelId: number, over: object = {}) => ({
  modelId,
  verCode: '100',
  verName: '秋季版',
  releaseDate: '2030-01-01 08:00:00',
  ...over,
})

/** Creates a version; the model is a new one unless `over` names one. Only platform accounts may create models. */
export async function createVersion(
  caller: Caller,
  over: { modelId?: number; [field: string]: unknown } = {},
  components?: object[],
) {
  const modelId = over.modelId ?? (await createModel(caller))
  const parts = components ?? [await createComponent(caller)]
  const payload = { otaVersion: buildVersion(modelId, over), components: parts }
  const { data, code, msg } = await caller.call('POST', '/api/v1/device/ota/ver', payload)
  expect({ code, msg }).toEqual({ code: 200, msg: '新增成功' })
  return { otaId: data.otaId as number, modelId, components: parts }
}

export const readVersion = async (caller: Caller, otaId: number) =>
  (await caller.call('GET', `/api/v1/device/ota/ver/${otaId}`)).data as {
    otaVersion: Record<string, unknown> & { rev: number; status: number }
    components: Record<string, unknown>[]
  }
export const saveVersion = (caller: Caller, payload: object) => caller.call('PUT', '/api/v1/device/ota/ver', payload)
