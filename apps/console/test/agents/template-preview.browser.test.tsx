import { agentTemplates, type TemplateRow } from '@oms/contract/agent/templates/template.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { TemplatePreview, TemplateAddForm } from '#modules/agent/agents/template-dialogs.tsx'
import { ok, openTab } from '../browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const model = (title: string, name: string, isClosed: boolean) => ({ field: title, title, name, status: 1, isClosed })

test('AGENT-06 the preview of a template distinguishes deleted models from models that are not shared with the customer', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(agentTemplates.preview, () =>
    ok({
      prompt: '你是小智',
      models: [model('大语言模型', '', true), model('语音识别', '', false), model('语音合成', 'Edge语音合成', false)],
      voiceName: '',
      isVoiceClosed: true,
      plugins: [],
      isDefault: false,
    }),
  )
  tab = openTab(<TemplatePreview row={{ id: 3, templateName: '讲解员' } as TemplateRow} onClose={() => {}} />)
  await waitUntil(() => expect(document.querySelectorAll('.kit-facts dd')).toHaveLength(5))
  const shown = [...document.querySelectorAll('.kit-facts dd')].map((value) => value.textContent?.trim())
  expect(shown).toEqual(['未开放给客户', '已被删除', 'Edge语音合成', '未开放给客户', '无'])
})

test('AGENT-06 the form of a template states that agents get the default model for a model that is not chosen', async () => {
  createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(<TemplateAddForm onClose={() => {}} />)
  await waitUntil(() => expect(document.body.textContent).toContain('语音合成时，新智能体使用默认模型'))
})
