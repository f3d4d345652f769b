import type { Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createJsonServer } from '../../apps/server/test/clients/json-server.ts'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pickExactly } from '../support/pick.ts'

let vendor: Server
/** Answers that the vendor streams without an end, and how many of their connections are closed. */
const endless = { started: 0, closed: 0 }
test.beforeAll(async () => {
  vendor = createJsonServer(({ messages }: { messages: { content: string }[] }, _request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (messages.at(-1)?.content.includes('慢慢说')) {
      endless.started += 1
      response.on('close', () => (endless.closed += 1))
      return void response.write('data: {"choices":[{"delta":{"content":"第一句"}}]}\n\n')
    }
    for (const content of ['收到设定：', messages[0]?.content ?? ''])
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
    response.end('data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}\n\ndata: [DONE]\n\n')
  })
  await once(vendor.listen(0, '127.0.0.1'), 'listening')
})
test.afterAll(() => vendor.close())

test('AGENT-07 AGENT-08 an agent is created, tried out before it is saved, saved, compared and restored', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  const name = fresh('展厅助手')
  const code = fresh('LLM_e2e').replaceAll(/\W/g, '').slice(0, 32)
  const base_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`
  const config = { base_url, model_name: 'm' }
  const model = { type: 'LLM', code, name: code, providerCode: 'openai', config, shared: 1 }
  await admin.call('POST', '/api/v1/agent/config', model)
  await login()
  await page.goto('/agent/agent')
  await page.getByRole('button', { name: '新增智能体' }).first().click()
  await page.getByRole('dialog').getByLabel('智能体名称').fill(name)
  await page.getByRole('dialog').getByRole('button', { name: '保存' }).click()
  await expect(page).toHaveURL(/\/agent\/agent\/detail\/\d+$/)
  await expect(page.getByRole('heading', { name })).toBeVisible()
  const form = page.locator('.agent-form')
  await expect(form.locator('.kit-box > header').first()).toHaveText(/\S/)
  await expect(page.getByRole('tab', { name: '设备', exact: true })).toBeVisible()
  const original = await form.getByLabel('角色设定').inputValue()

  await pickExactly(form.getByLabel('大语言模型'), code)
  await form.getByLabel('角色设定').fill('你是没有保存的讲解员')
  await page.getByLabel('对智能体说').fill('你好')
  await page.getByLabel('对智能体说').press('Enter')
  const answer = page.locator('.agent-try .agent-turn').last()
  await expect(answer).toContainText('收到设定：你是没有保存的讲解员')
  await expect(answer).toContainText('9 + 4 Token')
  await accessible()

  await form.getByRole('button', { name: '保存', exact: true }).click()
  await expect(page.getByText('已保存，设备下次连接时生效')).toBeVisible()
  await page.getByRole('tab', { name: '版本' }).click()
  await page.getByRole('listitem').filter({ hasText: 'v1' }).getByRole('button', { name: '对比当前' }).click()
  await expect(page.getByRole('dialog')).toContainText('你是没有保存的讲解员')
  await page.getByRole('dialog').getByRole('button', { name: '关闭' }).last().click()
  await page.getByRole('listitem').filter({ hasText: 'v1' }).getByRole('button', { name: '恢复' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '恢复' }).click()
  await expect(page.getByText('已恢复，设备下次连接时生效')).toBeVisible()
  await page.getByRole('tab', { name: '设定与试用' }).click()
  await expect(form.getByLabel('角色设定')).toHaveValue(original)
})

test('AGENT-08 stopping a try-out cancels the completion and keeps its text', async ({ page, login, api }) => {
  const admin = await api()
  const code = fresh('LLM_stop').replaceAll(/\W/g, '').slice(0, 32)
  const base_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`
  const model = {
    type: 'LLM',
    code,
    name: code,
    providerCode: 'openai',
    config: { base_url, model_name: 'm' },
    shared: 1,
  }
  const llm = await admin.call<{ id: number }>('POST', '/api/v1/agent/config', model)
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName: fresh('试用') })
  const form = await admin.call<object>('GET', `/api/v1/agent/list/${id}`)
  await admin.call('PUT', '/api/v1/agent/list', { ...form, llmId: llm.id, systemPrompt: '当前设定', note: '' })
  await login()
  await page.goto(`/agent/agent/detail/${id}`)
  const input = page.getByLabel('对智能体说')
  const last = page.locator('.agent-try .agent-turn').last()
  await input.fill('慢慢说')
  await input.press('Enter')
  await expect(last).toContainText('第一句')
  await page.getByRole('button', { name: '停止' }).click()
  await expect(last).toContainText('已停止')
  await expect(last).toContainText('第一句')
  await expect.poll(() => endless).toEqual({ started: 1, closed: 1 })
  await input.fill('你好')
  await input.press('Enter')
  await expect(last).toContainText('收到设定：当前设定')
})
