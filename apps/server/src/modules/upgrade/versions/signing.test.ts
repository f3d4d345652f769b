import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, sign, verify as verifies } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '#core/config/config.ts'
import { Signing } from '#core/crypto/signing.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { toCanonicalJson } from './signing.ts'
import {
  createComponent,
  createVersion,
  computeDigests,
  FIRMWARE_PERMISSIONS,
  readVersion,
  saveVersion,
  uploadComponent,
} from './version-fixture.ts'

const server = useApp()
const URL = '/api/v1/device/ota/manifest'

const folder = () => {
  const dir = mkdtempSync(join(tmpdir(), 'oms-signing-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
const enable = (me: Caller, otaId: number) => me.call('POST', `/api/v1/device/ota/ver/enable/${otaId}`)
const disable = (me: Caller, otaId: number) => me.call('POST', `/api/v1/device/ota/ver/disable/${otaId}`)
const manifestOf = async (me: Caller, otaId: number) => (await me.call('GET', `${URL}/${otaId}`)).data
const verified = async (me: Caller, otaId: number) => (await me.call('POST', `${URL}/verify/${otaId}`)).data
const failed = ({ checks }: { checks: { key: string; ok: boolean }[] }) =>
  checks.flatMap(({ key, ok }) => (ok ? [] : [key]))

/** Replaces the signing configuration for one test. */
function configured(env: Record<string, string>) {
  const services = server.services as { signing: Signing }
  const before = services.signing
  services.signing = new Signing(readConfig({ DATA_DIR: folder(), ...env }))
  onTestFinished(() => {
    services.signing = before
  })
}

test('canonical JSON does not depend on the key order and contains no white space', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const shuffled = (each: unknown): unknown =>
        Array.isArray(each)
          ? each.map(shuffled)
          : each && typeof each === 'object'
            ? Object.fromEntries(
                Object.entries(each)
                  .reverse()
                  .map(([key, inner]) => [key, shuffled(inner)]),
              )
            : each
      expect(toCanonicalJson(shuffled(value))).toBe(toCanonicalJson(value))
      expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  expect(toCanonicalJson({ b: [1, { d: null, c: 'ü' }], a: 0 })).toBe('{"a":0,"b":[1,{"c":"ü","d":null}]}')
})

test('enabling a version signs its content, and the signature is valid for the published public key', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const { otaId, components } = await createVersion(me, { oldVerMin: 1, oldVerMax: 99 })
  expect(await manifestOf(me, otaId)).toMatchObject({ state: 0, manifest: '', checks: [] })
  expect((await enable(me, otaId)).code).toBe(200)
  const view = await manifestOf(me, otaId)
  expect(view).toMatchObject({ state: 2, isOwn: true, release: 1 })
  expect(failed(view)).toEqual([])
  const part = components[0] as { size: number; sha256: string }
  expect(JSON.parse(view.manifest)).toMatchObject({
    format: 'oms-manifest-1',
    kind: 'firmware',
    package: '',
    verCode: 100,
    oldVerMin: 1,
    oldVerMax: 99,
    release: 1,
    components: [{ name: '主程序', type: 2, size: part.size, sha256: part.sha256 }],
  })
  const { keys } = (await me.call('GET', '/api/v1/device/ota/signing/keys')).data
  expect(keys).toHaveLength(1)
  const key = createPublicKey(keys[0].pem)
  expect(verifies(null, Buffer.from(view.manifest), key, Buffer.from(view.signature, 'base64'))).toBe(true)
  const id = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
  expect([keys[0].keyId, view.keyId]).toEqual([id, id])
  expect(JSON.stringify(keys)).not.toContain('PRIVATE')
  expect(failed(await verified(me, otaId))).toEqual([])
})

test('each enabling of a version gets the next release number of its model', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const first = await createVersion(me)
  await enable(me, first.otaId)
  const payload = {
    otaVersion: { modelId: first.modelId, verCode: 101, verName: '次', releaseDate: '2030-01-01 08:00:00' },
    components: [await createComponent(me)],
  }
  const second = (await me.call('POST', '/api/v1/device/ota/ver', payload)).data.otaId as number
  await enable(me, second)
  await disable(me, first.otaId)
  await enable(me, first.otaId)
  const releases = await Promise.all([first.otaId, second].map(async (id) => (await manifestOf(me, id)).release))
  expect(releases).toEqual([3, 2])
  const other = await createVersion(me)
  await enable(me, other.otaId)
  expect((await manifestOf(me, other.otaId)).release).toBe(1)
})

test('the verification fails after a change of a component, a database row or the signature', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const { otaId } = await createVersion(me)
  await enable(me, otaId)
  const { pool } = server.services.database
  const { data: other } = await uploadComponent(me, Buffer.from('something else'))
  await pool.query('update ota_components set sha256 = $2 where ota_id = $1', [otaId, other.sha256])
  expect(await manifestOf(me, otaId)).toMatchObject({ state: 3 })
  expect(failed(await manifestOf(me, otaId))).toEqual(['content'])
  expect(failed(await verified(me, otaId))).toEqual(['content', 'bytes'])
  await pool.query(
    `update ota_manifests set manifest = replace(manifest, '"verCode":100', '"verCode":900') where ota_id = $1`,
    [otaId],
  )
  expect(failed(await manifestOf(me, otaId))).toEqual(['signature', 'content'])
  await pool.query(
    `update ota_manifests set key_id = 'ffffffffffffffff', expire_time = now() - interval '1 day' where ota_id = $1`,
    [otaId],
  )
  expect(failed(await manifestOf(me, otaId))).toEqual(['signature', 'content', 'expiry'])
  await pool.query(`update ota_manifests set manifest = 'no JSON', signature = 'no signature' where ota_id = $1`, [
    otaId,
  ])
  expect(failed(await manifestOf(me, otaId))).toEqual(['signature', 'content', 'expiry'])
})

test('a required external signature is checked with the registered keys and becomes invalid by an edit', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const dir = folder()
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(dir, 'release.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  configured({ OMS_SIGNING_PUBLIC_KEYS: dir, OMS_SIGNING_REQUIRED: 'detached' })
  const { otaId, components } = await createVersion(me)
  const needed = { code: 501, msg: '系统要求离线签名：请先生成清单，签名并上传后再启用' }
  expect(await enable(me, otaId)).toMatchObject(needed)
  expect((await me.call('POST', `${URL}/sign/${otaId}`, { signature: `${'A'.repeat(86)}==` })).msg).toBe('请先生成清单')

  const { manifest } = (await me.call('POST', `${URL}/prepare/${otaId}`)).data
  expect(await manifestOf(me, otaId)).toMatchObject({ state: 1, detachedOnly: true, signature: '' })
  expect(await enable(me, otaId)).toMatchObject(needed)
  const send = (signature: string) => me.call('POST', `${URL}/sign/${otaId}`, { signature })
  const by = (key: typeof privateKey, text: string) => sign(null, Buffer.from(text), key).toString('base64')
  expect(await send('abc')).toMatchObject({ code: 400, data: { field: 'signature' } })
  const stranger = generateKeyPairSync('ed25519').privateKey
  const wrong = { code: 400, msg: '签名与清单不符，或签名的密钥未登记', data: { field: 'signature' } }
  expect(await send(by(stranger, manifest))).toEqual(wrong)
  expect(await send(by(privateKey, `${manifest} `))).toEqual(wrong)
  expect(await send(by(privateKey, manifest))).toMatchObject({ code: 200, data: { state: 2, isOwn: false } })

  const { otaVersion } = await readVersion(me, otaId)
  expect((await saveVersion(me, { otaVersion: { ...otaVersion, verName: '改后' }, components })).code).toBe(200)
  expect((await enable(me, otaId)).msg).toBe('清单生成后版本内容有变化，请重新生成清单并签名')
  const again = (await me.call('POST', `${URL}/prepare/${otaId}`)).data.manifest as string
  expect((await send(by(privateKey, again))).code).toBe(200)
  expect((await enable(me, otaId)).msg).toBe('启用成功')
  const view = await manifestOf(me, otaId)
  expect(view).toMatchObject({ state: 2, isOwn: false, manifest: again, release: 2 })
  expect((await me.call('POST', `${URL}/prepare/${otaId}`)).msg).toBe('版本已启用，不能重新生成清单')
})

test('the server accepts signatures made by openssl with the documented command', async () => {
  const dir = folder()
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    run('genpkey', '-algorithm', 'ed25519', '-out', 'key.pem')
  } catch {
    return
  }
  run('pkey', '-in', 'key.pem', '-pubout', '-out', 'public.pem')
  const signing = new Signing(readConfig({ DATA_DIR: dir, OMS_SIGNING_PUBLIC_KEYS: join(dir, 'public.pem') }))
  writeFileSync(join(dir, 'manifest.json'), '{"a":1}')
  const made = run('pkeyutl', '-sign', '-inkey', 'key.pem', '-rawin', '-in', 'manifest.json').toString('base64')
  const der = run('pkey', '-pubin', '-in', 'public.pem', '-outform', 'der')
  expect(signing.signerOf('{"a":1}', made)).toBe(createHash('sha256').update(der).digest('hex').slice(0, 16))
})

test('the signing key is created once with mode 0600; error messages name invalid key files without content', () => {
  const dir = folder()
  const first = new Signing(readConfig({ DATA_DIR: dir })).sign('x')
  expect(statSync(join(dir, 'signing.key')).mode & 0o777).toBe(0o600)
  expect(new Signing(readConfig({ DATA_DIR: dir })).sign('x')).toEqual(first)
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(dir, 'given.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const given = new Signing(readConfig({ DATA_DIR: dir, OMS_SIGNING_KEY_FILE: join(dir, 'given.pem') }))
  expect(given.sign('x').keyId).not.toBe(first.keyId)
  expect(given.check('x', first.signature, first.keyId)).toBe('unknown')
  writeFileSync(join(dir, 'broken.pem'), 'secret text')
  const start = (env: Record<string, string>) => () => new Signing(readConfig({ DATA_DIR: dir, ...env }))
  expect(start({ OMS_SIGNING_KEY_FILE: join(dir, 'broken.pem') })).toThrow('签名私钥应为 PEM 格式的 Ed25519 密钥')
  expect(start({ OMS_SIGNING_KEY_FILE: join(dir, 'none.pem') })).toThrow('OMS_SIGNING_KEY_FILE：无法读取文件')
  expect(start({ OMS_SIGNING_PUBLIC_KEYS: join(dir, 'broken.pem') })).toThrow('没有 PEM 格式的公钥')
  expect(start({ OMS_SIGNING_REQUIRED: 'detached' })).toThrow('须同时设置 OMS_SIGNING_PUBLIC_KEYS')
})

test('after random edits, the enabled version, its manifest and the served bytes are consistent', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const pool = [Buffer.from('甲'), Buffer.from('乙'.repeat(5000)), Buffer.from('丙'.repeat(90_000))]
  const parts = await Promise.all(
    pool.map(async (bytes, at) => ({ ...(await uploadComponent(me, bytes)).data, name: `部件${at}` })),
  )
  const edits = fc.array(fc.subarray([0, 1, 2], { minLength: 1 }), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(edits, async (steps) => {
      const { otaId } = await createVersion(me)
      for (const chosen of steps) {
        const { otaVersion } = await readVersion(me, otaId)
        const saved = await saveVersion(me, { otaVersion, components: chosen.map((at) => parts[at]) })
        expect(saved.code).toBe(200)
      }
      expect((await enable(me, otaId)).code).toBe(200)
      const view = await verified(me, otaId)
      expect([view.state, failed(view)]).toEqual([2, []])
      const { components } = await readVersion(me, otaId)
      const signed = JSON.parse(view.manifest).components as { sha256: string; size: number }[]
      expect(components.map(({ sha256, size }) => ({ sha256, size }))).toEqual(
        signed.map(({ sha256, size }) => ({ sha256, size })),
      )
      for (const { url, sha256 } of components) {
        const { rawPayload } = await me.inject({ method: 'GET', url: String(url) })
        expect(computeDigests(rawPayload).sha256).toBe(sha256)
      }
    }),
    { numRuns: 12 },
  )
})
