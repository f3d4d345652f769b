import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { md5Hex } from '#kernel/passwords.ts'
import { oms, PASSWORD, type Serving, serve } from '#test/serving.ts'
import { explainFailure } from '../failure.ts'
import { runCommand } from './run.ts'

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

/** The command in this process; `code` and `err` as the terminal would show them. */
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
  server.call('POST', '/api/v1/account/login', { payload: { account, pswdMd5: md5Hex(password) } })

describe('beside a running server', () => {
  test('makes an account with roles whose one-time password works at once, and logs who did it', async () => {
    const { code, out } = await run('user', 'create', 'zhao.li', '--name', '赵丽', '--role', 'auditor')
    expect({ code, lines: out.length }).toEqual({ code: 0, lines: 1 })
    const { code: answer, data } = await loginOf('zhao.li', passwordIn(out[0]))
    expect({ answer, mustChange: data.mustChangePassword }).toEqual({ answer: 200, mustChange: true })
    const ticket = await server.login()
    const { data: log } = await server.call('GET', '/api/v1/sys/operlog/page?operName=cli', { ticket })
    expect(log.list[0]).toMatchObject({ operName: 'cli', title: '新增用户', status: 1 })
    expect(JSON.stringify(log)).not.toContain(passwordIn(out[0]))
  })

  test('resetting and disabling end open sessions on the server', async () => {
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

  test('says what a version is signed with, and names one that is not there', async () => {
    expect(await run('ota', 'verify', '999999')).toMatchObject({ code: 1, err: ['固件版本不存在或已被删除'] })
    expect(await run('ota', 'verify', 'x')).toMatchObject({
      code: 1,
      err: ['用法：npm run oms -- ota verify <版本编号>'],
    })
  })

  test('makes a customer whose administrator logs in to it', async () => {
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
    [['user', 'create', 'sun.yan', '--tenant', 'T999999'], '没有客户号为 T999999 的客户'],
    [['user', 'create', 'sun.yan', '--rôle', 'x'], '--rôle'],
    [['user', 'create'], '用法'],
    [['user', 'reset-password', 'no.such.one'], '没有账号 no.such.one'],
    [['user', 'disable', 'admin'], '至少要保留一名启用的超级管理员'],
    [['tenant', 'create', '平台运营中心'], '客户名称已存在'],
    [['tenant', 'create', 'x'.repeat(51)], '1～50'],
    [['users'], '没有命令 users'],
  ])('says in one line why not: %s', async (args, reason) => {
    const { code, out, err } = await run(...args)
    expect({ code, out, lines: err.length }).toEqual({ code: 1, out: [], lines: 1 })
    expect(err[0]).toContain(reason)
  })
})

describe('without a server', () => {
  test('starts the database for the command and stops it again', async () => {
    server.child.kill('SIGTERM')
    expect(await server.gone).toBe(0)
    const { code, out } = await oms(['user', 'create', 'li.na'], { DATA_DIR: dataDir })
    expect({ code, lines: out.length }).toEqual({ code: 0, lines: 1 })
    server = await serve({ DATA_DIR: dataDir, OMS_ADMIN_PASSWORD: PASSWORD })
    expect((await loginOf('li.na', passwordIn(out[0]))).code).toBe(200)
  })

  test('asks for a first start where there is no database yet', async () => {
    const empty = mkdtempSync(join(inject('scratch'), 'cli-empty-'))
    const { code, err } = await oms(['user', 'create', 'li.na'], { DATA_DIR: empty })
    expect({ code, err }).toEqual({ code: 1, err: ['数据库还没有建好或版本较旧，请先用 npm start 启动一次服务'] })
  })
})
