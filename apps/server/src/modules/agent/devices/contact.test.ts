import { beforeAll, describe, expect, test } from 'vitest'
import { ensureVoiceModel } from './voice-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

const oms = useApp()
const URL = '/api/v1/agent/contact'
let editor: Caller
let reader: Caller
let tenant: Caller
let modelId: number
let made = 0
const query = async (text: string, values: unknown[] = []) =>
  (await oms.services.database.pool.query(text, values)).rows

/** Creates a device that is bound to an agent. */
async function bound(alias: string, tenantId = 1): Promise<number> {
  made += 1
  const mac = `0400000000${made.toString(16).padStart(2, '0')}`
  const [{ id }] = await query(
    'insert into devices (tenant_id, model_id, sn, mac) values ($1, $3, $2, $2) returning id',
    [tenantId, mac, modelId],
  )
  await query('insert into agent_devices (device_id, tenant_id, agent_id, mac, alias) values ($1, $2, 1, $3, $4)', [
    id,
    tenantId,
    mac,
    alias,
  ])
  return id
}
const list = (by: Caller, deviceId: number) => by.call('GET', `${URL}/page?deviceId=${deviceId}`)
const add = (by: Caller, body: object) => by.call('POST', URL, body)

beforeAll(async () => {
  editor = await oms.by({ permissions: ['agent:device:query', 'agent:device:edit'] })
  reader = await oms.by({ permissions: ['agent:device:query'] })
  tenant = await oms.by({ tenant: '丙公司', permissions: ['agent:device:query', 'agent:device:edit'] })
  modelId = await ensureVoiceModel(oms.services)
})

describe('address book of a device', () => {
  test('a contact is added, listed, edited with its revision and removed, and the log names the contact', async () => {
    const [living, child] = [await bound('客厅'), await bound('儿童房')]
    const { code, data } = await add(editor, { deviceId: living, targetId: child, alias: ' 宝宝 ' })
    expect(code).toBe(200)
    const [row] = (await list(reader, living)).data.list
    expect(row).toMatchObject({ id: data.id, alias: '宝宝', targetName: '儿童房', allowed: 1, rev: 0 })
    expect(row.targetMac).toMatch(/^04(:[0-9a-f]{2}){5}$/)
    const edit = { id: data.id, rev: 0, alias: '大宝', allowed: 0 }
    expect((await editor.call('PUT', URL, edit)).data.rev).toBe(1)
    expect((await editor.call('PUT', URL, edit)).code).not.toBe(200)
    expect((await editor.call('GET', `${URL}/${data.id}`)).data).toMatchObject({ alias: '大宝', allowed: 0 })
    expect((await editor.call('DELETE', `${URL}/${data.id}`)).code).toBe(200)
    expect((await list(reader, living)).data.total).toBe(0)
    const logged = await query(
      `select action from oper_logs where biz_type = 'agentDevice' and biz_id = $1 order by oper_id`,
      [String(living)],
    )
    expect(logged.map(({ action }) => action)).toEqual([
      '新增联系人「宝宝」',
      '修改联系人「宝宝」',
      '删除联系人「大宝」',
    ])
  })

  test('a contact that is the device itself, a duplicate, an unbound device or of another tenant is refused', async () => {
    const [one, two, three] = [await bound('甲'), await bound('乙'), await bound('丁')]
    const [{ id: other }] = await query(`select id from tenants where name = '丙公司'`)
    const foreign = await bound('外', other)
    await add(editor, { deviceId: one, targetId: two, alias: '小乙' })
    const words = async (body: object) => (await add(editor, { deviceId: one, alias: '新', ...body })).msg
    expect(await words({ targetId: one })).toBe('不能添加设备自身')
    expect(await words({ targetId: two })).toBe('该设备已在通讯录中')
    expect(await words({ targetId: three, alias: '小乙' })).toBe('称呼已存在')
    expect(await words({ targetId: foreign })).toBe('只能添加同一客户的设备')
    expect(await words({ targetId: 999_999 })).toBe('目标设备没有绑定智能体')
    expect(await words({ targetId: three, alias: '长'.repeat(65) })).toContain('64')
    const { data } = await editor.call(
      'GET',
      `${URL}/options/device?deviceId=${one}&keyword=${encodeURIComponent('丁')}`,
    )
    expect(data.list).toEqual([{ id: three, name: '丁', mac: expect.stringMatching(/^04:/) }])
    const all = (await editor.call('GET', `${URL}/options/device?deviceId=${one}`)).data.list
    const ids = all.map(({ id }: { id: number }) => id)
    expect([ids.includes(one), ids.includes(two), ids.includes(foreign), ids.includes(three)]).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  test('disabling contacts hides the address book and refuses new contacts, but permits deletions', async () => {
    const [one, two, three] = [await bound('东'), await bound('西'), await bound('中')]
    const { data } = await add(editor, { deviceId: one, targetId: two, alias: '小西' })
    const feature = async (by: Caller) => (await by.call('GET', `${URL}/feature?deviceId=${one}`)).data
    expect(await feature(reader)).toEqual({ isEnabled: true })
    await query(`insert into agent_params (tenant_id, code, value) values (1, 'features', '{"contacts":false}')`)
    oms.services.agentParameters.forget()
    expect(await feature(reader)).toEqual({ isEnabled: false })
    expect(await feature(tenant)).toBeNull()
    const off = '通讯录功能已停用，请在参数 features 中启用'
    expect((await add(editor, { deviceId: one, targetId: three, alias: '小中' })).msg).toBe(off)
    expect((await editor.call('PUT', URL, { id: data.id, rev: 0, alias: '改', allowed: 1 })).msg).toBe(off)
    expect((await editor.call('DELETE', `${URL}/${data.id}`)).code).toBe(200)
    await query(`delete from agent_params where code = 'features'`)
    oms.services.agentParameters.forget()
  })

  test('another tenant can neither see nor change contacts, and reading contacts requires no edit permission', async () => {
    const [one, two] = [await bound('北'), await bound('南')]
    const { data } = await add(editor, { deviceId: one, targetId: two, alias: '小南' })
    expect((await list(tenant, one)).data.total).toBe(0)
    expect((await tenant.call('GET', `${URL}/options/device?deviceId=${one}`)).data.list).toEqual([])
    const answers = [
      await add(tenant, { deviceId: one, targetId: two, alias: '偷' }),
      await tenant.call('PUT', URL, { id: data.id, rev: 0, alias: '偷', allowed: 1 }),
      await tenant.call('DELETE', `${URL}/${data.id}`),
      await tenant.call('GET', `${URL}/${data.id}`),
      await add(reader, { deviceId: one, targetId: two, alias: '偷' }),
    ]
    expect(answers.every(({ code }) => code !== 200)).toBe(true)
    expect((await list(reader, one)).data.list[0].alias).toBe('小南')
  })
})
