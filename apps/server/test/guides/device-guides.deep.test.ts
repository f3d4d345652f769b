import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DeviceInput } from '@oms/contract/device/device-row.ts'
import { DeviceModelInput } from '@oms/contract/device/device-model.ts'
import { DeviceTypeInput } from '@oms/contract/device/device-type.ts'
import { COMPONENT_TYPE, OtaComponentInput, OtaVersionInput } from '@oms/contract/upgrade/ota.ts'
import { pino } from 'pino'
import { describe, expect, inject, test } from 'vitest'
import type * as z from 'zod'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { readConfig } from '#core/config/config.ts'
import { buildApp } from '#main/app.ts'
import { DeviceHandler } from '#main/devices/handler.ts'
import { seedDatabase } from '#main/seed/seed.ts'
import { createServices } from '#main/services.ts'
import { createTestDatabase } from '#test/database.ts'
import {
  blocksOf,
  containsLines,
  type FormStep,
  isExpected,
  readGuide,
  ROOT,
  runBlock,
  stepsOf,
} from './device-guide.ts'
import { assertSwupdateInstalled, withoutSwupdate } from '#test/clients/swupdate-client.ts'

const PASSWORD = 'Guide-admin-1'
/** Values of the guides that differ on every installation. */
const ADDRESS = 'http://127.0.0.1:8080'
const TOKEN = 'paste-the-token'
const CHECKOUT = '/srv/oms'

/** Starts an empty installation with console and devices on one port. */
async function install() {
  const base = mkdtempSync(join(inject('scratch'), 'guide-'))
  const config = readConfig({ DATA_DIR: join(base, 'data') })
  const database = await createTestDatabase()
  const services = await createServices({ config, database, log: pino({ level: 'silent' }) })
  await seedDatabase(database, { passwords: services.passwords, adminPassword: PASSWORD })
  await services.permissionVersion.follow(services)
  const devices = new DeviceHandler(services)
  const app = buildApp(services, devices)
  await app.listen({ host: '127.0.0.1', port: 0 })
  await services.fleet.ready()
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const folder = join(base, 'reader')
  const temporary = join(base, 'temporary')
  for (const path of [folder, temporary]) mkdirSync(path)
  const close = async () => {
    app.server.closeAllConnections()
    await app.close()
    await devices.side.close()
    await services.close()
    await database.close()
    rmSync(base, { recursive: true, force: true })
  }
  return { url, folder, temporary, services, ...(await consoleOf(url)), close }
}
type Installation = Awaited<ReturnType<typeof install>>

/** Logs in as `admin`. Calls throw with the message of the console when they are refused. */
async function consoleOf(url: string) {
  let ticket = ''
  const send = async (path: string, init: RequestInit) => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      ...init,
      headers: { ...init.headers, ...(ticket && { ticket }) },
    })
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
    const { code, msg, data } = (await reply.json()) as { code: number; msg: string; data: any }
    if (code !== 200) throw new Error(`${path}: ${code} ${msg}`)
    return { msg, data }
  }
  const call = (method: string, path: string, body?: object) =>
    send(path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  ticket = (await call('POST', '/account/login', { account: 'admin', pswdMd5: computeMd5Hex(PASSWORD) })).data.token
  const upload = async (folder: string, name: string) => {
    const body = new FormData()
    body.set('file', new Blob([readFileSync(join(folder, name))]), name)
    return (await send('/device/ota/upload', { method: 'POST', body })).data
  }
  return { call, upload }
}

/** Returns the values of a form by the field names of the contract. Throws for a title that no field has. */
function inputOf({ fields }: FormStep, schema: z.ZodObject, only: (title: string) => boolean = () => true) {
  const names = new Map(Object.entries(schema.shape).map(([name, field]) => [titleOf(field), name]))
  return Object.fromEntries(
    [...fields]
      .filter(([title]) => only(title))
      .map(([title, value]) => {
        const name = names.get(title)
        if (!name) throw new Error(`The form has no field 「${title}」`)
        return [name, value]
      }),
  )
}
const titleOf = (field: unknown) => (field as z.ZodType).meta()?.title

/** Carries out the screens of a form step by calls. Returns the created device token, if any. */
const FORMS: Readonly<Record<string, (oms: Installation, form: FormStep) => Promise<string | void>>> = {
  async 新增设备类型({ call }, form) {
    await call('POST', '/device/type', inputOf(form, DeviceTypeInput))
  },
  async 新增设备型号({ call }, form) {
    const input = inputOf(form, DeviceModelInput)
    const { data } = await call('GET', `/device/type/page?typeName=${encodeURIComponent(input.typeId ?? '')}`)
    await call('POST', '/device/model', { ...input, typeId: data.list[0].id })
  },
  async 新增设备(oms, form) {
    const { data } = await oms.call('POST', '/device/info', {
      ...inputOf(form, DeviceInput),
      ...(await modelOf(oms, form)),
    })
    return (await oms.call('POST', `/device/info/token/${data.id}`)).data.token
  },
  async 新增固件(oms, form) {
    const isOfComponent = (title: string) => title.startsWith('组件')
    const otaVersion = {
      ...inputOf(form, OtaVersionInput, (title) => !isOfComponent(title)),
      ...(await modelOf(oms, form)),
    }
    const component = inputOf(form, OtaComponentInput, isOfComponent)
    const type = Object.entries(COMPONENT_TYPE).find(([, label]) => label === component.type)?.[0]
    const { url } = await oms.upload(oms.folder, component.url ?? '')
    const { data } = await oms.call('POST', '/device/ota/ver', {
      otaVersion,
      components: [{ ...component, type, url }],
    })
    await oms.call('POST', `/device/ota/ver/enable/${data.otaId}`)
    const { msg } = await oms.call('PUT', '/device/ota/white', { otaId: data.otaId, sns: ['CAM-0001'] })
    expect(msg).toBe('加入成功！新加入 1 台')
    const { keys } = (await oms.call('GET', '/device/ota/signing/keys')).data
    if (readdirSync(oms.folder).includes('firmware.bin')) writeFileSync(join(oms.folder, 'vendor.pub.pem'), keys[0].pem)
  },
}

async function modelOf({ call }: Installation, { fields }: FormStep) {
  const { data } = await call(
    'GET',
    `/device/model/simple/list?keyword=${encodeURIComponent(fields.get('设备型号') ?? '')}`,
  )
  return { modelId: data[0].modelId as number }
}

/** Follows a guide on an empty installation. Returns the task and the device afterwards. */
async function follow(name: string) {
  const oms = await install()
  try {
    // SWUpdate waits for the poll interval before it installs. The shortest interval of the console is 30 seconds.
    await oms.services.database.pool.query('insert into device_access (tenant_id, poll_seconds) values (1, 1)')
    let token = ''
    const filled = (text: string) =>
      text.replaceAll(ADDRESS, oms.url).replaceAll(TOKEN, token).replaceAll(CHECKOUT, ROOT)
    for (const step of stepsOf(readGuide(name))) {
      if (step.kind === 'form') {
        token = (await FORMS[step.title]!(oms, step)) ?? token
        await oms.services.fleet.sync()
        continue
      }
      const { expected, isUntilStopped } = step
      const command = step.command.startsWith('export ') ? filled(step.command) : step.command
      const wanted = expected === undefined ? undefined : filled(expected)
      const env = { PATH: process.env.PATH, HOME: oms.folder, TMPDIR: oms.temporary, LC_ALL: 'C' }
      const { output, status } = await runBlock({ folder: oms.folder, env }, { ...step, command, expected: wanted })
      const isRight = isUntilStopped ? containsLines(output, wanted ?? '') : isExpected(output, wanted ?? '')
      if (!isRight) expect(output, `${name}: ${command}`).toBe(wanted ?? '')
      if (!isUntilStopped) expect(status, `${name}: ${command}\n${output}`).toBe(0)
    }
    const query = async (text: string) => (await oms.services.database.pool.query(text)).rows
    return {
      tasks: await query('select state, reason from ota_tasks'),
      devices: await query('select ver_code, hw_ver from devices'),
    }
  } finally {
    await oms.close()
  }
}

const CLOSED = [{ state: 100, reason: '' }]

describe.concurrent('the device guides from an empty installation to a closed task', () => {
  test('a device with plain HTTP reaches a closed task by following docs/guides/connect-http.md', async () => {
    expect(await follow('connect-http.md')).toEqual({ tasks: CLOSED, devices: [{ ver_code: 200, hw_ver: '' }] })
  })

  test('a RAUC device, simulated with curl, reaches a closed task by following its guide', async () => {
    expect(await follow('connect-rauc.md')).toEqual({ tasks: CLOSED, devices: [{ ver_code: 200, hw_ver: 'B2' }] })
  })

  test.skipIf(withoutSwupdate !== undefined)(
    'SWUpdate of Debian reaches a closed task by following its guide',
    async () => {
      assertSwupdateInstalled()
      expect(await follow('connect-swupdate.md')).toEqual({ tasks: CLOSED, devices: [{ ver_code: 200, hw_ver: 'B2' }] })
    },
  )
})

const GUIDES = ['connect-swupdate.md', 'connect-rauc.md', 'connect-http.md'] as const

test.each(GUIDES)('%s mentions only pages, fields and buttons that exist', (name) => {
  const text = readGuide(name)
  const bold = [...text.matchAll(/\*\*([^*]+)\*\*/g)].flatMap(([, path]) => path!.split(' → '))
  const forms = stepsOf(text).flatMap((step) => (step.kind === 'form' ? [step.title, ...step.fields.keys()] : []))
  const words = [...bold, ...forms]
  const sources = ['apps/console/src', 'apps/console/test', 'packages/contract/src'].map(sourceBelow).join('\n')
  expect(words.length).toBeGreaterThan(15)
  expect(words.filter((word) => !sources.includes(word))).toEqual([])
})

/** Returns the text of all source files below a folder, without tests. */
function sourceBelow(folder: string): string {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
  const isSource = (file: string) => /\.tsx?$/.test(file) && !file.includes('.test.')
  return entries
    .filter((entry) => entry.isFile() && isSource(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
}

/** Options of rauc-hawkbit-updater in the section `client`, from its reference. */
const RAUC_OPTIONS = `hawkbit_server target_name auth_token gateway_token ssl_key ssl_cert tenant_id ssl ssl_verify
  ssl_engine bundle_download_location connect_timeout timeout retry_wait low_speed_time low_speed_rate
  resume_downloads stream_bundle post_update_reboot post_update_close log_level send_download_authentication`.split(
  /\s+/,
)

test('the configuration of rauc-hawkbit-updater in the guide is complete and matches the exported values', () => {
  const text = readGuide('connect-rauc.md')
  const [config, ...others] = blocksOf(text, 'ini')
  expect(others).toEqual([])
  const sections = Object.fromEntries(
    config!.body
      .split(/^\[(\w+)\]$/m)
      .slice(1)
      .flatMap((part, at, parts) => (at % 2 ? [] : [[part, entriesOf(parts[at + 1])]])),
  )
  expect(Object.keys(sections)).toEqual(['client', 'device'])
  const { client = {}, device = {} } = sections
  expect(Object.keys(client).filter((name) => !RAUC_OPTIONS.includes(name))).toEqual([])
  expect(client).toMatchObject({
    hawkbit_server: new URL(ADDRESS).host,
    ssl: String(ADDRESS.startsWith('https:')),
    target_name: /SN=(\S+)/.exec(text)?.[1],
    auth_token: TOKEN,
    bundle_download_location: expect.stringMatching(/^\/.+\.raucb$/),
  })
  // The updater refuses a configuration with both tokens, and one without attributes.
  expect('gateway_token' in client).toBe(false)
  expect(Object.keys(device).length).toBeGreaterThan(0)
})

const entriesOf = (text = ''): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)\s*= (.+)$/gm)].map(([, name, value]) => [name, value]))
