import { THRESHOLD_KEYS } from '@oms/contract/agent/voiceprints/similarity.ts'
import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { VoiceprintTest, VoiceTurnPicker } from '#modules/agent/voices/voiceprint-dialogs.tsx'
import { ok, openTab } from '../browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { pressButton, waitUntil } from '#test/form-cases/page-driver.ts'

const audioId = 'a'.repeat(32)
const TURN = {
  audioId,
  content: '今天天气怎么样',
  speaker: '',
  deviceName: '客厅',
  seconds: 3,
  reportTime: '2030-01-01 08:00:00',
}
const SCORES = [
  ['妈妈', 0.82],
  ['朵朵', 0.5],
  ['爷爷', 0.3],
  ['客人', 0.1],
] as const

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  for (const key of Object.values(THRESHOLD_KEYS)) localStorage.removeItem(key)
})

/** Tests a recorded turn and returns the names of the speakers with their bands. */
async function bandsOfTest() {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(voiceprints.agents, () => ok({ list: [{ id: 3, name: '海川小管家', tenantName: '' }] }))
  server.on(voiceprints.turns, () => ok({ list: [TURN] }))
  const list = SCORES.map(([name, score], at) => ({ id: at + 1, name, introduction: '', score }))
  server.on(voiceprints.test, () => ok({ list, threshold: 0.4 }))
  tab = openTab(<VoiceprintTest onClose={() => {}} />)
  await waitUntil(() => expect(document.querySelector('.ant-drawer .ant-select')).not.toBeNull())
  document.querySelector<HTMLElement>('.ant-drawer .ant-select input')?.focus()
  await waitUntil(() => {
    const event = new MouseEvent('mousedown', { bubbles: true, cancelable: true })
    document.querySelector('.ant-drawer .ant-select input')?.dispatchEvent(event)
    expect(document.querySelector('.ant-select-item-option')).not.toBeNull()
  })
  document.querySelector<HTMLElement>('.ant-select-item-option')?.click()
  await waitUntil(() => expect(document.querySelector('.voiceprint-turns input')).not.toBeNull())
  document.querySelector<HTMLElement>('.voiceprint-turns input')?.click()
  await waitUntil(() => pressButton('测试所选语音'))
  await waitUntil(() => expect(document.querySelectorAll('.voiceprint-scores li')).toHaveLength(SCORES.length))
  expect(server.inputsOf(voiceprints.test)).toEqual([{ agentId: 3, audioId }])
  return [...document.querySelectorAll('.voiceprint-scores li')].map((line) => [
    line.querySelector('.kit-main')?.textContent,
    line.querySelector('.ant-tag')?.textContent,
  ])
}

test('FORMAT-03 shows the bands of similarity by the default thresholds', async () => {
  expect(await bandsOfTest()).toEqual([
    ['妈妈', '高'],
    ['朵朵', '中'],
    ['爷爷', '低'],
    ['客人', '不相似'],
  ])
})

test('the test names the threshold of the voice server and marks the speakers below the threshold', async () => {
  await bandsOfTest()
  expect(document.querySelector('.voiceprint-scores')?.textContent).toContain('识别阈值 0.4')
  const below = [...document.querySelectorAll('.voiceprint-scores li')].filter((line) =>
    line.textContent?.includes('低于阈值'),
  )
  expect(below.map((line) => line.querySelector('.kit-main')?.textContent)).toEqual(['爷爷', '客人'])
})

test('the turns to choose from are listed with long recordings first, and short recordings are marked', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const turns = [1.2, 4, 2.9, 3].map((seconds, at) => ({ ...TURN, audioId: String(at).repeat(32), seconds }))
  server.on(voiceprints.turns, () => ok({ list: turns }))
  tab = openTab(<VoiceTurnPicker agentId={3} />)
  await waitUntil(() => expect(document.querySelectorAll('.voiceprint-turns li')).toHaveLength(4))
  const lines = [...document.querySelectorAll('.voiceprint-turns li')].map(({ textContent }) => textContent ?? '')
  expect(lines.map((line) => /([\d.]+) 秒/.exec(line)?.[1])).toEqual(['4', '3', '1.2', '2.9'])
  expect(lines.map((line) => line.includes('不足 3 秒'))).toEqual([false, false, true, true])
})

test('FORMAT-03 shows the bands of similarity by the thresholds in local storage', async () => {
  localStorage.setItem(THRESHOLD_KEYS.high, '0.9')
  localStorage.setItem(THRESHOLD_KEYS.medium, '80')
  localStorage.setItem(THRESHOLD_KEYS.low, '0.05')
  expect(await bandsOfTest()).toEqual([
    ['妈妈', '中'],
    ['朵朵', '低'],
    ['爷爷', '低'],
    ['客人', '低'],
  ])
})
