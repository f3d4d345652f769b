import { agentHistory, type SessionRow } from '@oms/contract/agent/history/history.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { SessionDrawer } from '#modules/agent/history/session-drawer.tsx'
import { ok, openTab, refusal } from '../browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { pressButton, waitUntil } from '#test/form-cases/page-driver.ts'

const time = '2030-01-01 08:00:00'
const session: SessionRow = {
  id: 7,
  title: '询问天气',
  agentId: 2,
  deviceId: 3,
  deviceName: '客厅',
  agentName: '海川小管家',
  turns: 2,
  characters: 9,
  seconds: 3,
  firstTime: time,
  lastTime: time,
  endTime: null,
}
const turn = {
  id: 1,
  kind: 1,
  content: '今天天气怎么样',
  characters: 7,
  speaker: '',
  audioId: '',
  seconds: 1,
  reportTime: time,
}

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

test('AGENT-09 opening a conversation sends one request, so the operation log has one entry', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(agentHistory.open, () => ok({ session, turns: [turn], isCut: false }))
  tab = openTab(<SessionDrawer session={session} onClose={() => {}} />)
  await waitUntil(() => expect(document.querySelector('.talk-turns')?.textContent).toContain('今天天气怎么样'))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(document.querySelector('.ant-drawer .kit-skeleton')).toBeNull()
  expect(server.inputsOf(agentHistory.open)).toHaveLength(1)
})

test('all sentences of an answer are shown in one bubble', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const sentences = ['多云。', '二十度。'].map((content, at) => ({ ...turn, id: 2 + at, kind: 2, content }))
  server.on(agentHistory.open, () => ok({ session, turns: [turn, ...sentences], isCut: false }))
  tab = openTab(<SessionDrawer session={session} onClose={() => {}} />)
  await waitUntil(() => expect(document.querySelector('.talk-agent p')?.textContent).toBe('多云。二十度。'))
  expect(document.querySelectorAll('.talk-agent')).toHaveLength(1)
})

test('a conversation that cannot be loaded shows the reason and a retry button', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(agentHistory.open, () => refusal(501, '对话不存在'))
  tab = openTab(<SessionDrawer session={session} onClose={() => {}} />)
  await waitUntil(() => expect(document.querySelector('.kit-failed')?.textContent).toContain('对话不存在'))
  server.on(agentHistory.open, () => ok({ session, turns: [turn], isCut: false }))
  await waitUntil(() => pressButton('重试'))
  await waitUntil(() => expect(document.querySelector('.talk-turns')?.textContent).toContain('今天天气怎么样'))
})
