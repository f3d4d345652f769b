import { beforeAll, expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
const USER = '/api/v1/tenant/user'
let boss: Caller
beforeAll(async () => {
  boss = await server.by({ superAdmin: true })
})

async function send(
  by: Caller,
  content: string | Buffer,
  options: { query?: string; name?: string; key?: string } = {},
) {
  const { query = '', name = 'staff.csv', key } = options
  const head = `--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const payload = Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n--edge--\r\n')])
  const headers = { 'content-type': 'multipart/form-data; boundary=edge', ...(key && { 'idempotency-key': key }) }
  return (await by.inject({ method: 'POST', url: `${USER}/import${query}`, headers, payload })).json()
}
const total = async (filter: string) => (await boss.call('GET', `${USER}/list?${filter}`)).data.total

test('an import creates valid lines and reports invalid lines', async () => {
  const role = await server.as('system:manager:list')
  const lines = [
    '账号,姓名,性别,手机号,角色',
    `imp_one,导入一,女,13711110001,${role.account}`,
    'imp_two,,男,,',
    'imp_three,导入三,外星,,',
    'imp_four,导入四,,,不存在的角色',
    'IMP_ONE,重复的,,,',
    'imp_five,导入五,,13711110001,',
    'imp_six,,外星,12,无此角色、另一个',
  ]
  const { code, data } = await send(boss, lines.join('\n'))
  expect(code).toBe(200)
  expect(data).toMatchObject({ total: 7, created: 1, updated: 0, failed: 6, dryRun: false })
  expect(data.rows).toEqual([
    { row: 3, field: '姓名', msg: '请输入姓名' },
    { row: 4, field: '性别', msg: '性别只能填写男、女' },
    { row: 5, field: '角色', msg: '角色「不存在的角色」不存在' },
    { row: 6, field: '账号', msg: '与第2行的账号重复' },
    { row: 7, field: '手机号', msg: '与第2行的手机号重复' },
    { row: 8, field: '姓名', msg: '请输入姓名' },
    { row: 8, field: '性别', msg: '性别只能填写男、女' },
    { row: 8, field: '手机号', msg: expect.stringContaining('手机号') },
    { row: 8, field: '角色', msg: '角色「无此角色、另一个」不存在' },
  ])
  const [{ account, password }] = data.passwords
  expect(account).toBe('imp_one')
  const login = { account, pswdMd5: computeMd5Hex(password) }
  expect(await server.stranger().call('POST', '/api/v1/account/login', login)).toMatchObject({ code: 200 })
  expect((await boss.call('GET', `${USER}/list?account=imp_one`)).data.list).toMatchObject([
    { gender: 2, roleNames: [role.account] },
  ])
})

test('a dry run returns the same report as an import and creates no account', async () => {
  const file = '账号,姓名\ndry_one,试一\ndry_two,试二\nno,x'
  const { data } = await send(boss, file, { query: '?dryRun=1' })
  expect(data).toMatchObject({ total: 3, created: 2, failed: 1, dryRun: true, passwords: [] })
  expect(await total('account=dry_')).toBe(0)
})

test('an import changes existing accounts only on request, and empty cells keep the stored values', async () => {
  await boss.call('POST', USER, { account: 'kept_one', realname: '原名', nickname: '原称' })
  const file = '账号,姓名,昵称\nkept_one,新名,'
  expect((await send(boss, file)).data).toMatchObject({
    updated: 0,
    rows: [{ row: 2, field: '账号', msg: '账号已存在' }],
  })
  expect((await send(boss, file, { query: '?update=1' })).data).toMatchObject({ created: 0, updated: 1, failed: 0 })
  expect((await boss.call('GET', `${USER}/list?account=kept_one`)).data.list).toMatchObject([
    { realname: '新名', nickname: '原称' },
  ])
})

test('an import refuses roles whose permissions the caller does not hold', async () => {
  const strong = await server.as('upgrade:ota:enable')
  const clerk = await server.as('system:manager:import', 'system:manager:list')
  const { data } = await send(clerk, `账号,姓名,角色\nclimb_one,攀登,${strong.account}`)
  expect(data).toMatchObject({ created: 0, failed: 1 })
  expect(await total('account=climb_one')).toBe(0)
})

test('the import can read its template, and refuses the example line of the template', async () => {
  const { rawPayload } = await boss.inject({ method: 'GET', url: `${USER}/template` })
  const { data } = await send(boss, rawPayload, { name: 'template.xlsx', query: '?dryRun=1' })
  expect(data).toMatchObject({ total: 1, created: 0, rows: [{ row: 2, msg: '这是模板的示例行，请删除' }] })
})

test.each([
  ['称呼\n张三', 'staff.csv', '表格中有无法识别的列：「称呼」；表格缺少列：账号、姓名，请使用导入模板'],
  ['账号,姓名', 'staff.csv', '表格中没有数据'],
  ['', 'staff.csv', '文件内容为空，请重新选择!'],
  ['whatever', 'staff.exe', '文件格式不正确，请上传xlsx/csv格式文件!'],
  [
    `账号,姓名\n${Array.from({ length: 1001 }, (_, at) => `many${at},多`).join('\n')}`,
    'staff.csv',
    '一次最多导入1000行',
  ],
])('a file without a valid table of users is refused: %#', async (content, name, msg) => {
  expect(await send(boss, content, { name })).toEqual({ code: 400, msg, data: { field: 'file' } })
})

test('a file with the extension xlsx that is not a workbook is refused with a message', async () => {
  expect(await send(boss, 'PK-not-really', { name: 'staff.xlsx' })).toMatchObject({
    code: 400,
    data: { field: 'file' },
  })
})

test('repeating an import with its idempotency key returns the same passwords, and another file with it is refused', async () => {
  const file = '账号,姓名\nlost_one,甲\nlost_two,乙'
  const first = await send(boss, file, { key: 'import-of-lost-answer' })
  expect(first.data).toMatchObject({ created: 2, passwords: [{ account: 'lost_one' }, { account: 'lost_two' }] })
  expect(await send(boss, file, { key: 'import-of-lost-answer' })).toEqual(first)
  expect(await total('account=lost_')).toBe(2)
  expect(await send(boss, `${file}\nlost_three,丙`, { key: 'import-of-lost-answer' })).toMatchObject({ code: 400 })
  const { rows } = await server.db.execute(
    `select answer::text from idempotency_keys where key = 'import-of-lost-answer'`,
  )
  expect(JSON.stringify(rows)).not.toContain(first.data.passwords[0].password)
})

test('a refused import releases its idempotency key', async () => {
  expect(await send(boss, '称呼\n甲', { key: 'import-refused-first' })).toMatchObject({ code: 400 })
  const again = await send(boss, '称呼\n甲', { key: 'import-refused-first' })
  expect(again.msg).toContain('无法识别的列')
})
