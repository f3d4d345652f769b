import { createHash, createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { deviceLab, TOKEN } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const bearer = { token: null, headers: { authorization: `Bearer ${TOKEN}` } }

/** Signs the content of a version with the server's key, as enabling does. */
async function sign(otaId: number, bytes: Buffer) {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const manifest = JSON.stringify({ components: [{ sha256, size: bytes.length }], note: '签名 "原文"' })
  const { signature, keyId } = oms.services.signing.sign(manifest)
  await oms.query(
    `insert into ota_manifests (ota_id, tenant_id, model_id, release, manifest, signature, key_id, expire_time)
     values ($1, 1, 1, $1, $2, $3, $4, now() + interval '1 day')`,
    [otaId, manifest, signature, keyId],
  )
  return { manifest, signature, keyId, sha256 }
}

const isGenuine = (text: Buffer, signature: Buffer) =>
  verify(null, text, createPublicKey(oms.services.signing.keys()[0]!.pem), signature)

test('check returns the signed manifest with both URLs, and the signature matches the served bytes', async () => {
  const { sn } = await oms.device()
  const { otaId, bytes } = await oms.version()
  const { manifest, signature, keyId, sha256 } = await sign(otaId, bytes)
  const told = (await oms.plain('check', { sn, verCode: 100 })).json()
  const url = `${oms.origin}/device/v1/files/${told.taskId}/manifest.json`
  expect(told.manifest).toEqual({ manifest, signature, keyId, url })
  expect(isGenuine(Buffer.from(told.manifest.manifest), Buffer.from(told.manifest.signature, 'base64'))).toBe(true)
  expect(isGenuine(Buffer.from(`${told.manifest.manifest} `), Buffer.from(signature, 'base64'))).toBe(false)
  const [text, detached] = [await oms.send(url, bearer), await oms.send(url.replace(/json$/, 'sig'), bearer)]
  expect([text.body.toString(), detached.body.length]).toEqual([manifest, 64])
  expect(isGenuine(text.body, detached.body)).toBe(true)
  expect(told.components[0].sha256).toBe(sha256)
  expect((await oms.send(url, { token: null })).status).toBe(401)
  const other = await oms.device({ token: 'token-of-another-device-01234567' })
  expect((await oms.plain('check', { sn: other.sn }, 'token-of-another-device-01234567')).status).toBe(200)
  const foreign = { token: null, headers: { authorization: 'Bearer token-of-another-device-01234567' } }
  expect((await oms.send(url, foreign)).status).toBe(401)
  await oms.query('update ota_versions set status = 2')
  await oms.sync()
})

test('a hawkBit deployment links the manifest unless the response would exceed the buffer of small devices', async () => {
  const { root } = await oms.device()
  const { otaId, bytes } = await oms.version()
  const { manifest } = await sign(otaId, bytes)
  const { href, taskId } = await oms.poll(root)
  const { deployment } = (await oms.send(href!)).json()
  const link = `${oms.origin}${root}/deploymentBase/${taskId}/manifest.json`
  expect(deployment.chunks[0].metadata).toEqual([{ key: 'manifest', value: link }])
  const [text, detached] = [await oms.send(link), await oms.send(link.replace(/json$/, 'sig'))]
  expect(text.body.toString()).toBe(manifest)
  expect(isGenuine(text.body, detached.body)).toBe(true)
  expect((await oms.post(link, {})).status).toBe(405)
  const other = await oms.device()
  expect((await oms.send(`${other.root}/deploymentBase/${taskId}/manifest.json`)).status).toBe(404)

  await oms.query('update ota_versions set status = 2')
  const long = await oms.version({ fileName: `${'f'.repeat(100)}.swu` })
  await sign(long.otaId, long.bytes)
  const next = await oms.device()
  const offered = await oms.poll(next.root)
  const answer = await oms.send(offered.href!)
  expect(answer.json().deployment.chunks[0].metadata).toBeUndefined()
  expect((await oms.send(`${next.root}/deploymentBase/${offered.taskId}/manifest.json`)).status).toBe(200)
  await oms.query('update ota_versions set status = 2')
  await oms.sync()
})

test('a version without a signature or with a missing external signature has no manifest', async () => {
  const { sn, root } = await oms.device()
  const { otaId } = await oms.version()
  await oms.query(
    `insert into ota_manifests (ota_id, tenant_id, model_id, release, manifest, signature, key_id, expire_time)
     values ($1, 1, 1, $1, '{}', '', '', now())`,
    [otaId],
  )
  const told = (await oms.plain('check', { sn, verCode: 100 })).json()
  expect(told.manifest).toBeUndefined()
  expect((await oms.send(`/device/v1/files/${told.taskId}/manifest.json`, bearer)).status).toBe(404)
  expect((await oms.send(`${root}/deploymentBase/${told.taskId}/manifest.sig`)).status).toBe(404)
})
