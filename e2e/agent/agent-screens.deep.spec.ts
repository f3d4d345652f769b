import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { connected } from '../support/fleet.ts'
import { type Api, fresh } from '../support/people.ts'
import { newMac } from './voice-side.ts'

const PHONE = { width: 390, height: 844 }

let vendor: Server
test.beforeAll(async () => {
  vendor = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify({ choices: [{ delta: { content: '我听见了' } }] })}\n\ndata: [DONE]\n\n`)
    })
  })
  await once(vendor.listen(0, '127.0.0.1'), 'listening')
})
test.afterAll(() => vendor.close())

/** Creates a model whose completions come from the vendor of this file. */
async function addModel(admin: Api) {
  const code = fresh('LLM_e2e').replaceAll(/\W/g, '').slice(0, 32)
  const config = { base_url: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`, model_name: 'm' }
  const model = { type: 'LLM', code, name: code, providerCode: 'openai', config, shared: 1 }
  await admin.call('POST', '/api/v1/agent/config', model)
  return code
}

/** Returns the widths by which the page and its content are wider than the window. */
const tooWide = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, .page, .ant-drawer-body, .ant-modal-body')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(
        ({ className, tagName, scrollWidth, clientWidth }) => `${tagName}.${className} ${scrollWidth}>${clientWidth}`,
      ),
  )

test('no agent page scrolls horizontally on a phone, even with the longest texts', async ({ page, login, api }) => {
  const admin = await api()
  const agentName = fresh('这是一个名称很长的智能体').padEnd(64, '长')
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName })
  const agent = await admin.call<object>('GET', `/api/v1/agent/list/${id}`)
  const tags = Array.from({ length: 10 }, (_, at) => `标签${at}`.padEnd(20, '长'))
  await admin.call('PUT', '/api/v1/agent/list', { ...agent, id, tags, systemPrompt: 'W'.repeat(2000) })
  await admin.call('POST', '/api/v1/agent/device/bindMac', { agentId: id, mac: newMac(), alias: 'W'.repeat(64) })
  await login()
  await page.setViewportSize(PHONE)
  for (const path of ['/agent/agent', '/agent/device', '/agent/params', '/agent/voiceprint']) {
    await page.goto(path)
    await expect(page.locator('main .kit-card').first()).toBeVisible()
    await expect(page.locator('main .kit-skeleton')).toHaveCount(0)
    expect(await tooWide(page), path).toEqual([])
  }
  await page.goto('/agent/params')
  await page.getByRole('tab', { name: '语音服务' }).click()
  await expect(page.getByText('最近调用').first()).toBeVisible()
  expect(await tooWide(page), 'voice servers').toEqual([])
  await page.goto(`/agent/agent/detail/${id}`)
  await expect(page.getByLabel('角色设定')).toBeVisible()
  for (const { key, waits } of TABS) {
    await page.locator('main').getByRole('tab', { name: key, exact: true }).press('Enter')
    await expect(page.getByText(waits).first()).toBeVisible()
    expect(await tooWide(page), key).toEqual([])
  }
})

test('the list of voice devices fits a window of 1440 px without horizontal scrolling', async ({
  page,
  login,
  api,
}) => {
  const admin = await api()
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', {
    agentName: fresh('名称很长的智能体'),
  })
  const mac = newMac()
  await admin.call('POST', '/api/v1/agent/device/bindMac', { agentId: id, mac, alias: '名称很长的设备'.repeat(8) })
  await login()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`/agent/device?mac=${mac}`)
  await expect(page.getByRole('row').filter({ hasText: mac })).toBeVisible()
  const table = page.locator('.ant-table-body, .ant-table-content').first()
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})

test('the lists of agents, models, devices, templates, voices and voiceprints can be filtered by tenant', async ({
  page,
  login,
}) => {
  // The filter is shown only when there are several customers.
  const client = await connected()
  await client.query('insert into tenants (tenant_no, name) values ($1, $1)', [fresh('T')])
  await client.end()
  await login()
  const lists = [
    '/agent/agent',
    '/agent/config',
    '/agent/device',
    '/agent/template',
    '/agent/voice',
    '/agent/voiceprint',
  ]
  for (const path of lists) {
    await page.goto(path)
    await expect(
      page
        .locator('main')
        .getByRole('search')
        .getByLabel(/^(所属)?客户$/),
      path,
    ).toBeAttached()
  }
})

const TABS = [
  { key: '设定与试用', waits: '角色设定' },
  { key: '版本', waits: '首个版本' },
  { key: '设备', waits: '从未启动' },
  { key: '对话', waits: '还没有对话' },
  { key: '记忆', waits: '设备各自保存记忆' },
] as const

/** Presses Tab until the element has the focus, and asserts that the focus is visible. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') {
  await expect(target).toBeVisible()
  const isFocused = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 120 && !(await isFocused()); presses++) await page.keyboard.press(key)
  await expect(target).toBeFocused()
  if ((await target.evaluate(({ tagName }) => tagName)) !== 'BUTTON') return
  const ring = await target.evaluate((element) => {
    const { outlineStyle, boxShadow } = getComputedStyle(element)
    return outlineStyle !== 'none' || boxShadow !== 'none'
  })
  expect(ring, 'the focus is visible').toBe(true)
}

test('AGENT-07 AGENT-08 a user creates, tries out and restores an agent with the keyboard alone', async ({
  page,
  login,
  api,
}) => {
  const code = await addModel(await api())
  const name = fresh('键盘助手')
  await login()
  await page.goto('/agent/agent')
  const add = page.getByRole('button', { name: '新增智能体' }).first()
  await tabTo(page, add)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('智能体名称')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(add).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('智能体名称')).toBeFocused()
  await page.keyboard.type(name)
  await tabTo(page, dialog.getByRole('button', { name: '保存' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name })).toBeVisible()

  await tabTo(page, page.getByLabel('角色设定'))
  await page.keyboard.type('新的设定')
  await tabTo(page, page.getByLabel('大语言模型'))
  await page.keyboard.type(code)
  await expect(page.getByTitle(code, { exact: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await tabTo(page, page.locator('.agent-form-foot').getByRole('button', { name: '保存' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('已保存，设备下次连接时生效')).toBeVisible()

  await tabTo(page, page.getByLabel('对智能体说'))
  await page.keyboard.type('你好')
  await page.keyboard.press('Enter')
  await expect(page.locator('.agent-try .agent-turn').last()).toContainText('我听见了')
  await tabTo(page, page.locator('.agent-try').getByRole('button', { name: '查看请求' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toContainText('不含密钥')
  await page.keyboard.press('Escape')
  await expect(page.locator('.agent-try').getByRole('button', { name: '查看请求' })).toBeFocused()

  await tabTo(page, page.getByRole('tab', { name: '设定与试用' }), 'Shift+Tab')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const first = page.getByRole('listitem').filter({ hasText: 'v1' })
  await tabTo(page, first.getByRole('button', { name: '恢复' }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: '恢复' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('已恢复，设备下次连接时生效')).toBeVisible()
})

test('the drawer of a voice device opens from its row, and Escape moves the focus back to the row', async ({
  page,
  login,
  api,
}) => {
  const admin = await api()
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName: fresh('抽屉') })
  const mac = newMac()
  await admin.call('POST', '/api/v1/agent/device/bindMac', { agentId: id, mac, alias: '' })
  await login()
  await page.goto(`/agent/device?mac=${mac}`)
  const details = page.getByRole('row').filter({ hasText: mac }).getByRole('button', { name: '详情' })
  await tabTo(page, details)
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByRole('tab', { name: '接入诊断' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await expect(details).toBeFocused()

  const bind = page.getByRole('button', { name: '按验证码绑定' }).first()
  await tabTo(page, bind, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByText(/^https?:\/\/.*\/xiaozhi\/ota\/$/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(bind).toBeFocused()
})
