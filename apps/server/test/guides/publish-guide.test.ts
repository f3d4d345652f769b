import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { accounts } from '#core/schema/account.ts'
import { createDevice } from '#modules/ticket/ticket-fixture.ts'
import { useApp } from '#test/harness.ts'
import { readGuide, ROOT, stepsOf } from './device-guide.ts'

const app = useApp({ OMS_OTA_TWO_PERSON: 'off' })
const guide = readGuide('publish-from-ci.md')
const PERMISSIONS = ['list', 'query', 'add', 'uploadComp', 'enable', 'publish'].map((each) => `upgrade:ota:${each}`)
let env: Record<string, string>
let folder: string

beforeAll(async () => {
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  folder = mkdtempSync(join(tmpdir(), 'oms-publish-'))
  copyFileSync(join(ROOT, 'deploy/ci/oms-publish.mjs'), join(folder, 'oms-publish.mjs'))
  writeFileSync(join(folder, 'firmware.bin'), Buffer.alloc(9 * 1024 * 1024, 7))
  const { modelId } = await createDevice(app.db, 1, { sn: 'PUBLISH01' })
  await app.db.execute(`update device_models set model_code = 'C10' where id = ${modelId}`)
  const owner = await app.by({ permissions: PERMISSIONS })
  const pswdMd5 = computeMd5Hex('Correct-horse-7')
  const passwordHash = await app.services.passwords.hash(pswdMd5)
  await app.db.update(accounts).set({ passwordHash }).where(eq(accounts.uid, owner.uid))
  const expireDay = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const token = { name: 'CI', permissions: PERMISSIONS, nets: ['127.0.0.1'], expireDay, pswdMd5 }
  const { data } = await owner.call('POST', '/api/v1/account/token', token)
  const { port } = app.app.server.address() as AddressInfo
  env = { PATH: process.env.PATH ?? '', OMS_URL: `http://127.0.0.1:${port}`, OMS_TOKEN: data.token }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sh = (command: string, more: Record<string, string> = {}) =>
  promisify(execFile)('sh', ['-c', command], { cwd: folder, env: { ...env, ...more } }).catch((error) => error)

test('the command in docs/guides/publish-from-ci.md publishes a build, and a second run changes nothing', async () => {
  const [step] = stepsOf(guide).filter((each) => each.kind === 'shell')
  expect((await sh(step!.command)).stdout.trim()).toBe(step!.expected!.trim())
  const { rows } = await app.db.execute(`select v.status, p.mode, (select count(*)::int from ota_stages s
    where s.ota_id = v.ota_id) as stages from ota_versions v join ota_policies p using (ota_id) where v.ver_code = 2600`)
  expect(rows).toEqual([{ status: 1, mode: 2, stages: 2 }])
  expect((await sh(step!.command)).stdout.trim()).toBe('released')
  writeFileSync(join(folder, 'other.bin'), 'other')
  expect((await sh(step!.command.replace('firmware.bin', 'other.bin'))).stderr).toContain(
    'version 2600 exists with another file',
  )
})

test('the examples of build servers publish with the variables of their build server', async () => {
  const commands = guide.split('\n').flatMap((line) => /node oms-publish\.mjs .*1,10,100/.exec(line) ?? [])
  expect(commands).toHaveLength(3)
  for (const [at, command] of commands.entries()) {
    const [build, tag] = [String(3001 + at), `v3.${at}`]
    const names = { CI_PIPELINE_IID: build, GITHUB_RUN_NUMBER: build, BUILD_NUMBER: build }
    const tags = { CI_COMMIT_TAG: tag, GITHUB_REF_NAME: tag, TAG_NAME: tag }
    const { stdout, stderr } = await sh(command, { ...names, ...tags })
    expect([stdout.split('\n')[0], stderr]).toEqual([`created version ${build}`, ''])
  }
})

test('the script says why OMS refuses, and fails', async () => {
  const command = 'node oms-publish.mjs --file firmware.bin --model C10 --version 5 --name v5'
  expect(await sh(command, { OMS_TOKEN: `oms_${'x'.repeat(43)}` })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('访问令牌无效、已过期或已撤销'),
  })
  expect((await sh(command.replace('C10', 'NONE'))).stderr).toContain('no device model has the code NONE')
})
