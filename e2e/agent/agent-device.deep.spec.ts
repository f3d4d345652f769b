import type { Page } from '@playwright/test'
import { XiaozhiDevice } from '../../apps/server/test/clients/xiaozhi-device.ts'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'
import { addTalkingAgent, newMac, openVoiceServer } from './voice-side.ts'

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('AGENT-04 devices are bound by spoken code or by MAC, and an unbound device speaks a new code', async ({
  page,
  login,
  api,
  baseURL,
  accessible,
}) => {
  const name = fresh('绑定')
  await addTalkingAgent(await api(), name)
  const device = new XiaozhiDevice(`${baseURL}/xiaozhi/ota/`, { mac: newMac() })
  const { code } = (await device.boot()).activation
  await login()
  await page.goto('/agent/device')
  await page.getByRole('button', { name: '按验证码绑定' }).first().click()
  const form = page.getByRole('dialog', { name: '按验证码绑定' })
  await expect(form).toContainText(`${baseURL}/xiaozhi/ota/`)
  await form.getByLabel('验证码').fill(code === '999999' ? '999998' : '999999')
  await pick(form.getByLabel('智能体'), name)
  await form.getByLabel('名称').fill('客厅')
  await form.getByRole('button', { name: /绑\s*定$/ }).click()
  await expect(form).toContainText('验证码不正确或已过期')
  await accessible()
  await form.getByLabel('验证码').fill(code)
  await form.getByRole('button', { name: /绑\s*定$/ }).dblclick()
  await expect(form).toBeHidden()
  await page.goto(`/agent/device?mac=${device.mac}`)
  await expect(row(page, device.mac)).toHaveCount(1)
  await expect(row(page, device.mac)).toContainText('客厅')
  await expect(row(page, device.mac)).toContainText(name)
  await expect(row(page, device.mac)).toContainText(device.board)
  expect(await device.activate()).toBe(200)
  expect((await device.boot()).activation).toBeUndefined()

  const mac = newMac()
  await page.getByRole('button', { name: '按 MAC 绑定' }).first().click()
  const byMac = page.getByRole('dialog', { name: '按 MAC 绑定' })
  await byMac.getByLabel('MAC', { exact: true }).fill(mac.toUpperCase())
  await pick(byMac.getByLabel('智能体'), name)
  await byMac.getByRole('button', { name: /绑\s*定$/ }).click()
  await expect(byMac).toBeHidden()
  await page.goto(`/agent/device?mac=${mac}`)
  await expect(row(page, mac)).toContainText('从未启动')
  const second = new XiaozhiDevice(`${baseURL}/xiaozhi/ota/`, { mac })
  expect((await second.boot()).activation).toBeUndefined()
  // The server stores the times of boots in batches.
  await expect(async () => {
    await page.reload()
    await expect(row(page, mac)).toContainText('已启动', { timeout: 3000 })
  }).toPass({ timeout: 60_000 })

  await row(page, mac).getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '解绑' }).click()
  const confirm = page.getByRole('dialog').filter({ hasText: '设备下次启动时重新播报验证码' })
  await confirm.getByRole('button', { name: /^解\s*绑$/ }).click()
  await expect(row(page, mac)).toHaveCount(0)
  expect((await second.boot()).activation.code).toMatch(/^\d{6}$/)
})

test('AGENT-11 the diagnosis names the first missing step of a device until the device talks', async ({
  page,
  login,
  api,
  baseURL,
  accessible,
}) => {
  const admin = await api()
  const agentId = await addTalkingAgent(admin, fresh('诊断'))
  const device = new XiaozhiDevice(`${baseURL}/xiaozhi/ota/`, { mac: newMac() })
  const server = await openVoiceServer(admin, baseURL)
  await login()
  await page.goto('/agent/device')
  await page.getByRole('button', { name: '接入诊断' }).click()
  const drawer = page.getByRole('dialog', { name: '接入诊断' })
  const field = drawer.getByLabel('MAC', { exact: true })
  /** Enters the MAC until the diagnosis says the text. Connections are stored a second later. */
  const diagnose = (text: string) =>
    expect(async () => {
      await field.fill('')
      await field.fill(device.mac)
      await expect(drawer.getByRole('alert').first()).toContainText(text, { timeout: 2000 })
    }).toPass({ timeout: 60_000 })
  await field.fill('02:zz')
  await expect(drawer).toContainText('MAC 应为 12 位十六进制数')
  await diagnose('首个缺失的步骤：设备启动')
  const { code } = (await device.boot()).activation
  await diagnose('首个缺失的步骤：绑定智能体')
  await accessible()
  await admin.call('POST', '/api/v1/agent/device/bind', { agentId, code, alias: '' })
  await device.boot()
  await diagnose('首个缺失的步骤：语音服务领取配置')
  await server.start()
  await server.connect(device.mac, device.clientId)
  await diagnose('首个缺失的步骤：对话')
  const session = fresh('s')
  await server.report({ mac: device.mac, session, kind: 1, content: '你好' })
  await diagnose('各步骤均已完成，设备可以对话')
  await page.goto(`/agent/device?mac=${device.mac}`)
  await expect(row(page, device.mac)).toContainText('对话中')
  // The calls of voice servers are stored some seconds later.
  await expect(async () => {
    await page.goto('/agent/params')
    await page.getByRole('tab', { name: '语音服务' }).click()
    const contact = page.getByRole('listitem').filter({ hasText: 'PythonClient/2.0 (PID:42)' })
    await expect(contact.first()).toBeVisible({ timeout: 3000 })
  }).toPass({ timeout: 60_000 })
})

test('AGENT-11 the commands reload and restart reach the voice server only after a confirmation', async ({
  page,
  login,
  api,
  baseURL,
  putBack,
  accessible,
}) => {
  const admin = await api()
  const server = await openVoiceServer(admin, baseURL)
  await server.listen()
  const rowOf = async () =>
    (await admin.call<{ list: { code: string; rev: number }[] }>('GET', '/api/v1/agent/params')).list.find(
      ({ code }) => code === 'server.websocket',
    )!
  putBack(async (undo) => {
    await undo.call('DELETE', '/api/v1/agent/params', { code: 'server.websocket' })
    await server.close()
  })
  await admin.call('PUT', '/api/v1/agent/params', {
    code: 'server.websocket',
    value: server.address,
    remark: '',
    rev: (await rowOf()).rev,
  })
  await login()
  await page.goto('/agent/params')
  await page.getByRole('tab', { name: '语音服务' }).click()
  const line = page.getByRole('listitem').filter({ hasText: server.address })
  await expect(line).toContainText('可以连接')
  await accessible()
  const ask = (action: string) => line.getByRole('button', { name: action }).click()
  const confirm = page.getByRole('dialog').filter({ hasText: server.address })
  await ask('重启')
  await expect(confirm).toContainText('重启时正在进行的对话会中断。')
  await confirm.getByRole('button', { name: /^取\s*消$/ }).click()
  await expect(confirm).toBeHidden()
  expect(server.actions).toEqual([])
  await ask('重启')
  await confirm.getByRole('button', { name: /^重\s*启$/ }).click()
  await expect(page.getByText('已执行')).toBeVisible()
  expect(server.actions).toEqual(['restart'])
})
