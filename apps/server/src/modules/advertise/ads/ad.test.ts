import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const URL = '/api/v1/advertise/ad'
const EDITOR = ['list', 'query', 'add', 'edit', 'remove', 'enable'].map((action) => `advertiseManage:adList:${action}`)
const editor = (tenant = '甲客户') => app.by({ tenant, permissions: EDITOR })
const TEXT = { adName: '开业大吉', adType: 4, duration: 8, text: { content: '全场八折' } }

const add = async (caller: Caller, fields: object = {}) =>
  (await caller.call('POST', URL, { ...TEXT, ...fields })).data.id as number
const read = async (caller: Caller, id: number) => (await caller.call('GET', `${URL}/${id}`)).data

describe('ads', () => {
  test('a text ad is saved as a draft with its default style and found by the list filters', async () => {
    const me = await editor('列表客户')
    const id = await add(me, { advertiser: '春风茶饮', tags: ['开业', '开业'], validTo: '2099-12-31' })
    expect(await read(me, id)).toMatchObject({
      adName: '开业大吉',
      auditStatus: 0,
      enableStat: 1,
      text: { content: '全场八折', fontSize: 96, scroll: false, align: 'center' },
      tags: ['开业'],
      isExpired: false,
      refCount: 0,
    })
    const found = async (query: string) => (await me.call('GET', `${URL}/page?${query}`)).data.total
    expect(await found('adType=4&advertiser=春风')).toBe(1)
    expect(await found('tag=开业&validity=2')).toBe(1)
    expect(await found('adType=1')).toBe(0)
    expect(await found('usable=1')).toBe(0)
    expect(await found('validity=3')).toBe(0)
  })

  test.each([
    [{ adName: '' }, '请输入广告名称'],
    [{ adName: '长'.repeat(33) }, '最多32个字符'],
    [{ text: undefined }, '请输入文字内容'],
    [{ text: { content: '字', color: 'red' } }, '颜色格式应为 #RRGGBB'],
    [{ validFrom: '2030-02-01', validTo: '2030-01-01' }, '结束日期不能早于开始日期'],
    [{ adType: 5, linkUrl: 'http://example.com' }, '请输入 https 开头的网址'],
    [{ adType: 5, linkUrl: 'javascript:alert(1)' }, '请输入 https 开头的网址'],
    [{ adType: 5, linkUrl: 'file:///etc/passwd' }, '请输入 https 开头的网址'],
    [{ adType: 5, linkUrl: 'https://a.example.com/a b' }, '请输入 https 开头的网址'],
    [{ adType: 5, linkUrl: 'https://OMS.example.com.:9000/x' }, '不能使用本系统的地址'],
    [{ adType: 5, linkUrl: `https://a.example.com/${'x'.repeat(240)}` }, '网址不能超过255个字符'],
    [{ adType: 5, linkUrl: 'https://me:secret@a.example.com/' }, '网址不能包含用户名或密码'],
    [{ adType: 5, linkUrl: 'https://me@a.example.com/' }, '网址不能包含用户名或密码'],
    ...[
      'localhost',
      'shop',
      'printer.local',
      'db.internal.',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '10.0.0.1',
      '172.31.255.255',
      '192.168.1.5',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '[fe80::1]',
      '[fd00::1]',
      '[2002:7f00:1::]',
    ].map((host): [object, string] => [{ adType: 5, linkUrl: `https://${host}:8443/x` }, '不能使用内网地址']),
    [{ adType: 5, linkUrl: 'https://www.example.com:22/' }, '网址的端口应为 443 或不小于 1024'],
    [{ categoryId: 9999 }, '广告类别不存在'],
    [{ tags: ['x'.repeat(21)] }, '标签不能超过20个字符'],
    [{ adType: 1, materials: [{ fileId: 'a'.repeat(32) }] }, '素材不存在或不属于当前客户，请重新上传'],
    [{ proofs: ['a'.repeat(32)] }, '证明文件不存在或不属于当前客户，请重新上传'],
  ])('an ad with %j is refused with %s', async (fields, msg) => {
    const me = await editor()
    const reply = await me.inject({
      method: 'POST',
      url: URL,
      headers: { host: 'oms.example.com:8080' },
      payload: { ...TEXT, ...fields },
    })
    expect(reply.json()).toMatchObject({ code: 400, msg })
  })

  test.each(['https://www.example.com/a?b=1#c', 'https://8.8.8.8/', 'https://172.32.0.1/', 'https://[2606:4700::1]/'])(
    'AD-02 the web address %s is accepted',
    async (linkUrl) => {
      const me = await editor()
      expect(await me.call('POST', URL, { ...TEXT, adType: 5, linkUrl })).toMatchObject({ code: 200 })
    },
  )

  test('AD-02 words of the dictionary ad_banned_words cause a warning but do not block the submission', async () => {
    const me = await app.by({ tenant: '用语客户', permissions: [...EDITOR, 'advertiseManage:adList:submit'] })
    const id = await add(me, { adName: '全城最佳', text: { content: '国家级工艺' } })
    expect((await read(me, id)).bannedWords.toSorted()).toEqual(['国家级', '最佳'].toSorted())
    expect((await read(me, await add(me))).bannedWords).toEqual([])
    expect(await me.call('POST', `${URL}/submit/${id}`)).toMatchObject({ code: 200 })
  })

  test('saving an old revision of an ad is refused, and the operation log names the changed fields', async () => {
    const me = await editor()
    const id = await add(me)
    const { rev } = await read(me, id)
    expect(await me.call('PUT', URL, { ...TEXT, adName: '新名称', id, rev })).toMatchObject({ code: 200 })
    expect((await me.call('PUT', URL, { ...TEXT, id, rev })).code).toBe(400)
    const { rows } = await app.db.execute<{ action: string; diff: { title: string }[] }>(
      sql`select action, diff from oper_logs where biz_type = 'ad' and biz_id = ${String(id)} order by oper_id desc`,
    )
    expect(rows.map(({ action }) => action)).toContain('修改广告「开业大吉」')
    expect(rows[0]?.diff.map(({ title }) => title) ?? []).toEqual(expect.arrayContaining(['广告名称']))
  })

  test('an ad that a program uses cannot be deleted', async () => {
    const me = await editor()
    const id = await add(me)
    await app.db.execute(sql`insert into ad_uses (program_id, ad_id, tenant_id)
      select n, ${id}, tenant_id from ads, generate_series(1, 3) n where id = ${id}`)
    expect(await me.call('DELETE', `${URL}/${id}`)).toMatchObject({
      code: 400,
      msg: '该广告被 3 个节目单引用，不能删除',
    })
    await app.db.execute(sql`delete from ad_uses where ad_id = ${id}`)
    expect(await me.call('DELETE', `${URL}/${id}`)).toMatchObject({ code: 200, msg: '删除成功' })
    expect(await me.call('GET', `${URL}/${id}`)).toMatchObject({ code: 400, msg: '广告不存在或已被删除' })
  })

  test("tenants do not see each other's ads", async () => {
    const id = await add(await editor('甲客户'))
    const other = await editor('乙客户')
    expect(await other.call('GET', `${URL}/${id}`)).toMatchObject({ msg: '广告不存在或已被删除' })
    expect(await other.call('POST', `${URL}/disable/${id}`)).toMatchObject({ msg: '广告不存在或已被删除' })
    expect(await other.call('DELETE', `${URL}/${id}`)).toMatchObject({ msg: '广告不存在或已被删除' })
  })
})
