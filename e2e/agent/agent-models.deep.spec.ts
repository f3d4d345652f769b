import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick, pickExactly } from '../support/pick.ts'

const KEY = 'sk-e2e-journey-2468'
let vendor: Server
test.beforeAll(async () => {
  vendor = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return void response.writeHead(401).end('{"error":"key"}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"choices":[{"delta":{"content":"好"}}]}\n\ndata: [DONE]\n\n')
  })
  await once(vendor.listen(0, '127.0.0.1'), 'listening')
})
test.afterAll(() => vendor.close())

const address = () => `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`
const codeOf = (name: string) => fresh(name).replaceAll(/\W/g, '').slice(0, 32)

/** Field types by the word of the select. */
const TYPES = [
  ['f_text', '文本'],
  ['f_number', '数字'],
  ['f_integer', '整数'],
  ['f_int', '整数（int）'],
  ['f_float', '小数'],
  ['f_switch', '开关'],
  ['f_json', 'JSON'],
  ['f_list', '列表（分号分隔）'],
  ['f_key', '密钥'],
] as const

async function addField(drawer: Locator, place: number, [key, type]: (typeof TYPES)[number]) {
  await drawer.getByRole('button', { name: '添加字段' }).click()
  const field = drawer.getByRole('group', { name: `字段 ${place}` })
  await field.getByLabel('参数名').fill(key)
  await field.getByLabel('显示名').fill(`显示${key}`)
  await pickExactly(field.getByLabel('字段类型'), type)
}

test('AGENT-06 the form of a model shows and saves the fields of its provider, for every field type', async ({
  page,
  login,
  api,
  accessible,
}) => {
  test.slow()
  const [provider, code, name] = [codeOf('e2e'), codeOf('TTS_e2e'), fresh('自建合成')]
  await login()
  await page.goto('/agent/config')
  const tab = page.getByRole('tab', { name: '语音合成 TTS' })
  await tab.click()
  // The list of the chosen type replaces the former list together with its open drawer.
  await expect(tab).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('button', { name: '字段管理' }).click()
  await page.getByRole('button', { name: '新增接口' }).click()
  const drawer = page.getByRole('dialog', { name: '新增接口' })
  await drawer.getByLabel('编码').fill(provider)
  await drawer.getByLabel('名称', { exact: true }).fill(name)
  for (const [at, field] of TYPES.entries()) await addField(drawer, at + 1, field)
  await accessible()
  await drawer.getByRole('button', { name: '保存' }).click()
  await expect(drawer).toBeHidden()
  await page.getByRole('dialog').getByRole('button', { name: '关闭' }).first().click()
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.getByRole('button', { name: '新增模型' }).first().click()
  const form = page.getByRole('dialog', { name: '新增模型' })
  await pick(form.getByLabel('接口', { exact: true }), provider)
  await form.getByLabel('编码').fill(code)
  await form.getByLabel('名称', { exact: true }).fill(name)
  await form.getByLabel('显示f_text').fill('文字')
  await form.getByLabel('显示f_number').fill('1.5')
  await form.getByLabel('显示f_integer').fill('3')
  await form.getByLabel('显示f_int', { exact: true }).fill('4')
  await form.getByLabel('显示f_float').fill('0.25')
  await form.getByLabel('显示f_switch').click()
  await form.getByLabel('显示f_json').fill('{坏的')
  await form.getByLabel('显示f_list').fill('甲;乙')
  await expect(
    form.getByText('显示f_jsonJSON 应为', { exact: false }).or(form.getByText('应为 JSON 对象或列表')),
  ).toBeVisible()
  await form.getByLabel('显示f_json').fill('{"speed":1}')
  await form.getByLabel('显示f_key').fill(KEY)
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  const admin = await api()
  const { list } = await admin.call<{ list: { id: number }[] }>('GET', '/api/v1/agent/config/page', {
    type: 'TTS',
    code,
  })
  const stored = await admin.call<{ config: object; secrets: object }>('GET', `/api/v1/agent/config/${list[0]!.id}`)
  expect(stored).toMatchObject({
    config: { f_text: '文字', f_number: 1.5, f_integer: 3, f_int: 4, f_float: 0.25, f_switch: true, f_list: '甲;乙' },
    secrets: { f_key: '2468' },
  })
})

test('AGENT-06 a model is tested, its key is revealed with a reason, and a model in use cannot be deleted', async ({
  page,
  login,
  api,
  putBack,
  accessible,
}) => {
  const admin = await api()
  const [code, name, agentName] = [codeOf('LLM_e2e'), fresh('旅程模型'), fresh('前台')]
  const config = { base_url: address(), model_name: 'm', api_key: KEY }
  const model = { type: 'LLM', code, name, providerCode: 'openai', config, shared: 1 }
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/config', model)
  const { list } = await admin.call<{ list: { id: number; isDefault: number }[] }>('GET', '/api/v1/agent/config/page', {
    type: 'LLM',
    pageSize: '200',
  })
  const before = list.find(({ isDefault }) => isDefault === 1)!
  putBack((again) => again.call('POST', `/api/v1/agent/config/default/${before.id}`))
  await login()
  await page.goto(`/agent/config?name=${encodeURIComponent(name)}`)
  const row = page.getByRole('row').filter({ hasText: code }).first()

  await row.getByRole('button', { name: '测试' }).click()
  await page.getByRole('button', { name: '开始测试' }).click()
  await expect(page.getByRole('dialog')).toContainText('测试通过')
  await expect(page.getByRole('dialog')).toContainText('回复：好')
  await expect(page.getByRole('dialog')).toContainText(/首字 \d+ 毫秒/)
  await page.getByRole('dialog').getByRole('button', { name: '关闭' }).click()

  await row.getByRole('button', { name: '编辑' }).click()
  const form = page.getByRole('dialog', { name: /编辑模型/ })
  await expect(form.getByPlaceholder('已设置（末四位 2468），不填则保持不变')).toHaveValue('')
  expect(await form.innerHTML()).not.toContain(KEY)
  await accessible()
  await form.getByRole('button', { name: '查看' }).click()
  const reveal = page.getByRole('dialog', { name: /^查看「/ })
  await expect(reveal.getByRole('button', { name: '查看' })).toBeDisabled()
  await reveal.getByLabel('查看原因').fill('核对厂商后台')
  await reveal.getByRole('button', { name: '查看' }).click()
  await expect(reveal).toContainText(KEY)
  await reveal.getByRole('button', { name: '关闭' }).last().click()
  await form.getByRole('button', { name: '取消' }).click()

  const act = async (action: string) => {
    await row.getByRole('button', { name: '更多' }).click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }
  await act('复制')
  await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(2)
  await act('设为默认')
  await expect(row).toContainText('默认')
  await admin.call('POST', `/api/v1/agent/config/default/${before.id}`)

  const template = { templateName: fresh('接待'), llmId: id, systemPrompt: '你是前台', sort: 9999 }
  const made = await admin.call<{ id: number }>('POST', '/api/v1/agent/template', template)
  await admin.call('POST', '/api/v1/agent/list', { agentName, templateId: made.id })
  await page.reload()
  await expect(row).toContainText('2 个')
  await act('删除')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /删\s*除|确\s*定/ })
    .click()
  await expect(
    page.getByText(`智能体「${agentName}」、模板「${template.templateName}」正在使用该模型，不能删除`),
  ).toBeVisible()
})
