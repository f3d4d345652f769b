import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import VoiceprintListPage from '#modules/agent/voices/voiceprint-list.page.tsx'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const buttonOf = (name: string) =>
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.replaceAll(' ', '') === name)
const reasonOf = (name: string) =>
  document.getElementById(buttonOf(name)?.getAttribute('aria-describedby') ?? '')?.textContent

test('without a voiceprint service, the buttons that enrol and test a speaker are disabled with the reason', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(voiceprints.service, () => ok({ state: 0, message: '' }))
  tab = openTab(<VoiceprintListPage />)
  await waitUntil(() => expect(reasonOf('登记声纹')).toBe('还没有声纹服务'))
  expect(reasonOf('测试')).toBe('还没有声纹服务')
  buttonOf('登记声纹')?.click()
  expect(document.querySelector('.ant-modal')).toBeNull()
})
