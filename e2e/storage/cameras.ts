import { createHmac, randomUUID } from 'node:crypto'
import type { APIRequestContext } from '@playwright/test'
import { expect } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'

/** Time between the starts of two intervals of recordings. */
export const GAP_MS = 60_000
/** Segments of one permit. */
const MOST_SEGMENTS = 20

/** Creates a camera with an App user and a package, and returns its serial number and its token. */
export async function addCamera(admin: Api) {
  const [name, sn] = [fresh('回放'), fresh('PLAY')]
  const type = { typeName: name, typeCode: fresh('play-') }
  const { id: typeId } = await admin.call<{ id: number }>('POST', '/api/v1/device/type', type)
  const model = { typeId, modelName: name, modelCode: fresh('PM-'), cloudChannels: 1 }
  const { id: modelId } = await admin.call<{ id: number }>('POST', '/api/v1/device/model', model)
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/device/info', { sn, modelId, tenantId: 1 })
  const { token } = await admin.call<{ token: string }>('POST', `/api/v1/device/info/token/${id}`)
  const account = { tenantId: 1, account: fresh('user') }
  const { uid } = await admin.call<{ uid: number }>('POST', '/api/v1/account/app', account)
  const user = account.account
  await admin.call('POST', '/api/v1/account/app/bind', { id: uid, sn })
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 900, channels: 1 }
  const offer = { packageName: name, packageCode: fresh('PK'), ...terms }
  const { id: packageId } = await admin.call<{ id: number }>('POST', '/api/v1/oss/package', offer)
  await admin.call('POST', '/api/v1/oss/device/open', { sns: [sn], packageId, reason: '测试' })
  return { sn, token, user, uid, deviceId: id }
}

export type Camera = Awaited<ReturnType<typeof addCamera>>
export interface SegmentFile {
  readonly bytes: Buffer
  readonly segment: object
}

/** Uploads files as a camera does. */
export async function upload(request: APIRequestContext, { sn, token }: Camera, files: readonly SegmentFile[]) {
  const headers = { authorization: `Bearer ${token}` }
  const ask = async (some: readonly SegmentFile[]) => {
    const segments = some.map(({ bytes, segment }) => ({ ...segment, bytes: bytes.length }))
    const answer = await request.post('/device/v1/storage/permit', { headers, data: { sn, segments } })
    const { upload: permits = [] } = (await answer.json()) as { upload?: { url?: string; reason?: string }[] }
    return permits
  }
  for (let from = 0; from < files.length; from += MOST_SEGMENTS) {
    const some = files.slice(from, from + MOST_SEGMENTS)
    // The package was opened a moment ago; the storage index of the server is updated within a second.
    await expect.poll(async () => (await ask(some)).filter(({ url }) => url).length).toBe(some.length)
    for (const [at, { url }] of (await ask(some)).entries()) {
      const type = { 'content-type': 'application/octet-stream' }
      expect((await request.put(url ?? '', { headers: type, data: some[at]!.bytes })).status()).toBe(201)
    }
  }
}

/** Gives the consent of the camera's user through the App. */
export async function consentInApp(
  admin: Api,
  request: APIRequestContext,
  { sn, user }: Camera,
  begin: number,
  lengthMs = GAP_MS,
) {
  const APP = '/api/v1/oss/app'
  const { keyId, secret } = await admin.call<{ keyId: string; secret: string }>('POST', '/api/v1/oss/appkey', {
    keyName: fresh('密钥'),
  })
  const asked = { keyId, account: user, ttl: 900, nonce: randomUUID(), time: Math.floor(Date.now() / 1000) }
  const sign = createHmac('sha256', secret).update(Object.values(asked).join('\n')).digest('hex')
  const session = await (await request.post(`${APP}/session`, { data: { ...asked, sign } })).json()
  const headers = { 'oss-token': session.data.token as string }
  const data = { sn, begin, end: begin + lengthMs, validUntil: begin + 3600_000 }
  expect(await (await request.post(`${APP}/consent`, { headers, data })).json()).toMatchObject({ code: 200 })
}
