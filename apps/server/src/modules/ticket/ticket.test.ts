import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildApp } from '#main/app.ts'
import { createServices } from '#main/services.ts'
import { useApp } from '#test/harness.ts'
import {
  AGENT_PERMISSIONS,
  handleTicket,
  createDevice,
  readTicket,
  LEAD_PERMISSIONS,
  PNG_PICTURE,
  readTicketRecords,
  createTicketBy,
  uploadFile,
  TICKET_URL,
} from './ticket-fixture.ts'

const server = useApp()
const OPTIONS = { hardware: ['1', '9', '99'], software: ['4'], structure: ['2'] }

describe('handling tickets', () => {
  test('TICKET-01 page, info, records and dispose accept the requests of the specification', async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    await createDevice(server.db, 1, { sn: 'SN-INFO-1' })
    const id = await createTicketBy(me, { sn: 'SN-INFO-1', account: 'user@example.com', problemType: 2 })
    const page = await me.call('GET', `${TICKET_URL}/page?pageNum=1&pageSize=10&sn=SN-INFO`)
    expect(page.data).toMatchObject({ total: 1, list: [{ id, sn: 'SN-INFO-1', status: 0, problemType: 2 }] })
    const info = await readTicket(me, id)
    expect(info.feedbackNo).toMatch(/^FB\d{8}\d{5}$/)
    expect(info).toMatchObject({
      account: 'user@example.com',
      handlerId: null,
      devInfoVo: { sn: 'SN-INFO-1', devName: '客厅摄像机', osVer: 'V2.1', createTime: expect.any(String) },
      images: '',
      attachments: [],
      mine: true,
    })
    const answer = await handleTicket(me, id, {
      handler: '随便',
      problemAttr: JSON.stringify(OPTIONS),
      remark: '换电源',
      handlerId: String(me.uid),
    })
    expect(answer).toMatchObject({ code: 200, msg: '处理成功' })
    const mine = { status: 1, handlerId: me.uid, problemAttr: OPTIONS, isOwnChange: true }
    expect(await readTicket(me, id)).toMatchObject(mine)
    const other = await server.as(...AGENT_PERMISSIONS)
    expect(await readTicket(other, id)).toMatchObject({ isOwnChange: false })
    const [last] = await readTicketRecords(me, id)
    expect(last).toMatchObject({ status: 1, remark: '换电源', handler: expect.stringMatching(/^测试/) })
    expect(last).toMatchObject({ realname: expect.stringMatching(/^测试/), createTime: expect.any(String) })
  })

  test('a ticket shows the firmware name of a device that reports only its version number', async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const ticketOf = async (sn: string) =>
      (await readTicket(me, await createTicketBy(me, { sn, problemType: 2 }))).devInfoVo
    await createDevice(server.db, 1, { sn: 'SN-NUMBER-1' })
    await server.db.execute(sql`update devices set os_ver = '', ver_code = 7200 where sn = 'SN-NUMBER-1'`)
    expect(await ticketOf('SN-NUMBER-1')).toMatchObject({ osVer: '7200' })
    await server.db.execute(sql`insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date)
      select 1, model_id, 7200, '秋季版', '2026-01-01 08:00:00' from devices where sn = 'SN-NUMBER-1'`)
    expect(await ticketOf('SN-NUMBER-1')).toMatchObject({ osVer: '秋季版' })
  })

  test('TICKET-03 a ticket accepts only options of the checklists', async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const id = await createTicketBy(me)
    for (const wrong of ['{', '[]', '"x"', '{"hardware":["10"]}', '{"software":["9"]}', '{"structure":"1"}'])
      expect(await handleTicket(me, id, { problemAttr: wrong }), wrong).toMatchObject({
        code: 400,
        data: { field: expect.stringMatching(/^problemAttr/) },
      })
    expect((await handleTicket(me, id, { problemAttr: '{"hardware":["1","1"]}' })).code).toBe(200)
    expect((await readTicket(me, id)).problemAttr).toEqual({ hardware: ['1'], software: [], structure: [] })
  })

  test('TICKET-04 TICKET-05 TICKET-06 invalid status, handler and remark are refused with the specified messages', async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const id = await createTicketBy(me)
    const said = async (fields: object) => (await handleTicket(me, id, fields)).msg
    for (const status of [undefined, '', 0, 6, 'x']) expect(await said({ status })).toBe('请选择处理状态')
    for (const handlerId of [undefined, '', null, 0, '0'])
      for (const status of [1, 2, 3, 4]) expect(await said({ status, handlerId })).toBe('请选择处理人员')
    expect(await said({ remark: '字'.repeat(201) })).toBe('处理备注不能超过200个字符')
    expect((await me.call('POST', TICKET_URL, { content: 'x', problemType: 4 })).msg).toBe('请选择问题类型')
    for (const status of [2, 3, 4, 1]) expect((await handleTicket(me, id, { status })).code).toBe(200)
    expect((await handleTicket(me, id, { status: 5, handlerId: undefined, remark: '字'.repeat(200) })).code).toBe(200)
    expect(await readTicket(me, id)).toMatchObject({
      status: 5,
      handlerId: null,
      handler: '',
      closeTime: expect.any(String),
    })
  })

  test('TICKET-07 only the handler may handle a ticket, or anyone with the permission while it has no handler', async () => {
    const [me, other] = [await server.as(...AGENT_PERMISSIONS), await server.as(...AGENT_PERMISSIONS)]
    const reader = await server.as('AfterService:Questions:list', 'AfterService:Questions:query')
    const id = await createTicketBy(me)
    expect(await handleTicket(reader, id)).toMatchObject({ code: 501, msg: '您没有权限！' })
    expect((await readTicket(reader, id)).mine).toBe(false)
    expect((await handleTicket(me, id)).code).toBe(200)
    expect(await handleTicket(other, id)).toMatchObject({ code: 501, msg: '您没有权限！' })
    expect((await readTicket(other, id)).mine).toBe(false)
    expect((await handleTicket(me, id, { handlerId: other.uid })).code).toBe(200)
    expect(await handleTicket(me, id)).toMatchObject({ code: 501 })
    expect((await handleTicket(other, id, { status: 5 })).code).toBe(200)
    expect((await readTicket(me, id)).mine).toBe(true)
  })

  test('reopening a closed ticket increments its reopen count and keeps the time of the first reply', async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const id = await createTicketBy(me)
    expect((await readTicket(me, id)).firstRespondTime).toBeNull()
    await handleTicket(me, id, { status: 5 })
    const { firstRespondTime } = await readTicket(me, id)
    expect(firstRespondTime).not.toBeNull()
    await handleTicket(me, id, { status: 2 })
    expect(await readTicket(me, id)).toMatchObject({ reopenCount: 1, closeTime: null, firstRespondTime })
    await handleTicket(me, id, { status: 3 })
    expect((await readTicket(me, id)).reopenCount).toBe(1)
  })

  test('one of fifty simultaneous saves of the same revision succeeds, and the others are refused', {
    timeout: 60_000,
  }, async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const id = await createTicketBy(me)
    const { version } = await readTicket(me, id)
    const answers = await Promise.all(Array.from({ length: 50 }, () => handleTicket(me, id, { version, status: 2 })))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    const refused = answers.filter(({ code }) => code !== 200)
    expect(new Set(refused.map(({ code, msg }) => `${code} ${msg}`))).toEqual(
      new Set(['400 该工单已被他人处理，请刷新后重试']),
    )
    expect(await readTicketRecords(me, id)).toHaveLength(2)
  })

  test('one of fifty simultaneous saves without a revision succeeds, and the log notes the missing revision', async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const id = await createTicketBy(me)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => handleTicket(me, id, { remark: `第${i}次` })),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(await readTicketRecords(me, id)).toHaveLength(2)
    const { rows } = await server.db.execute<{ action: string }>(
      sql`select action from oper_logs where biz_type = 'ticket' and biz_id = ${String(id)} and status = 1
        order by oper_id desc limit 1`,
    )
    expect(rows[0]?.action).toContain('（未带版本信息，按当前内容保存）')
    expect((await handleTicket(me, id, { status: 2 })).code).toBe(200)
    expect(await handleTicket(me, id, { status: 2 })).toMatchObject({
      code: 400,
      msg: '该工单已被他人处理，请刷新后重试',
    })
  })

  test('a process refuses a call without a revision that repeats a call of another process', async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const id = await createTicketBy(me)
    const { config, database, log } = server.services
    const services = await createServices({ config, database, log })
    const twin = buildApp(services)
    const payload = { feedbackId: id, status: 2, handlerId: me.uid, remark: '换电源' }
    const send = async (body: object) => {
      const headers = { ticket: String(me.ticket) }
      return (await twin.inject({ method: 'POST', url: `${TICKET_URL}/dispose`, headers, payload: body })).json()
    }
    expect((await handleTicket(me, id, payload)).code).toBe(200)
    expect(await send(payload)).toMatchObject({ code: 400, msg: '该工单已被他人处理，请刷新后重试' })
    expect(await send({ ...payload, remark: '换主板' })).toMatchObject({ code: 200 })
    expect(await readTicketRecords(me, id)).toHaveLength(3)
    await twin.close()
    await services.close()
  })

  test("the handler must be an enabled account of the platform or of the ticket's tenant", async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const stranger = await server.by({ tenant: '别家', permissions: AGENT_PERMISSIONS })
    const id = await createTicketBy(me)
    const field = { code: 400, data: { field: 'handlerId' } }
    expect(await handleTicket(me, id, { handlerId: stranger.uid })).toMatchObject(field)
    expect(await handleTicket(me, id, { handlerId: 2_000_000_000 })).toMatchObject(field)
  })
})

test('thirty tickets that are created simultaneously get thirty numbers without a gap', {
  timeout: 60_000,
}, async () => {
  const me = await server.as(...AGENT_PERMISSIONS)
  const ids = await Promise.all(Array.from({ length: 30 }, () => createTicketBy(me)))
  const { rows } = await server.db.execute<{ no: string }>(
    sql`select feedback_no as no from tickets where id = any(${sql.param(ids)}::int[]) order by 1`,
  )
  const numbers = rows.map(({ no }) => Number(no.slice(10)))
  expect(numbers.at(-1)! - numbers[0]!).toBe(29)
  expect(new Set(numbers).size).toBe(30)
})

test('one of twenty simultaneous claims succeeds, and the queue shows own and unassigned tickets', {
  timeout: 60_000,
}, async () => {
  const people = await Promise.all(Array.from({ length: 20 }, () => server.as(...AGENT_PERMISSIONS)))
  const [first] = people
  const id = await createTicketBy(first!, { account: 'claim-race' })
  const answers = await Promise.all(people.map((who) => who.call('POST', `${TICKET_URL}/claim/${id}`)))
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  const winner = people[answers.findIndex(({ code }) => code === 200)]!
  const loser = people.find((who) => who !== winner)!
  const seen = async (who: typeof winner) =>
    (await who.call('GET', `${TICKET_URL}/pending/page?account=claim-race`)).data.list.map(
      (row: { id: number }) => row.id,
    )
  expect(await seen(winner)).toEqual([id])
  expect(await seen(loser)).toEqual([])
  await handleTicket(winner, id, { status: 5 })
  expect(await seen(winner)).toEqual([])
})

describe('files', () => {
  test('UPLOAD-01 UPLOAD-02 UPLOAD-03 attachments and pictures are validated and returned in one archive', async () => {
    const me = await server.as(...AGENT_PERMISSIONS)
    const said = async (name: string, content: Buffer, purpose: string) =>
      (await uploadFile(me, name, content, purpose)).msg
    expect(await said('a.exe', PNG_PICTURE, 'ticket')).toBe(
      '文件格式不正确，请上传doc/docx/xls/xlsx/ppt/pptx/txt/pdf格式文件!',
    )
    expect(await said('a,b.png', PNG_PICTURE, 'ticketImage')).toBe('文件名不正确，不能包含英文逗号!')
    const image = (await uploadFile(me, '现场.png', PNG_PICTURE, 'ticketImage')).data
    const text = (await uploadFile(me, '日志.txt', Buffer.from('boot failed'), 'ticket')).data
    const id = await createTicketBy(me, { images: image.url, attachments: [text.id] })
    const info = await readTicket(me, id)
    expect(info).toMatchObject({ images: image.url, attachments: [{ name: '日志.txt', url: text.url, size: 11 }] })
    const reply = await me.inject({ url: `${TICKET_URL}/attachment/zip/${id}?kind=image` })
    expect(reply.headers['content-type']).toBe('application/zip')
    expect(reply.rawPayload.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
    expect(reply.rawPayload.includes(Buffer.from('现场.png'))).toBe(true)
    expect(reply.rawPayload.includes(Buffer.from('日志.txt'))).toBe(false)
    const six = Array.from({ length: 6 }, () => image.url).map((url, at) => url.slice(0, -1) + at)
    expect((await me.call('POST', TICKET_URL, { problemType: 1, content: 'x', images: six.join(',') })).msg).toBe(
      '上传文件数量不能超过 5 个!',
    )
    const bare = await createTicketBy(me)
    expect((await me.inject({ url: `${TICKET_URL}/attachment/zip/${bare}?kind=image` })).json().msg).toBe(
      '该工单没有图片',
    )
  })

  test('files of another account are refused, and staff without the permission cannot download files', async () => {
    const [me, other] = [await server.as(...AGENT_PERMISSIONS), await server.as(...AGENT_PERMISSIONS)]
    const { data } = await uploadFile(me, 'p.png', PNG_PICTURE, 'ticketImage')
    const answer = await other.call('POST', TICKET_URL, { problemType: 1, content: 'x', images: data.url })
    expect(answer).toMatchObject({ code: 400, msg: '图片不存在，请重新上传' })
    await createTicketBy(me, { images: data.url })
    expect((await other.inject({ url: data.url })).statusCode).toBe(200)
    const nobody = await server.as('system:AboutUs:list')
    expect((await nobody.inject({ url: data.url })).json().code).toBe(400)
    expect((await uploadFile(nobody, 'p.png', PNG_PICTURE, 'ticketImage')).code).toBe(501)
  })
})

describe('data scope', () => {
  test('a tenant sees only its own tickets in every call', async () => {
    const one = await server.by({ tenant: '甲方', permissions: LEAD_PERMISSIONS })
    const two = await server.by({ tenant: '乙方', permissions: LEAD_PERMISSIONS })
    const id = await createTicketBy(one, { account: 'wall' })
    for (const path of [`info/${id}`, `record/list/${id}`, `print/${id}`])
      expect((await two.call('GET', `${TICKET_URL}/${path}`)).msg).toBe('工单不存在或已被删除')
    expect((await two.call('GET', `${TICKET_URL}/page?account=wall`)).data.list).toEqual([])
    expect((await two.call('GET', `${TICKET_URL}/pending/page?account=wall`)).data.list).toEqual([])
    for (const [path, body] of [
      ['dispose', { feedbackId: id, status: 5 }],
      [`claim/${id}`, {}],
      ['assign', { ids: [id], handlerId: two.uid }],
      ['close', { ids: [id] }],
      ['priority', { ids: [id], priority: 4 }],
      ['rate', { id, satisfaction: 5 }],
      [`viewers/${id}`, {}],
    ] as const)
      expect((await two.call('POST', `${TICKET_URL}/${path}`, body)).msg, path).toBe('工单不存在或已被删除')
    expect((await readTicket(one, id)).tenantName).toBe('甲方')
    const vendor = await server.as(...AGENT_PERMISSIONS)
    expect((await vendor.call('GET', `${TICKET_URL}/page?account=wall`)).data.total).toBe(1)
  })

  test('an account with scope "own records" sees its own and unassigned tickets', async () => {
    const lead = await server.as(...LEAD_PERMISSIONS)
    const agent = await server.by({ permissions: AGENT_PERMISSIONS, dataScope: 4 })
    const [mine, free, taken] = [
      await createTicketBy(lead, { account: 'scope' }),
      await createTicketBy(lead, { account: 'scope' }),
      await createTicketBy(lead, { account: 'scope' }),
    ]
    await lead.call('POST', `${TICKET_URL}/assign`, { ids: [mine], handlerId: agent.uid })
    await handleTicket(lead, taken)
    const list = (await agent.call('GET', `${TICKET_URL}/page?account=scope`)).data.list as { id: number }[]
    expect(list.map(({ id }) => id).sort((a, b) => a - b)).toEqual([mine, free])
    await handleTicket(agent, mine, { status: 5 })
    expect((await readTicket(agent, mine)).status).toBe(5)
    expect((await agent.call('GET', `${TICKET_URL}/info/${taken}`)).code).toBe(400)
  })
})
