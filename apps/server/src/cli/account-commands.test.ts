import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { readConfig } from '#core/config/config.ts'
import { openDatabase } from '#core/database/client.ts'
import { oms, PASSWORD, type Serving, serve } from '#test/serving.ts'
import { explainFailure } from '#main/explain-failure.ts'
import { runCommand } from './commands.ts'

let dataDir: string
let server: Serving
beforeAll(async () => {
  dataDir = mkdtempSync(join(inject('scratch'), 'cli-'))
  server = await serve({ DATA_DIR: dataDir })
})
afterAll(async () => {
  server.child.kill('SIGTERM')
  await server.gone
})

/** Runs the command in this process; `code` and `err` have the values a terminal would show. */
async function run(...args: string[]) {
  const out: string[] = []
  try {
    await runCommand(args, { env: { DATA_DIR: dataDir }, print: (line) => out.push(line) })
    return { code: 0, out, err: [] }
  } catch (error) {
    return { code: 1, out, err: explainFailure(error).split('\n') }
  }
}
const passwordIn = (line = '') => /一次性密码 (\S+?)（/.exec(line)?.[1] ?? ''
const loginOf = async (account: string, password: string) =>
  server.call('POST', '/api/v1/account/login', { payload: { account, pswdMd5: computeMd5Hex(password) } })

describe('while a server runs', () => {
  test('a command creates an account with roles and a working one-time password, and the log names the system actor', async () => {
    const { code, out } = await run('user', 'create', 'zhao.li', '--name', '赵丽', '--role', 'auditor')
    expect({ code, lines: out.length }).toEqual({ code: 0, lines: 1 })
    const { code: answer, data } = await loginOf('zhao.li', passwordIn(out[0]))
    expect({ answer, mustChange: data.mustChangePassword }).toEqual({ answer: 200, mustChange: true })
    const ticket = await server.login()
    const { data: log } = await server.call('GET', '/api/v1/sys/operlog/page?operName=cli', { ticket })
    expect(log.list[0]).toMatchObject({ operName: 'cli', title: '新增用户', status: 1 })
    expect(JSON.stringify(log)).not.toContain(passwordIn(out[0]))
  })

  test('resetting a password or disabling an account by command ends open sessions on the server', async () => {
    const { out } = await run('user', 'create', 'qian.wei', '--role', 'auditor')
    const first = (await loginOf('qian.wei', passwordIn(out[0]))).data.token as string
    const reset = await run('user', 'reset-password', 'QIAN.WEI')
    expect(reset.code).toBe(0)
    expect((await server.call('GET', '/api/v1/sys/account/perms', { ticket: first })).code).toBe(401)
    const second = (await loginOf('qian.wei', passwordIn(reset.out[0]))).data.token as string
    expect((await run('user', 'disable', 'qian.wei')).out).toEqual(['已停用账号 qian.wei'])
    expect((await server.call('GET', '/api/v1/sys/account/perms', { ticket: second })).code).not.toBe(200)
    expect((await loginOf('qian.wei', passwordIn(reset.out[0]))).code).not.toBe(200)
  })

  test('a command shows the signature of a version, and names a missing version', async () => {
    expect(await run('ota', 'verify', '999999')).toMatchObject({ code: 1, err: ['固件版本不存在或已被删除'] })
    expect(await run('ota', 'verify', 'x')).toMatchObject({
      code: 1,
      err: ['用法：npm run oms -- ota verify <版本编号>'],
    })
  })

  test('a command creates a tenant whose administrator can log in', async () => {
    const { code, out } = await run('tenant', 'create', '海川智能', '--contact', '孙海川')
    expect(code).toBe(0)
    const account = /首位管理员 (\S+)，/.exec(out[1] ?? '')?.[1] ?? ''
    const { data } = await loginOf(account, passwordIn(out[1]))
    expect(data).toMatchObject({ account, ownerName: '海川智能' })
    const staff = await run(
      'user',
      'create',
      'hc.chen',
      '--tenant',
      /T\d+/.exec(out[0] ?? '')?.[0] ?? '',
      '--role',
      'tenant_admin',
    )
    expect(staff.code).toBe(0)
  })

  test.each([
    [['user', 'create', 'ab'], '账号至少4个字符'],
    [['user', 'create', 'admin'], '已存在'],
    [['user', 'create', 'sun.yan', '--role', 'nobody'], '没有角色 nobody；可用：admin、'],
    [['user', 'create', 'sun.yan', '--tenant', 'T999999'], '没有客户编号为 T999999 的客户'],
    [['user', 'create', 'sun.yan', '--rôle', 'x'], '--rôle'],
    [['user', 'create'], '用法'],
    [['user', 'reset-password', 'no.such.one'], '没有账号 no.such.one'],
    [['user', 'disable', 'admin'], '至少要保留一名启用的超级管理员'],
    [['tenant', 'create', '平台运营中心'], '客户名称已存在'],
    [['tenant', 'create', 'x'.repeat(51)], '1～50'],
    [['users'], '没有命令 users'],
  ])('a failed command prints its error in one line: %s', async (args, reason) => {
    const { code, out, err } = await run(...args)
    expect({ code, out, lines: err.length }).toEqual({ code: 1, out: [], lines: 1 })
    expect(err[0]).toContain(reason)
  })
})

test('migrate --dry-run lists the changes of a start and changes nothing', async () => {
  expect(await run('migrate', '--dry-run')).toEqual({ code: 0, out: ['数据库已是最新'], err: [] })
  const database = await openDatabase(readConfig({ DATA_DIR: dataDir }), { role: 'tool', warn: () => {} })
  const { rows } = await database.pool.query<{ position: number; tag: string; checksum: string }>(
    'delete from schema_migrations where position = (select max(position) from schema_migrations) returning *',
  )
  const [last] = rows
  try {
    for (let time = 0; time < 2; time++)
      expect(await run('migrate', '--dry-run')).toEqual({ code: 0, out: [`待执行：${last?.tag}`], err: [] })
  } finally {
    const values = [last?.position, last?.tag, last?.checksum]
    await database.pool.query('insert into schema_migrations (position, tag, checksum) values ($1, $2, $3)', values)
    await database.close()
  }
})

describe('without a server', () => {
  test('a command without a running server starts the database and stops it again', async () => {
    server.child.kill('SIGTERM')
    expect(await server.gone).toBe(0)
    const { code, out } = await oms(['user', 'create', 'li.na'], { DATA_DIR: dataDir })
    expect({ code, lines: out.length }).toEqual({ code: 0, lines: 1 })
    server = await serve({ DATA_DIR: dataDir, OMS_ADMIN_PASSWORD: PASSWORD })
    expect((await loginOf('li.na', passwordIn(out[0]))).code).toBe(200)
  })

  test.each([['user', 'create', 'li.na'], ['backup'], ['check'], ['migrate']])(
    'a mistyped DATA_DIR is refused and not created: %s',
    async (...args) => {
      const mistyped = join(inject('scratch'), `cli-mistyped-${args[0]}`)
      for (const env of [
        { DATA_DIR: mistyped },
        { DATA_DIR: mistyped, DATABASE_URL: 'postgres://oms@127.0.0.1:1/oms' },
      ]) {
        const { code, err } = await oms(args, env)
        expect({ code, lines: err.length }).toEqual({ code: 1, lines: 1 })
        expect(err[0]).toContain('请检查 DATA_DIR')
        expect(existsSync(mistyped)).toBe(false)
      }
    },
  )

  test('an administrator who lost the second factor can log in after reset-password --mfa', async () => {
    const ticket = await server.login()
    const call = (path: string, payload: object) => server.call('POST', path, { ticket, payload })
    const { data } = await call('/api/v1/account/mfa/bind', { pswdMd5: computeMd5Hex(PASSWORD) })
    const totp = new TOTP({ secret: Secret.fromBase32(data.secret), period: 30, digits: 6 }).generate()
    expect((await call('/api/v1/account/mfa/verify', { totp })).code).toBe(200)
    expect((await loginOf('admin', PASSWORD)).code).not.toBe(200)
    const { code, out } = await run('user', 'reset-password', 'admin', '--mfa')
    expect({ code, first: out[0] }).toEqual({ code: 0, first: '已解除 admin 的两步验证' })
    expect((await loginOf('admin', passwordIn(out[1]))).code).toBe(200)
    const again = await run('user', 'reset-password', 'admin', '--mfa')
    expect(again).toMatchObject({ code: 1, out: [], err: ['该账号未启用两步验证'] })
  })
})
